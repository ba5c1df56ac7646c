package io.thermocline.cli;

/** A command cannot go on. The message is for the user: what failed, why, and what to do. */
public final class CommandFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A failure without a technical cause. */
    public CommandFailure(String message) {
        super(message);
    }

    /** A failure whose cause goes to the log. */
    public CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
