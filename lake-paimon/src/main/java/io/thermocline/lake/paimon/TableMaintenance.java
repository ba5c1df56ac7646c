package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.TieredState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.Snapshot;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.BaseAppendFileStoreWrite;
import org.apache.paimon.operation.FileStoreCommit;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.options.Options;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compaction and expiry. A compaction is a commit of its own that carries no tiered state; when it
 * conflicts with someone else's, it is given up until the next run.
 */
final class TableMaintenance {

    private static final Logger LOG = LoggerFactory.getLogger(TableMaintenance.class);

    /** Snapshots deleted in one run at most, so that a run stays short. */
    private static final int MAX_EXPIRED_SNAPSHOTS = 200;

    private static final String COMMIT_USER_PREFIX = "thermocline-compaction-";

    private final ObjectPath path;
    private final FileStoreTable table;
    private final String tableId;
    private final Snapshots snapshots;

    TableMaintenance(ObjectPath path, FileStoreTable table, String tableId) {
        this.path = path;
        this.table = table;
        this.tableId = tableId;
        this.snapshots = new Snapshots(path, table);
    }

    void run(LakeMaintenance maintenance) {
        try {
            if (table.bucketMode() == BucketMode.BUCKET_UNAWARE) {
                compactWithoutBuckets();
            } else {
                compactBuckets();
            }
            expire(maintenance);
        } catch (LakeException e) {
            throw e;
        } catch (Exception e) {
            throw new LakeException(
                    Reason.IO,
                    "maintenance of lake table "
                            + path.getFullName()
                            + " failed: "
                            + e.getMessage()
                            + ". The table is as it was; the next run tries again.",
                    e);
        }
    }

    private record Bucket(BinaryRow partition, int number) {}

    private void compactBuckets() throws Exception {
        Set<Bucket> buckets = bucketsToCompact();
        if (buckets.isEmpty()) {
            return;
        }
        FileStoreTable compacting = compacting();
        String user = COMMIT_USER_PREFIX + UUID.randomUUID();
        // Of a log table a full compaction rewrites the small files only, all of them.
        boolean full = table.primaryKeys().isEmpty();
        List<CommitMessage> messages;
        try (IOManager ioManager = IOManager.create(System.getProperty("java.io.tmpdir"));
                TableWriteImpl<?> write = compacting.newWrite(user).withIOManager(ioManager)) {
            for (Bucket bucket : buckets) {
                write.compact(bucket.partition(), bucket.number(), full);
            }
            messages = write.prepareCommit(true, BatchWriteBuilder.COMMIT_IDENTIFIER);
        }
        commit(compacting, user, messages);
    }

    /** Buckets with enough sorted runs (log table: files) for Paimon to compact them. */
    private Set<Bucket> bucketsToCompact() {
        CoreOptions options = table.coreOptions();
        boolean hasPrimaryKey = !table.primaryKeys().isEmpty();
        int trigger =
                !hasPrimaryKey
                        ? options.compactionMinFileNum()
                        : SplitReading.hidesLevelZero(table)
                                ? 1
                                : options.numSortedRunCompactionTrigger();
        Map<Bucket, Integer> files = new HashMap<>();
        for (ManifestEntry entry : table.store().newScan().plan().files()) {
            boolean small =
                    hasPrimaryKey
                            ? entry.level() == 0
                            : entry.file().fileSize() < options.compactionFileSize(false);
            if (small) {
                files.merge(new Bucket(entry.partition().copy(), entry.bucket()), 1, Integer::sum);
            }
        }
        Set<Bucket> buckets = new HashSet<>();
        files.forEach(
                (bucket, count) -> {
                    if (count >= trigger) {
                        buckets.add(bucket);
                    }
                });
        return buckets;
    }

    private void compactWithoutBuckets() throws Exception {
        FileStoreTable compacting = compacting();
        String user = COMMIT_USER_PREFIX + UUID.randomUUID();
        List<AppendCompactTask> tasks = new AppendCompactCoordinator(compacting, true).run();
        if (tasks.isEmpty()) {
            return;
        }
        List<CommitMessage> messages = new ArrayList<>();
        BaseAppendFileStoreWrite write =
                (BaseAppendFileStoreWrite) compacting.store().newWrite(user);
        try {
            for (AppendCompactTask task : tasks) {
                messages.add(task.doCompact(compacting, write));
            }
        } finally {
            write.close();
        }
        commit(compacting, user, messages);
    }

    private FileStoreTable compacting() {
        Options options = new Options();
        options.set(CoreOptions.WRITE_ONLY, false);
        return SnapshotCreation.conditional(
                table,
                options,
                previousId ->
                        snapshots.tieredFor(snapshots.find(previousId).orElse(null), tableId));
    }

    private void commit(FileStoreTable compacting, String user, List<CommitMessage> messages) {
        List<CommitMessage> changes =
                messages.stream()
                        .filter(message -> !((CommitMessageImpl) message).isEmpty())
                        .toList();
        if (changes.isEmpty()) {
            return;
        }
        ManifestCommittable committable =
                new ManifestCommittable(BatchWriteBuilder.COMMIT_IDENTIFIER);
        changes.forEach(committable::addFileCommittable);
        try (FileStoreCommit commit = compacting.store().newCommit(user, compacting)) {
            commit.commit(committable, true);
        } catch (RuntimeException e) {
            Optional<Snapshot> committed =
                    snapshots
                            .latest()
                            .flatMap(
                                    latest ->
                                            snapshots.newestAtOrBelow(
                                                    latest.id(), s -> s.commitUser().equals(user)));
            if (committed.isEmpty()) {
                LOG.warn(
                        "Compaction of lake table {} was not committed, its files are removed by the"
                                + " next removal of orphan files",
                        path.getFullName(),
                        e);
            }
        }
    }

    private void expire(LakeMaintenance maintenance) {
        Snapshot latest = snapshots.latest().orElse(null);
        Snapshots.Tiered tiered = snapshots.tieredFor(latest, tableId);
        long needed = tiered.snapshot().id();
        Long absorbed = tiered.state().absorbedSnapshotId();
        if (absorbed != null && absorbed != TieredState.THIS_SNAPSHOT) {
            // what others have committed since is still to be read
            needed = Math.min(needed, absorbed);
        }
        if (SplitReading.hidesLevelZero(table)) {
            needed = Math.min(needed, firstReadableState(latest));
        }
        for (long leased : maintenance.leasedSnapshotIds()) {
            needed = Math.min(needed, leased);
        }
        long oldestYoung = System.currentTimeMillis() - maintenance.retainMillis();
        long pinned = needed;
        Optional<Snapshot> old =
                snapshots.newestAtOrBelow(needed, s -> s.timeMillis() < oldestYoung);
        new SnapshotPin(table).moveTo(old.map(s -> Math.min(pinned, s.id() + 1)).orElse(1L));
        table.newExpireSnapshots()
                .config(
                        ExpireConfig.builder()
                                .snapshotRetainMin(1)
                                .snapshotRetainMax(Integer.MAX_VALUE)
                                .snapshotTimeRetain(Duration.ofMillis(maintenance.retainMillis()))
                                .snapshotMaxDeletes(MAX_EXPIRED_SNAPSHOTS)
                                .build())
                .expire();
    }

    /** Where the state of the newest readable snapshot is, on tables that hide new files. */
    private long firstReadableState(Snapshot latest) {
        return snapshots
                .newestAtOrBelow(latest.id(), s -> PaimonLakeTable.isReadable(table, s))
                .map(s -> snapshots.tieredFor(s, tableId).snapshot().id())
                .orElse(Snapshot.FIRST_SNAPSHOT_ID);
    }
}
