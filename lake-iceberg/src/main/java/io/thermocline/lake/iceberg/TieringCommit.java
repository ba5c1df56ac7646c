package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredStateCodec;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;
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

    /** Attempts beside those of Iceberg itself, each on the table loaded anew. */
    private static final int MAX_ATTEMPTS = 20;

    private static final long MAX_BACKOFF_MILLIS = 2_000;

    /** Tells our commit from those of others when its outcome is not known. */
    private static final String COMMIT_ID = "thermocline.commit-id";

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
        RoundFiles files = RoundFiles.of(commit.committables());
        String commitId = UUID.randomUUID().toString();
        boolean uncertain = false;
        for (int attempt = 1; ; attempt++) {
            RuntimeException failure = null;
            try {
                access.withTable(path, table -> tryOnce(table, commit, files, commitId));
            } catch (NoSuchTableException e) {
                failure = conflict(commit.expected(), Optional.empty(), e);
            } catch (RuntimeException e) {
                failure = e;
            }
            uncertain |= failure != null && !isCertain(failure);
            Optional<Snapshot> committed = find(commitId);
            if (committed.isPresent()) {
                return Snapshots.toLakeSnapshot(committed.get(), commit.next());
            }
            LakeException conflict = conflictIn(failure);
            if (conflict != null) {
                TableFiles.delete(io, files.all());
                throw conflict;
            }
            if (attempt == MAX_ATTEMPTS) {
                throw giveUp(files, failure, uncertain);
            }
            LOG.info(
                    "Commit to lake table {} did not get through (attempt {}), trying again",
                    path.getFullName(),
                    attempt,
                    failure);
            backOff(attempt);
        }
    }

    private @Nullable Void tryOnce(
            Table table, LakeCommit commit, RoundFiles files, String commitId) {
        check(commit.expected(), new Snapshots(path, table).line());
        SnapshotUpdate<?> update = update(table, files);
        TieredStateCodec.toProperties(commit.next()).forEach(update::set);
        update.set(COMMIT_ID, commitId);
        update.validateWith(
                line -> {
                    check(commit.expected(), line);
                    return true;
                });
        update.commit();
        return null;
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

    private void check(TieredState expected, Iterable<Snapshot> line) {
        Optional<Snapshots.Tiered> found = Snapshots.firstTiered(line);
        Optional<TieredState> present = found.map(Snapshots.Tiered::state);
        if (!expected.tableId().equals(tableId) || !present.equals(Optional.of(expected))) {
            throw conflict(expected, present, null);
        }
        reportForeignChanges(line, found.orElseThrow().snapshot());
    }

    private LakeException conflict(
            TieredState expected, Optional<TieredState> present, @Nullable Exception cause) {
        return new LakeException(
                Reason.COMMIT_CONFLICT,
                "cannot commit to lake table "
                        + path.getFullName()
                        + ": the commit was prepared from "
                        + expected
                        + " but the lake has "
                        + present.map(TieredState::toString).orElse("no tiered state")
                        + ". Another process tiers this table, or it was dropped and created again."
                        + " Nothing was committed; the next round starts from what the lake has.",
                cause);
    }

    /** Rows of a primary-key table that others change are not known to the hot tier. */
    private void reportForeignChanges(Iterable<Snapshot> line, Snapshot tiered) {
        if (definition.primaryKey().isEmpty()) {
            return;
        }
        for (Snapshot snapshot : line) {
            if (snapshot.snapshotId() == tiered.snapshotId()) {
                return;
            }
            if (isForeignChange(snapshot)) {
                LOG.warn(
                        "Snapshot {} ({}) of lake table {} was not committed by tiering. Lookups and"
                                + " the changelog do not know of its changes; a key that it added and"
                                + " that is inserted into the table as well is in the lake twice."
                                + " Write to the table itself instead.",
                        snapshot.snapshotId(),
                        snapshot.operation(),
                        path.getFullName());
            }
        }
    }

    /** Whether a snapshot was committed by another program and changed rows. */
    static boolean isForeignChange(Snapshot snapshot) {
        return !DataOperations.REPLACE.equals(snapshot.operation())
                && !snapshot.summary().containsKey(COMMIT_ID)
                && !snapshot.summary().containsKey(TieredStateCodec.STATE);
    }

    private Optional<Snapshot> find(String commitId) {
        try {
            return access.withTable(
                    path,
                    table -> {
                        for (Snapshot snapshot : new Snapshots(path, table).line()) {
                            if (commitId.equals(snapshot.summary().get(COMMIT_ID))) {
                                return Optional.of(snapshot);
                            }
                        }
                        return Optional.empty();
                    });
        } catch (NoSuchTableException e) {
            return Optional.empty();
        } catch (RuntimeException e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot read lake table "
                            + path.getFullName()
                            + " to see whether the commit happened: "
                            + e.getMessage()
                            + ". Its files are kept; the next round starts from what the lake has"
                            + " then.",
                    e);
        }
    }

    /** Whether a failure says for certain that nothing was committed. */
    private boolean isCertain(RuntimeException failure) {
        return failure instanceof CommitFailedException || conflictIn(failure) != null;
    }

    private static @Nullable LakeException conflictIn(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LakeException lake && lake.reason() == Reason.COMMIT_CONFLICT) {
                return lake;
            }
        }
        return null;
    }

    private LakeException giveUp(
            RoundFiles files, @Nullable RuntimeException failure, boolean uncertain) {
        if (!uncertain) {
            TableFiles.delete(io, files.all());
        }
        return new LakeException(
                Reason.IO,
                "commit to lake table "
                        + path.getFullName()
                        + " failed "
                        + MAX_ATTEMPTS
                        + " times"
                        + (failure == null ? "" : ", at last with: " + failure.getMessage())
                        + ". "
                        + (uncertain
                                ? "Its outcome is not certain, so its files are kept; the next round"
                                        + " starts from what the lake has then."
                                : "Nothing was committed; the next round tries again."),
                failure);
    }

    private static void backOff(int attempt) {
        long limit = Math.min(MAX_BACKOFF_MILLIS, 10L << Math.min(attempt, 10));
        LockSupport.parkNanos(
                TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(1, limit + 1)));
    }
}
