package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;

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
        return LakeException.missingClass("Paimon", config, "paimon-flink", cause);
    }
}
