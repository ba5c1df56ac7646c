package io.thermocline.lake;

import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;

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

    /** The bindings that a class loader sees, by identifier. */
    static SortedMap<String, LakeBinding> seenBy(ClassLoader classLoader) {
        SortedMap<String, LakeBinding> bindings = new TreeMap<>();
        for (LakeBinding binding : ServiceLoader.load(LakeBinding.class, classLoader)) {
            bindings.put(binding.identifier(), binding);
        }
        return bindings;
    }
}
