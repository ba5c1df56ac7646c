package io.thermocline.lake.paimon;

import io.thermocline.lake.CommitAttempts;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeCommittable;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredStateCodec;
import io.thermocline.lake.local.LocalFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.Snapshot;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.operation.FileStoreCommit;
import org.apache.paimon.options.Options;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.CommitMessageSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Commits files and a tiered state in one snapshot, if the state in the lake is the expected one.
 * Every commit has a commit user of its own, so that after an unknown outcome the lake's snapshots
 * tell whether it happened.
 */
final class TieringCommit {

    /** Begins the commit user of every commit of ours. */
    static final String COMMIT_USER_PREFIX = "thermocline-";

    private static final long MAX_BACKOFF_MILLIS = 1_000;

    private final ObjectPath path;
    private final FileStoreTable table;
    private final String tableId;
    private final Snapshots snapshots;

    TieringCommit(ObjectPath path, FileStoreTable table, String tableId) {
        this.path = path;
        this.table = table;
        this.tableId = tableId;
        this.snapshots = new Snapshots(path, table);
    }

    LakeSnapshot commit(LakeCommit commit) {
        List<CommitMessage> messages = messages(commit.committables());
        return commit(previousId -> check(commit, previousId), commit.next(), messages);
    }

    LakeSnapshot commitInitial(TieredState state) {
        return commit(this::checkNoSnapshot, state, List.of());
    }

    /** Commits an empty snapshot with a state. */
    LakeSnapshot commitState(TieredState state, SnapshotCreation.Condition condition) {
        return commit(condition, state, List.of());
    }

    private LakeSnapshot commit(
            SnapshotCreation.Condition condition, TieredState next, List<CommitMessage> messages) {
        if (!next.tableId().equals(tableId)) {
            throw new IllegalArgumentException(
                    "the next state belongs to table id " + next.tableId() + ", not to " + tableId);
        }
        SnapshotCreation.checkAtomic(path, table);
        String user = COMMIT_USER_PREFIX + UUID.randomUUID();
        long base = latestId();
        return CommitAttempts.run(
                path,
                MAX_BACKOFF_MILLIS,
                new CommitAttempts.Attempt() {
                    @Override
                    public void run() {
                        condition.check(latestId());
                        tryOnce(condition, next, messages, user);
                    }

                    @Override
                    public Optional<LakeSnapshot> committed() {
                        Optional<Snapshot> committed = find(user, base);
                        committed.ifPresent(
                                snapshot -> new SnapshotPin(table).ensure(snapshot.id()));
                        return committed.map(snapshot -> Snapshots.toLakeSnapshot(snapshot, next));
                    }

                    @Override
                    public boolean isCertain(@Nullable RuntimeException failure) {
                        // whether a link was made is never unknown
                        return LocalFiles.localPath(table.location().toUri()).isPresent();
                    }

                    @Override
                    public void discard() {
                        deleteFiles(table, messages);
                    }
                });
    }

    private long latestId() {
        return snapshots.latest().map(Snapshot::id).orElse(0L);
    }

    private void tryOnce(
            SnapshotCreation.Condition condition,
            TieredState next,
            List<CommitMessage> messages,
            String user) {
        Options options = new Options();
        options.set(CoreOptions.COMMIT_MAX_RETRIES, 0);
        ManifestCommittable committable =
                new ManifestCommittable(BatchWriteBuilder.COMMIT_IDENTIFIER);
        messages.forEach(committable::addFileCommittable);
        TieredStateCodec.toProperties(next).forEach(committable::addProperty);
        FileStoreTable conditional = SnapshotCreation.conditional(table, options, condition);
        try (FileStoreCommit commit = conditional.store().newCommit(user, conditional)) {
            commit.ignoreEmptyCommit(false);
            commit.commit(committable, false);
        }
    }

    private void check(LakeCommit commit, long previousId) {
        TieredState expected = commit.expected();
        Optional<Snapshots.Tiered> found = snapshots.tieredAtOrBelow(previousId);
        Optional<TieredState> present = found.map(Snapshots.Tiered::state);
        if (!expected.tableId().equals(tableId)
                || present.isEmpty()
                || !present.get().equals(expected)) {
            throw LakeException.commitConflict(path, expected, present, null);
        }
        if (commit.knownForeign() != null) {
            checkForeign(commit, found.get().snapshot().id(), previousId);
        }
    }

    private void checkForeign(LakeCommit commit, long tieredId, long previousId) {
        for (ForeignCommit foreign :
                new ForeignCommits(path, table).between(tieredId, previousId)) {
            if (commit.isRefusedBy(foreign)) {
                throw LakeException.foreignCommit(path, foreign);
            }
        }
    }

    private void checkNoSnapshot(long previousId) {
        if (previousId >= Snapshot.FIRST_SNAPSHOT_ID) {
            throw new LakeException(
                    Reason.COMMIT_CONFLICT,
                    "lake table "
                            + path.getFullName()
                            + " was just created but has snapshot "
                            + previousId
                            + " already: another process wrote to it. Drop the table and create it"
                            + " again.");
        }
    }

    private Optional<Snapshot> find(String user, long base) {
        return snapshots.newestAtOrBelow(
                latestId(), snapshot -> snapshot.id() > base && snapshot.commitUser().equals(user));
    }

    private List<CommitMessage> messages(List<LakeCommittable> committables) {
        CommitMessageSerializer serializer = new CommitMessageSerializer();
        List<CommitMessage> messages = new ArrayList<>();
        for (LakeCommittable committable : committables) {
            try {
                messages.add(serializer.deserialize(committable.version(), committable.payload()));
            } catch (IOException e) {
                throw new LakeException(
                        Reason.IO,
                        "cannot read the committable (version "
                                + committable.version()
                                + ") of table "
                                + path.getFullName()
                                + ": "
                                + e.getMessage(),
                        e);
            }
        }
        return messages;
    }

    /** Deletes files that no snapshot refers to. */
    static void deleteFiles(FileStoreTable table, List<CommitMessage> messages) {
        if (messages.isEmpty()) {
            return;
        }
        try (FileStoreCommit commit =
                table.store().newCommit(COMMIT_USER_PREFIX + "abort", table)) {
            commit.abort(messages);
        }
        // which Paimon leaves to the removal of orphan files
        IndexFileHandler indexes = table.store().newIndexFileHandler();
        for (CommitMessage message : messages) {
            ((CommitMessageImpl) message)
                    .newFilesIncrement()
                    .newIndexFiles()
                    .forEach(
                            file ->
                                    BucketIndexes.delete(
                                            indexes, message.partition(), message.bucket(), file));
        }
    }
}
