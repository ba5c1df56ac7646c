package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;

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
            SharedThreads.start();
            return IcebergLakeCatalog.open(config);
        } catch (LinkageError e) {
            throw missingJar(config, e);
        }
    }

    /** What to do about a class that is not there. */
    static LakeException missingJar(LakeConfig config, LinkageError cause) {
        return LakeException.missingClass("Iceberg", config, "iceberg-flink-runtime", cause);
    }
}
