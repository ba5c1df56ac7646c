package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;

/** Apache Paimon as the lake. */
public final class PaimonLakeBinding implements LakeBinding {

    /** Value of the catalog option {@code lake}. */
    public static final String IDENTIFIER = "paimon";

    @Override
    public String identifier() {
        return IDENTIFIER;
    }

    @Override
    public LakeCatalog open(LakeConfig config, ClassLoader classLoader) {
        try {
            return PaimonLakeCatalog.open(config, classLoader);
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
                        : "paimon-flink jar for this Flink version";
        return new LakeException(
                Reason.LAKE_UNAVAILABLE,
                "cannot open the Paimon warehouse '"
                        + config.warehouse()
                        + "': class "
                        + missing
                        + " cannot be loaded. Put the "
                        + jars
                        + " into Flink's lib/ directory (or on the server's class path) and restart.",
                cause);
    }
}
