package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredStateCodec;
import java.io.FileNotFoundException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.SnapshotManager;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots of a table and the tiered states in them. Other writers commit snapshots of their
 * own between those of tiering; a state is valid until the next tiering snapshot.
 */
final class Snapshots {

    private final ObjectPath path;
    private final SnapshotManager manager;

    Snapshots(ObjectPath path, FileStoreTable table) {
        this.path = path;
        this.manager = table.snapshotManager();
    }

    /** A tiering snapshot and what it says. */
    record Tiered(Snapshot snapshot, TieredState state) {}

    Optional<Snapshot> latest() {
        return Optional.ofNullable(manager.latestSnapshot());
    }

    Optional<Snapshot> find(long id) {
        try {
            return Optional.of(manager.tryGetSnapshot(id));
        } catch (FileNotFoundException e) {
            return Optional.empty();
        }
    }

    Snapshot get(long id) {
        return find(id).orElseThrow(
                        () ->
                                new LakeException(
                                        Reason.SNAPSHOT_NOT_FOUND,
                                        "lake snapshot "
                                                + id
                                                + " of table "
                                                + path.getFullName()
                                                + " does not exist: it has expired or was rolled"
                                                + " back. Snapshots there are now: "
                                                + range()
                                                + ". Start the read again."));
    }

    /** First snapshot at or below an id, going down, that fits. */
    Optional<Snapshot> newestAtOrBelow(long id, Predicate<Snapshot> condition) {
        for (long candidate = id; candidate >= Snapshot.FIRST_SNAPSHOT_ID; candidate--) {
            Optional<Snapshot> snapshot = find(candidate);
            if (snapshot.isEmpty()) {
                return Optional.empty();
            }
            if (condition.test(snapshot.get())) {
                return snapshot;
            }
        }
        return Optional.empty();
    }

    /** The newest tiering snapshot at or below an id, of whatever table id. */
    Optional<Tiered> tieredAtOrBelow(long id) {
        return newestAtOrBelow(id, snapshot -> state(snapshot).isPresent())
                .map(snapshot -> new Tiered(snapshot, state(snapshot).orElseThrow()));
    }

    /** Every tiering snapshot of a table id that is left, oldest first. */
    List<Tiered> allTiered(String tableId) {
        Deque<Tiered> found = new ArrayDeque<>();
        long id = latest().map(Snapshot::id).orElse(0L);
        for (Optional<Snapshot> snapshot = find(id); snapshot.isPresent(); snapshot = find(--id)) {
            Snapshot candidate = snapshot.get();
            state(candidate)
                    .filter(state -> state.tableId().equals(tableId))
                    .ifPresent(state -> found.addFirst(new Tiered(candidate, state)));
        }
        return List.copyOf(found);
    }

    /**
     * The state that belongs to a snapshot.
     *
     * @throws LakeException {@code TIERED_STATE_MISSING} if there is none, {@code TABLE_NOT_FOUND}
     *     if it is that of a table that was created anew under the same name
     */
    Tiered tieredFor(@Nullable Snapshot snapshot, String tableId) {
        Optional<Tiered> tiered =
                snapshot == null ? Optional.empty() : tieredAtOrBelow(snapshot.id());
        Tiered found =
                tiered.orElseThrow(
                        () ->
                                new LakeException(
                                        Reason.TIERED_STATE_MISSING,
                                        "table "
                                                + path.getFullName()
                                                + " has table id "
                                                + tableId
                                                + " but none of its lake snapshots ("
                                                + range()
                                                + ") carries tiered offsets: its creation did not"
                                                + " finish, or the snapshots were removed. Drop and"
                                                + " create the table again, or roll it back to a"
                                                + " snapshot with the property "
                                                + TieredStateCodec.STATE
                                                + "."));
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

    private String range() {
        Long earliest = manager.earliestSnapshotId();
        Long latest = manager.latestSnapshotId();
        return earliest == null || latest == null ? "none" : earliest + " to " + latest;
    }

    /** The tiered state that a snapshot itself carries. */
    static Optional<TieredState> state(Snapshot snapshot) {
        Map<String, String> properties = snapshot.properties();
        return properties == null ? Optional.empty() : TieredStateCodec.fromProperties(properties);
    }

    static LakeSnapshot toLakeSnapshot(Snapshot snapshot, @Nullable TieredState state) {
        Long records = snapshot.totalRecordCount();
        return new LakeSnapshot(
                snapshot.id(),
                snapshot.id(),
                snapshot.timeMillis(),
                records == null || records != 0,
                state);
    }
}
