package io.thermocline.lake;

/**
 * A failure of the lake tier. The message says what failed (with names and values), why, and what
 * to do.
 */
public class LakeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What kind of failure it is. */
    public enum Reason {
        LAKE_UNAVAILABLE,
        INVALID_OPTION,
        UNSUPPORTED,
        TABLE_NOT_FOUND,
        TABLE_ALREADY_EXISTS,
        SNAPSHOT_NOT_FOUND,
        TIERED_STATE_MISSING,
        COMMIT_CONFLICT,
        IO
    }

    private final Reason reason;

    public LakeException(Reason reason, String message) {
        super(reason + ": " + message);
        this.reason = reason;
    }

    public LakeException(Reason reason, String message, Throwable cause) {
        super(reason + ": " + message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
