package io.thermocline.lake.paimon;

import io.thermocline.lake.ForeignCommit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.paimon.Snapshot;
import org.apache.paimon.manifest.ManifestFileMeta;
import org.apache.paimon.manifest.ManifestList;
import org.apache.paimon.table.FileStoreTable;

/** Snapshots of other programs that changed rows. */
final class ForeignCommits {

    private final Snapshots snapshots;
    private final ManifestList manifests;

    ForeignCommits(ObjectPath path, FileStoreTable table) {
        this.snapshots = new Snapshots(path, table);
        this.manifests = table.store().manifestListFactory().create();
    }

    /**
     * Those above one snapshot and up to another, itself included, oldest first. One that is gone
     * may have changed rows.
     */
    List<ForeignCommit> between(long after, long through) {
        if (after > through) {
            throw new IllegalArgumentException(
                    "snapshot " + through + " is older than snapshot " + after);
        }
        List<ForeignCommit> found = new ArrayList<>();
        for (long id = after + 1; id <= through; id++) {
            find(id).ifPresent(found::add);
        }
        return found;
    }

    private Optional<ForeignCommit> find(long id) {
        Optional<Snapshot> snapshot = snapshots.find(id);
        return snapshot.isEmpty()
                ? Optional.of(
                        new ForeignCommit(id, id, -1, "expired, so that nobody knows what it did"))
                : of(snapshot.get());
    }

    /** What a snapshot did, if another program committed it and it changed rows. */
    Optional<ForeignCommit> of(Snapshot snapshot) {
        if (!mayBeForeignChange(snapshot)) {
            return Optional.empty();
        }
        long added = 0;
        long removed = 0;
        for (ManifestFileMeta manifest : manifests.readDeltaManifests(snapshot)) {
            added += manifest.numAddedFiles();
            removed += manifest.numDeletedFiles();
        }
        if (added + removed == 0) {
            return Optional.empty();
        }
        return Optional.of(
                new ForeignCommit(
                        snapshot.id(),
                        snapshot.id(),
                        snapshot.timeMillis(),
                        "%s by '%s': %d files added, %d removed"
                                .formatted(
                                        snapshot.commitKind(),
                                        snapshot.commitUser(),
                                        added,
                                        removed)));
    }

    private static boolean mayBeForeignChange(Snapshot snapshot) {
        return snapshot.commitKind() != Snapshot.CommitKind.COMPACT
                && snapshot.commitKind() != Snapshot.CommitKind.ANALYZE
                && !snapshot.commitUser().startsWith(TieringCommit.COMMIT_USER_PREFIX);
    }
}
