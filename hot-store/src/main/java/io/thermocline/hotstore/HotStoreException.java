package io.thermocline.hotstore;

/**
 * A failure of the hot store. The message says what failed (with names and values), why, and what
 * to do.
 */
public class HotStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public HotStoreException(ErrorCode code, String message) {
        super(code + ": " + message);
        this.code = code;
    }

    public HotStoreException(ErrorCode code, String message, Throwable cause) {
        super(code + ": " + message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }
}
