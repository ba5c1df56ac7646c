package io.thermocline.lake.iceberg;

import io.thermocline.lake.CommitAttempts;
import io.thermocline.lake.DeleteStyle;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredStateCodec;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits files and the next tiered state in one snapshot, if the tiered state below it is the
 * expected one. Iceberg checks the condition against the snapshots that the commit is built on,
 * each time that it tries.
 */
final class TieringCommit {

    private static final Logger LOG = LoggerFactory.getLogger(TieringCommit.class);

    private static final long MAX_BACKOFF_MILLIS = 2_000;

    /**
     * How often others may change the table while the rows to delete are looked for. A round must
     * end, also beside somebody who never stops.
     */
    private static final int MAX_OVERTAKEN = 5;

    /** Tells our commit from those of others when its outcome is not known. */
    static final String COMMIT_ID = "thermocline.commit-id";

    private final ObjectPath path;
    private final CatalogAccess access;
    private final FileIO io;
    private final LakeTableDefinition definition;
    private final String tableId;

    TieringCommit(
            ObjectPath path, CatalogAccess access, FileIO io, LakeTableDefinition definition) {
        this.path = path;
        this.access = access;
        this.io = io;
        this.definition = definition;
        this.tableId = definition.tableId().orElseThrow();
    }

    LakeSnapshot commit(LakeCommit commit) {
        if (!commit.next().tableId().equals(tableId)) {
            throw new IllegalArgumentException(
                    "the next state belongs to table id "
                            + commit.next().tableId()
                            + ", not to "
                            + tableId);
        }
        Attempt attempt = new Attempt(commit);
        LakeSnapshot committed = CommitAttempts.run(path, MAX_BACKOFF_MILLIS, attempt);
        attempt.deleteReplaced();
        return committed;
    }

    /** One commit, which tells itself from those of others by an id. */
    private final class Attempt implements CommitAttempts.Attempt {

        private final LakeCommit commit;
        private final RoundFiles files;
        private final String commitId = UUID.randomUUID().toString();
        private Optional<Snapshot> made = Optional.empty();
        private int overtaken;

        private Attempt(LakeCommit commit) {
            this.commit = commit;
            this.files = RoundFiles.of(commit.committables());
        }

        @Override
        public void run() {
            try {
                made = access.withTable(path, this::commitTo);
            } catch (NoSuchTableException e) {
                throw LakeException.commitConflict(path, commit.expected(), Optional.empty(), e);
            }
        }

        private Optional<Snapshot> commitTo(Table table) {
            check(commit, new Snapshots(path, table).line());
            if (files.deletes().isEmpty() || !deletesByPosition(table)) {
                commit(update(table, files));
            } else {
                commitByPosition(table);
            }
            return find(table);
        }

        private boolean deletesByPosition(Table table) {
            if (styleOf(table) == DeleteStyle.EQUALITY) {
                return false;
            }
            if (overtaken == MAX_OVERTAKEN) {
                LOG.warn(
                        "Lake table {} was changed by others {} times while the rows to delete"
                                + " were looked for: they are deleted by key in this round",
                        path.getFullName(),
                        overtaken);
                return false;
            }
            return true;
        }

        private PositionDeletes.Found search(Table table) {
            try {
                return new PositionDeletes(path, table, PositionDeletes.MAX_KEY_BYTES)
                        .of(files.deletes());
            } catch (LakeException e) {
                // nothing was committed, that is certain
                throw new CommitFailedException(e, "%s", e.getMessage());
            }
        }

        private void commitByPosition(Table table) {
            PositionDeletes.Found found = search(table);
            if (found.isEmpty() && files.data().isEmpty()) {
                commit(table.newAppend());
                return;
            }
            RowDelta delta = table.newRowDelta();
            files.data().forEach(delta::addRows);
            found.addTo(delta);
            try {
                commit(delta);
            } catch (ValidationException | IllegalArgumentException e) {
                overtaken++;
                TableFiles.delete(io, found.written());
                throw new CommitFailedException(
                        e,
                        "The rows to delete were looked for in snapshot %s, and others have"
                                + " changed the table since: %s",
                        found.snapshotId(),
                        e.getMessage());
            } catch (CommitFailedException | LakeException e) {
                TableFiles.delete(io, found.written());
                throw e;
            }
        }

        private void commit(SnapshotUpdate<?> update) {
            TieredStateCodec.toProperties(commit.next()).forEach(update::set);
            update.set(COMMIT_ID, commitId);
            update.validateWith(
                    line -> {
                        check(commit, line);
                        return true;
                    });
            update.commit();
        }

        /** Deletes by key were nothing but a list of keys if the commit has none of them. */
        private void deleteReplaced() {
            boolean replaced =
                    made.map(Snapshot::summary)
                            .filter(s -> !s.containsKey(SnapshotSummary.ADDED_EQ_DELETES_PROP))
                            .isPresent();
            if (replaced) {
                TableFiles.delete(io, files.deletes());
            }
        }

        private Optional<Snapshot> find(Table table) {
            for (Snapshot snapshot : new Snapshots(path, table).line()) {
                if (commitId.equals(snapshot.summary().get(COMMIT_ID))) {
                    return Optional.of(snapshot);
                }
            }
            return Optional.empty();
        }

        @Override
        public Optional<LakeSnapshot> committed() {
            if (made.isEmpty()) {
                made = findAnew();
            }
            return made.map(snapshot -> Snapshots.toLakeSnapshot(snapshot, commit.next()));
        }

        private Optional<Snapshot> findAnew() {
            try {
                return access.withTable(path, this::find);
            } catch (NoSuchTableException e) {
                return Optional.empty();
            } catch (RuntimeException e) {
                throw new LakeException(
                        Reason.IO,
                        "cannot read lake table "
                                + path.getFullName()
                                + " to see whether the commit happened: "
                                + e.getMessage()
                                + ". Its files are kept; the next round starts from what the lake"
                                + " has then.",
                        e);
            }
        }

        @Override
        public boolean isCertain(@Nullable RuntimeException failure) {
            return failure == null || failure instanceof CommitFailedException;
        }

        @Override
        public void discard() {
            TableFiles.delete(io, files.all());
        }
    }

    static DeleteStyle styleOf(Table table) {
        return DeleteStyle.of(
                table.properties().get(LakeTableDefinition.OPTION_PREFIX + DeleteStyle.OPTION));
    }

    /** Without deletes it is an append, which is what readers of changes by snapshot understand. */
    private static SnapshotUpdate<?> update(Table table, RoundFiles files) {
        if (files.deletes().isEmpty()) {
            AppendFiles append = table.newAppend();
            files.data().forEach(append::appendFile);
            return append;
        }
        RowDelta delta = table.newRowDelta();
        files.data().forEach(delta::addRows);
        files.deletes().forEach(delta::addDeletes);
        return delta;
    }

    private void check(LakeCommit commit, Iterable<Snapshot> line) {
        TieredState expected = commit.expected();
        Optional<Snapshots.Tiered> found = Snapshots.firstTiered(line);
        Optional<TieredState> present = found.map(Snapshots.Tiered::state);
        if (!expected.tableId().equals(tableId) || !present.equals(Optional.of(expected))) {
            throw LakeException.commitConflict(path, expected, present, null);
        }
        if (commit.knownForeign() != null) {
            long tieredId = found.orElseThrow().snapshot().snapshotId();
            for (ForeignCommit foreign : new ForeignCommits(io).above(line, tieredId)) {
                if (commit.isRefusedBy(foreign)) {
                    throw LakeException.foreignCommit(path, foreign);
                }
            }
        }
    }
}
