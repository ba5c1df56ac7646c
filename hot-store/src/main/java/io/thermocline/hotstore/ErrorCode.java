package io.thermocline.hotstore;

/** What kind of failure a {@link HotStoreException} reports. Numbers are never reused. */
public enum ErrorCode {
    INVALID_ARGUMENT(1, Kind.USER),
    TABLE_NOT_FOUND(2, Kind.USER),
    TABLE_RECREATED(3, Kind.USER),
    OFFSET_OUT_OF_RANGE(4, Kind.USER),
    SNAPSHOT_NOT_FOUND(5, Kind.EXTERNAL),
    LEASE_NOT_FOUND(6, Kind.EXTERNAL),
    TIERED_OFFSET_AHEAD(7, Kind.EXTERNAL),
    OUT_OF_SEQUENCE(8, Kind.INTERNAL),
    NULL_IN_KEY(9, Kind.USER),
    UNSUPPORTED_TYPE(10, Kind.USER),
    CORRUPT_CHANGELOG(11, Kind.EXTERNAL),
    CORRUPT_KEY_INDEX(12, Kind.EXTERNAL),
    DISK_FULL(13, Kind.EXTERNAL),
    STORE_FAILED(14, Kind.EXTERNAL),
    STORE_LOCKED(15, Kind.EXTERNAL),
    STORE_UNREACHABLE(16, Kind.EXTERNAL),
    STORE_ON_OTHER_HOST(17, Kind.EXTERNAL),
    AUTHENTICATION_FAILED(18, Kind.USER),
    UNSUPPORTED_FORMAT_VERSION(19, Kind.EXTERNAL),
    TABLE_CLOSED(20, Kind.EXTERNAL),
    NULL_IN_NOT_NULL_COLUMN(21, Kind.USER),
    INTERNAL(22, Kind.INTERNAL),
    JVM_OPTION_MISSING(23, Kind.USER),
    LAKE_FAILED(24, Kind.EXTERNAL),
    FENCED(25, Kind.EXTERNAL),
    TABLE_DETACHING(26, Kind.USER),
    FOREIGN_COMMIT(27, Kind.USER);

    /** Who can mend it. */
    public enum Kind {
        /** The statement, option or data must change. */
        USER,
        /** Something outside: disk, network, another process. */
        EXTERNAL,
        /** A bug here. */
        INTERNAL
    }

    private final int number;
    private final Kind kind;

    ErrorCode(int number, Kind kind) {
        this.number = number;
        this.kind = kind;
    }

    /** Stable number, as sent over the wire. */
    public int number() {
        return number;
    }

    public Kind kind() {
        return kind;
    }

    /** The code of a number; {@link #INTERNAL} for one that this version does not know. */
    public static ErrorCode ofNumber(int number) {
        for (ErrorCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        return INTERNAL;
    }
}
