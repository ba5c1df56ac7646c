package io.thermocline.lake;

import java.util.Set;

/**
 * Bounds of a maintenance run.
 *
 * @param retainMillis snapshots younger than this are kept
 * @param leasedSnapshotIds snapshots that readers hold; these and later ones are kept
 */
public record LakeMaintenance(long retainMillis, Set<Long> leasedSnapshotIds) {

    public LakeMaintenance {
        leasedSnapshotIds = Set.copyOf(leasedSnapshotIds);
    }
}
