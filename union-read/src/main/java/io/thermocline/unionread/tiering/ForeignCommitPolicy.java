package io.thermocline.unionread.tiering;

import io.thermocline.lake.LakeTableDefinition;
import java.util.Locale;

/**
 * What becomes of a primary-key table of whose lake table another program has changed rows: values
 * of the option {@value #OPTION}.
 */
public enum ForeignCommitPolicy {
    /** Tiering of the table stops until somebody decides. */
    FAIL,
    /** The hot tier takes the rows over. */
    ABSORB;

    /** Name of the table option. */
    public static final String OPTION = "hot.on-foreign-commit";

    /**
     * What the options of a table say. A value that nobody could have set here means the default.
     */
    static ForeignCommitPolicy of(LakeTableDefinition definition) {
        String value = definition.hotOptions().get(OPTION);
        return value != null && value.toUpperCase(Locale.ROOT).equals(ABSORB.name())
                ? ABSORB
                : FAIL;
    }
}
