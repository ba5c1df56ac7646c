package io.thermocline.lake;

import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;
import org.jspecify.annotations.Nullable;

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
        FOREIGN_COMMIT,
        IO
    }

    private final Reason reason;

    public LakeException(Reason reason, String message) {
        super(reason + ": " + message);
        this.reason = reason;
    }

    public LakeException(Reason reason, String message, @Nullable Throwable cause) {
        super(reason + ": " + message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /**
     * A class of the lake or of what it needs is not there.
     *
     * @param lake name of the lake, for the message
     * @param jar the lake's own jar; the other that may be missing is Hadoop's
     */
    public static LakeException missingClass(
            String lake, LakeConfig config, String jar, LinkageError cause) {
        String missing = String.valueOf(cause.getMessage()).replace('/', '.');
        String jars =
                missing.contains("org.apache.hadoop")
                        ? "hadoop-client-api and hadoop-client-runtime jars"
                        : jar + " jar for this Flink version";
        return new LakeException(
                Reason.LAKE_UNAVAILABLE,
                "cannot open the "
                        + lake
                        + " warehouse '"
                        + config.warehouse()
                        + "': class "
                        + missing
                        + " cannot be loaded. Put the "
                        + jars
                        + " into Flink's lib/ directory (or on the server's class path) and restart.",
                cause);
    }

    /** A table is not in the state that a move starts from. */
    public static LakeException attachmentConflict(
            ObjectPath path, Attachment expected, Attachment present) {
        return new LakeException(
                Reason.COMMIT_CONFLICT,
                "table "
                        + path.getFullName()
                        + " is "
                        + present
                        + ", no longer "
                        + expected
                        + ": another statement changes 'hot.enabled' at the same time. Nothing was"
                        + " changed by this one; run it again once the other has ended.");
    }

    /** The lake is not as a commit expects it. */
    public static LakeException commitConflict(
            ObjectPath path,
            TieredState expected,
            Optional<TieredState> present,
            @Nullable Exception cause) {
        return new LakeException(
                Reason.COMMIT_CONFLICT,
                "cannot commit to lake table "
                        + path.getFullName()
                        + ": the commit was prepared from "
                        + expected
                        + " but the lake has "
                        + present.map(TieredState::toString).orElse("no tiered state")
                        + ". Another process tiers this table, or it was dropped and created again."
                        + " Nothing was committed; the next round starts from what the lake has.",
                cause);
    }

    /** Another program has changed rows that a commit did not know of. */
    public static LakeException foreignCommit(ObjectPath path, ForeignCommit foreign) {
        return new LakeException(
                Reason.FOREIGN_COMMIT,
                "cannot commit to lake table "
                        + path.getFullName()
                        + ": another program has changed its rows meanwhile with "
                        + foreign
                        + ". Nothing was committed; the next round takes that into account.");
    }
}
