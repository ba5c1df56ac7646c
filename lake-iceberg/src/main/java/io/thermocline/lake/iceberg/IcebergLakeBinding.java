package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;

/** Apache Iceberg as the lake. */
public final class IcebergLakeBinding implements LakeBinding {

    /** Value of the catalog option {@code lake}. */
    public static final String IDENTIFIER = "iceberg";

    @Override
    public String identifier() {
        return IDENTIFIER;
    }

    @Override
    public LakeCatalog open(LakeConfig config, ClassLoader classLoader) {
        try {
            return IcebergLakeCatalog.open(config);
        } catch (LinkageError e) {
            throw missingJar(config, e);
        }
    }

    /** What to do about a class that is not there. */
    static LakeException missingJar(LakeConfig config, LinkageError cause) {
        String missing = String.valueOf(cause.getMessage()).replace('/', '.');
        String jars =
                missing.contains("org.apache.hadoop")
                        ? "hadoop-client-api and hadoop-client-runtime jars"
                        : "iceberg-flink-runtime jar for this Flink version";
        return new LakeException(
                Reason.LAKE_UNAVAILABLE,
                "cannot open the Iceberg warehouse '"
                        + config.warehouse()
                        + "': class "
                        + missing
                        + " cannot be loaded. Put the "
                        + jars
                        + " into Flink's lib/ directory (or on the server's class path) and restart.",
                cause);
    }
}
