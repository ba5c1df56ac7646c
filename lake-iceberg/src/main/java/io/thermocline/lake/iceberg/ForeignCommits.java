package io.thermocline.lake.iceberg;

import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.TieredStateCodec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.io.FileIO;

/** Snapshots of other programs that changed rows. */
final class ForeignCommits {

    /** Summary entries in which engines say who they are, the most telling first. */
    private static final List<String> COMMITTERS =
            List.of(
                    "spark.app.id",
                    "flink.job-id",
                    "trino_query_id",
                    "engine-name",
                    "iceberg-version");

    private final FileIO io;

    ForeignCommits(FileIO io) {
        this.io = io;
    }

    /**
     * Those of a line of snapshots, oldest first.
     *
     * @param line newest first
     * @param after only those above this snapshot
     */
    List<ForeignCommit> above(Iterable<Snapshot> line, long after) {
        List<ForeignCommit> found = new ArrayList<>();
        for (Snapshot snapshot : line) {
            if (snapshot.snapshotId() == after) {
                break;
            }
            of(snapshot).ifPresent(found::add);
        }
        Collections.reverse(found);
        return found;
    }

    /** What a snapshot did, if another program committed it and it changed rows. */
    Optional<ForeignCommit> of(Snapshot snapshot) {
        if (!mayBeForeignChange(snapshot) || !changesFiles(snapshot)) {
            return Optional.empty();
        }
        Map<String, String> summary = snapshot.summary();
        return Optional.of(
                new ForeignCommit(
                        snapshot.snapshotId(),
                        snapshot.sequenceNumber(),
                        snapshot.timestampMillis(),
                        "%s by %s: %s data files added, %s removed, %s delete files added"
                                .formatted(
                                        snapshot.operation(),
                                        committer(summary),
                                        count(summary, SnapshotSummary.ADDED_FILES_PROP),
                                        count(summary, SnapshotSummary.DELETED_FILES_PROP),
                                        count(summary, SnapshotSummary.ADDED_DELETE_FILES_PROP))));
    }

    private static boolean mayBeForeignChange(Snapshot snapshot) {
        return !DataOperations.REPLACE.equals(snapshot.operation())
                && !snapshot.summary().containsKey(TieringCommit.COMMIT_ID)
                && !snapshot.summary().containsKey(TieredStateCodec.STATE);
    }

    /** Engines commit empty snapshots, too. The summary may be silent, the manifests are not. */
    private boolean changesFiles(Snapshot snapshot) {
        for (ManifestFile manifest : snapshot.allManifests(io)) {
            if (Long.valueOf(snapshot.snapshotId()).equals(manifest.snapshotId())
                    && (manifest.hasAddedFiles() || manifest.hasDeletedFiles())) {
                return true;
            }
        }
        return false;
    }

    private static String committer(Map<String, String> summary) {
        return COMMITTERS.stream()
                .filter(summary::containsKey)
                .findFirst()
                .map(key -> key + " '" + summary.get(key) + "'")
                .orElse("an unnamed program");
    }

    private static String count(Map<String, String> summary, String key) {
        return summary.getOrDefault(key, "0");
    }
}
