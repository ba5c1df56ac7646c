package io.thermocline.hotstore.format;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;

/** What a control record says. Numbers are part of the format and never reused. */
public enum ControlType {
    /** Records after it are in another schema version. */
    SCHEMA(1),
    /** The table's options changed. */
    OPTIONS(2),
    /** Every row of the table is deleted. */
    TRUNCATE(3),
    /** Every row of some partitions is deleted. */
    DROP_PARTITION(4),
    /** An overwrite begins or ends here. */
    OVERWRITE_BARRIER(5),
    /** The hot tier was put in front of a lake table. */
    ATTACH(6),
    /** The hot tier was drained and taken away. */
    DETACH(7);

    private final int number;

    ControlType(int number) {
        this.number = number;
    }

    /** Stable number, as written. */
    public int number() {
        return number;
    }

    static ControlType ofNumber(int number, String where) {
        for (ControlType type : values()) {
            if (type.number == number) {
                return type;
            }
        }
        throw new HotStoreException(
                ErrorCode.UNSUPPORTED_FORMAT_VERSION,
                where
                        + " is a control record of type "
                        + number
                        + "; this version knows types 1 to "
                        + values().length
                        + ". Read it with the version of Thermocline that wrote it, or a newer one.");
    }
}
