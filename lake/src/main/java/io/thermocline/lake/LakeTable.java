package io.thermocline.lake;

import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.util.CloseableIterator;

/**
 * A lake table. Serializable, and usable in another JVM without the catalog. Its definition is that
 * of the moment it was loaded; snapshots are always read anew.
 */
public interface LakeTable extends Serializable {

    LakeTableDefinition definition();

    /**
     * The newest snapshot that readers can read in full, with the tiered state that belongs to it.
     * Snapshots committed by others since the last tiering commit (compaction, expiry, appends of
     * other engines) count: the state is then that of the tiering snapshot below them. Empty if the
     * table has no snapshot.
     *
     * @throws LakeException {@code TIERED_STATE_MISSING} if the table has a table id but no tiered
     *     state can be found: never assume offset 0
     */
    Optional<LakeSnapshot> latestSnapshot();

    /**
     * What the next tiering round is planned from: the newest tiered state, whether or not readers
     * can read its snapshot in full yet. Only on tables whose new files become readable by a
     * compaction does it differ from that of {@link #latestSnapshot()}. Empty on a plain lake
     * table.
     *
     * @throws LakeException {@code TIERED_STATE_MISSING} as for {@link #latestSnapshot()}
     */
    default Optional<LakeSnapshot> latestTieredSnapshot() {
        return latestSnapshot().filter(snapshot -> snapshot.tieredState() != null);
    }

    /**
     * Snapshots written by tiering for this table that can still be read, oldest first; those of an
     * earlier table of the same name are not among them.
     */
    default List<LakeSnapshot> tieredSnapshots() {
        return latestTieredSnapshot().stream().toList();
    }

    /**
     * Snapshots that were committed by others and changed rows of this table: appends, overwrites
     * and deletions, but no compaction, nothing that changes no file, and nothing that tiering or
     * {@link #maintain} did. Oldest first.
     *
     * @param after id of a snapshot; only those above it
     * @param through id of the same or a later one; only those up to it, itself included
     * @throws IllegalArgumentException if {@code through} is older than {@code after}
     */
    default List<ForeignCommit> foreignCommits(long after, long through) {
        return List.of();
    }

    /**
     * Finds where two snapshots differ, without reading rows.
     *
     * @param from id of a snapshot
     * @param to id of a later one
     * @throws LakeException {@code SNAPSHOT_NOT_FOUND} if one of them is gone
     */
    default LakeDifference difference(long from, long to) {
        return new LakeDifference(
                planSplits(new LakeScan(from, List.of(), null)),
                planSplits(new LakeScan(to, List.of(), null)));
    }

    /**
     * The rows that a foreign commit appended to a log table, as splits of its snapshot, always in
     * the same order.
     *
     * @return empty if it did something else than to append
     * @throws LakeException {@code SNAPSHOT_NOT_FOUND} if it is gone
     */
    default Optional<List<LakeSplit>> appended(ForeignCommit commit) {
        return Optional.empty();
    }

    /**
     * Converts the predicates that this lake can use. What it cannot use is left out, so every
     * predicate must be checked again on the rows.
     *
     * @param predicates conjunction over the columns of {@link LakeTableDefinition#rowType()}, by
     *     field reference into it
     * @return a filter; empty if none can be used
     */
    Optional<LakeFilter> toFilter(List<ResolvedExpression> predicates);

    /**
     * Plans the splits of a scan. Fine-grained enough for parallel reading; no order between them.
     */
    List<LakeSplit> planSplits(LakeScan scan);

    /**
     * Reads a split.
     *
     * @return rows with exactly the scan's projected columns, all of kind +I; a row object is valid
     *     until the next call of {@code next()}
     */
    CloseableIterator<RowData> read(LakeSplit split, LakeScan scan);

    /** The lake's own bucket function for this table. */
    BucketFunction bucketFunction();

    /**
     * Whether {@link LakeWriter#writeNew} costs less than {@link LakeWriter#write}, so that it is
     * worth finding out which keys are new.
     */
    default boolean distinguishesNewKeys() {
        return false;
    }

    /**
     * Whether programs that know nothing of each other can leave two rows of a key in the table, of
     * which readers see both, or now one and now the other. A round writes such keys again after
     * commits of others.
     */
    default boolean mayHoldKeysTwice() {
        return false;
    }

    /**
     * What others have written between two snapshots, file by file, where the lake does not order
     * the rows of a key by their commits. Only the keys of its rows are to be used.
     */
    default List<LakeSplit> writtenByOthers(long after, long through) {
        return List.of();
    }

    /**
     * A writer of one tiering round.
     *
     * @param temporaryDirectory local directory for spilling, owned by the caller
     */
    LakeWriter newWriter(String temporaryDirectory);

    /**
     * Commits files and the next tiered state in one lake commit, on condition that the state in
     * the lake is still {@code commit.expected()}. Resolves an unknown outcome by reading the lake
     * again. Files of a commit that failed are deleted only when it is certain that it did not
     * happen.
     *
     * @return the snapshot that holds the commit, read back
     * @throws LakeException {@code COMMIT_CONFLICT} if the table id or the tiered state differ,
     *     {@code FOREIGN_COMMIT} if there is a commit of others that {@code commit.knownForeign()}
     *     does not have
     */
    LakeSnapshot commit(LakeCommit commit);

    /**
     * Keeps the table healthy: compaction and expiry of old snapshots. Never removes the last
     * tiering snapshot, nor one of {@code leasedSnapshotIds}, nor one younger than the retention.
     */
    void maintain(LakeMaintenance maintenance);
}
