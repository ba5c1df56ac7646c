package io.thermocline.lake.iceberg;

import java.util.Optional;
import org.apache.iceberg.ManageSnapshots;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;

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
