package io.thermocline.lake;

import java.util.Map;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * The lake's part of giving a table that exists a hot tier, and of taking it away. Thread-safe.
 * Every method throws {@code TABLE_NOT_FOUND} if there is no such table.
 */
public interface LakeAttachments {

    /**
     * Checks that a hot tier can go in front of a table: its rows are merged, placed and typed as
     * tiering would.
     *
     * @throws LakeException {@code UNSUPPORTED}, {@code INVALID_OPTION} naming what is in the way,
     *     why, and what to do
     */
    void checkAttachable(ObjectPath path);

    /**
     * Moves a table from one state to another, if it is in the first.
     *
     * @param hotOptions options to be set with it, without our prefix; those there are stay, except
     *     that a detached table has none
     * @throws LakeException {@code COMMIT_CONFLICT} if the table is not in the state {@code from}
     */
    void move(ObjectPath path, Attachment from, Attachment to, Map<String, String> hotOptions);

    /**
     * Commits an empty snapshot with the first tiered state of a table that is being attached, on
     * condition that nobody has changed rows since the snapshot that was taken over. Of a log table
     * others may have appended rows.
     *
     * @param attaching the state that the table is in
     * @throws LakeException {@code COMMIT_CONFLICT} if rows were changed, or the table is in
     *     another state
     */
    LakeSnapshot commitFirstState(ObjectPath path, Attachment attaching, TieredState state);

    /** Gives the snapshots of a detached table free that were kept for its hot tier. */
    void releaseSnapshots(ObjectPath path);
}
