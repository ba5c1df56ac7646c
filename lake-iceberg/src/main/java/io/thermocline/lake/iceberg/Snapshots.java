package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredStateCodec;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots of a table and the tiered states in them. Other writers commit snapshots of their
 * own between those of tiering; a state is valid until the next tiering snapshot.
 */
final class Snapshots {

    private final ObjectPath path;
    private final Table table;

    /**
     * @param table as it is now
     */
    Snapshots(ObjectPath path, Table table) {
        this.path = path;
        this.table = table;
    }

    /** A tiering snapshot and what it says. */
    record Tiered(Snapshot snapshot, TieredState state) {}

    Optional<Snapshot> latest() {
        return Optional.ofNullable(table.currentSnapshot());
    }

    Snapshot get(long id) {
        Snapshot snapshot = table.snapshot(id);
        if (snapshot == null) {
            throw new LakeException(
                    Reason.SNAPSHOT_NOT_FOUND,
                    "lake snapshot "
                            + id
                            + " of table "
                            + path.getFullName()
                            + " does not exist: it has expired or was rolled back. Snapshots there"
                            + " are now: "
                            + ids()
                            + ". Start the read again.");
        }
        return snapshot;
    }

    /** The newest snapshot and those below it, newest first, as far as they are there. */
    Iterable<Snapshot> line() {
        return latest().map(snapshot -> lineOf(snapshot)).orElse(List.of());
    }

    private Iterable<Snapshot> lineOf(Snapshot snapshot) {
        return SnapshotUtil.ancestorsOf(snapshot.snapshotId(), table::snapshot);
    }

    /** A snapshot and those below it, newest first, as far as they are there. */
    Iterable<Snapshot> lineFrom(long snapshotId) {
        return lineOf(get(snapshotId));
    }

    /** The first tiering snapshot of a line, of whatever table id. */
    static Optional<Tiered> firstTiered(Iterable<Snapshot> line) {
        for (Snapshot snapshot : line) {
            Optional<TieredState> state = TieredStateCodec.fromProperties(snapshot.summary());
            if (state.isPresent()) {
                return Optional.of(new Tiered(snapshot, state.get()));
            }
        }
        return Optional.empty();
    }

    /** Every tiering snapshot of a table id that is left, oldest first. */
    List<Tiered> allTiered(String tableId) {
        Deque<Tiered> found = new ArrayDeque<>();
        for (Snapshot snapshot : line()) {
            TieredStateCodec.fromProperties(snapshot.summary())
                    .filter(state -> state.tableId().equals(tableId))
                    .ifPresent(state -> found.addFirst(new Tiered(snapshot, state)));
        }
        return List.copyOf(found);
    }

    /**
     * The state that belongs to the newest snapshot.
     *
     * @throws LakeException {@code TIERED_STATE_MISSING} if there is none, {@code TABLE_NOT_FOUND}
     *     if it is that of a table that was created anew under the same name
     */
    Tiered tiered(String tableId) {
        Tiered found =
                firstTiered(line())
                        .orElseThrow(
                                () ->
                                        new LakeException(
                                                Reason.TIERED_STATE_MISSING,
                                                "table "
                                                        + path.getFullName()
                                                        + " has table id "
                                                        + tableId
                                                        + " but none of its lake snapshots ("
                                                        + ids()
                                                        + ") carries tiered offsets: they were"
                                                        + " removed. Drop and create the table"
                                                        + " again, or roll it back to a snapshot"
                                                        + " with "
                                                        + TieredStateCodec.STATE
                                                        + " in its summary."));
        if (!found.state().tableId().equals(tableId)) {
            throw new LakeException(
                    Reason.TABLE_NOT_FOUND,
                    "table "
                            + path.getFullName()
                            + " was dropped and created again: its id was "
                            + tableId
                            + " and is now "
                            + found.state().tableId()
                            + ". Restart the job without state.");
        }
        return found;
    }

    private String ids() {
        StringBuilder ids = new StringBuilder();
        for (Snapshot snapshot : line()) {
            ids.append(ids.isEmpty() ? "" : ", ").append(snapshot.snapshotId());
        }
        return ids.isEmpty() ? "none" : ids.toString();
    }

    static LakeSnapshot toLakeSnapshot(Snapshot snapshot, @Nullable TieredState state) {
        String files = snapshot.summary().get(SnapshotSummary.TOTAL_DATA_FILES_PROP);
        return new LakeSnapshot(
                snapshot.snapshotId(),
                snapshot.sequenceNumber(),
                snapshot.timestampMillis(),
                !"0".equals(files),
                state);
    }
}
