package io.thermocline.lake.iceberg;

import java.util.Optional;
import org.apache.iceberg.ManageSnapshots;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;

/**
 * Keeps others from expiring snapshots: the main branch says that all of its snapshots are to be
 * kept. Tiering itself names those that expire, so that the line of snapshots from the newest one
 * down to the last tiering snapshot never has a gap.
 */
final class SnapshotPin {

    private static final int ALL = Integer.MAX_VALUE;

    private SnapshotPin() {}

    static void pinAll(ManageSnapshots snapshots) {
        snapshots.setMinSnapshotsToKeep(SnapshotRef.MAIN_BRANCH, ALL).commit();
    }

    /** Leaves it to the table's properties again which snapshots expire. */
    static void release(TableOperations operations) {
        TableMetadata base = operations.current();
        SnapshotRef main = base.ref(SnapshotRef.MAIN_BRANCH);
        if (main == null || !Integer.valueOf(ALL).equals(main.minSnapshotsToKeep())) {
            return;
        }
        SnapshotRef free =
                SnapshotRef.branchBuilder(main.snapshotId())
                        .maxSnapshotAgeMs(main.maxSnapshotAgeMs())
                        .build();
        operations.commit(
                base, TableMetadata.buildFrom(base).setRef(SnapshotRef.MAIN_BRANCH, free).build());
    }

    /** Pins the snapshots of a table that others have given free. */
    static void ensure(Table table) {
        Optional<Integer> kept =
                Optional.ofNullable(table.refs().get(SnapshotRef.MAIN_BRANCH))
                        .map(SnapshotRef::minSnapshotsToKeep);
        if (!kept.equals(Optional.of(ALL))) {
            pinAll(table.manageSnapshots());
        }
    }
}
