package io.thermocline.lake;

/**
 * A lake format's implementation of this SPI, found with {@link java.util.ServiceLoader}. Its
 * classes must load without the lake's own jar; {@link #open} may fail when that jar is missing.
 */
public interface LakeBinding {

    /** Name used in the catalog option {@code lake}: {@code paimon}, {@code iceberg}. */
    String identifier();

    /**
     * Opens the lake's catalog.
     *
     * @throws LakeException {@code LAKE_UNAVAILABLE} naming the missing jar or the unreachable
     *     warehouse, {@code INVALID_OPTION} naming a wrong option
     */
    LakeCatalog open(LakeConfig config, ClassLoader classLoader);
}
