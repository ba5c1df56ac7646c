package io.thermocline.lake.iceberg;

import io.thermocline.lake.Attachment;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeAttachments;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredStateCodec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/** Hot tiers for Iceberg tables that exist. */
final class IcebergAttachments implements LakeAttachments {

    private static final String BUCKET = "bucket";

    private final CatalogAccess access;

    IcebergAttachments(CatalogAccess access) {
        this.access = access;
    }

    @Override
    public void checkAttachable(ObjectPath path) {
        access.checkAtomic(path);
        with(
                path,
                table -> {
                    new AttachRules(path, table).check();
                    return null;
                });
    }

    @Override
    public void move(
            ObjectPath path, Attachment from, Attachment to, Map<String, String> hotOptions) {
        with(
                path,
                table -> {
                    TableOperations operations = ((HasTableOperations) table).operations();
                    TableMetadata base = operations.current();
                    check(path, from, attachment(base.properties()));
                    operations.commit(
                            base, base.replaceProperties(moved(path, table, to, hotOptions)));
                    return null;
                });
    }

    private static Map<String, String> moved(
            ObjectPath path, Table table, Attachment to, Map<String, String> hotOptions) {
        Map<String, String> added = new HashMap<>(hotOptions);
        int buckets = Integer.parseInt(added.getOrDefault(BUCKET, "1"));
        added.remove(BUCKET);
        Optional<Declaration> declaration = TableDefinitions.declaration(path, table);
        // What only CREATE TABLE can have said would be lost for ever.
        boolean keeps =
                to.state() != Attachment.State.DETACHED
                        || declaration.filter(IcebergAttachments::saysMore).isPresent();
        Map<String, String> moved =
                to.moved(
                        table.properties(), added, keeps ? Set.of(Declaration.PROPERTY) : Set.of());
        if (to.state() == Attachment.State.ATTACHING) {
            moved.put(Declaration.PROPERTY, declared(path, table, declaration, buckets).toJson());
        }
        return moved;
    }

    private static boolean saysMore(Declaration declaration) {
        return !declaration.types().isEmpty()
                || !declaration.computedColumns().isEmpty()
                || !declaration.watermarks().isEmpty();
    }

    /** Without a bucket field a primary-key table has one bucket, which holds whatever there is. */
    private static Declaration declared(
            ObjectPath path, Table table, Optional<Declaration> before, int buckets) {
        LakeTableDefinition definition = TableDefinitions.of(path, table);
        boolean hasField = table.spec().fields().stream().anyMatch(TableDefinitions::isBucket);
        List<String> keys =
                hasField
                        ? definition.bucketKeys()
                        : definition.primaryKey().stream()
                                .filter(column -> !definition.partitionKeys().contains(column))
                                .toList();
        int count = hasField ? definition.bucketCount() : keys.isEmpty() ? buckets : 1;
        return new Declaration(
                Declaration.VERSION,
                before.map(Declaration::types).orElse(Map.of()),
                definition.primaryKey(),
                keys,
                count,
                before.map(Declaration::computedColumns).orElse(List.of()),
                before.map(Declaration::watermarks).orElse(List.of()));
    }

    @Override
    public LakeSnapshot commitFirstState(ObjectPath path, Attachment attaching, TieredState state) {
        return with(
                path,
                table -> {
                    check(path, attaching, attachment(table.properties()));
                    boolean keyed = !TableDefinitions.of(path, table).primaryKey().isEmpty();
                    String commitId = UUID.randomUUID().toString();
                    AppendFiles append = table.newFastAppend();
                    TieredStateCodec.toProperties(state).forEach(append::set);
                    append.set(TieringCommit.COMMIT_ID, commitId);
                    append.validateWith(
                            line -> {
                                if (keyed) {
                                    checkUnchanged(path, table, attaching, line);
                                }
                                return true;
                            });
                    append.commit();
                    SnapshotPin.ensure(table);
                    for (Snapshot snapshot : new Snapshots(path, table).line()) {
                        if (commitId.equals(snapshot.summary().get(TieringCommit.COMMIT_ID))) {
                            return Snapshots.toLakeSnapshot(snapshot, state);
                        }
                    }
                    throw new LakeException(
                            Reason.COMMIT_CONFLICT,
                            "the first snapshot of the hot tier of "
                                    + path.getFullName()
                                    + " was rolled back at once. Run the statement again.");
                });
    }

    private static void checkUnchanged(
            ObjectPath path, Table table, Attachment attaching, Iterable<Snapshot> line) {
        ForeignCommits commits = new ForeignCommits(table.io());
        for (Snapshot snapshot : line) {
            if (snapshot.snapshotId() == attaching.snapshotId()) {
                return;
            }
            Optional<ForeignCommit> foreign = commits.of(snapshot);
            if (foreign.isPresent()) {
                throw changed(path, attaching, "got " + foreign.get());
            }
        }
        if (attaching.snapshotId() != Attachment.NO_SNAPSHOT) {
            throw changed(path, attaching, "was rolled back or has expired snapshots");
        }
    }

    private static LakeException changed(ObjectPath path, Attachment attaching, String what) {
        return new LakeException(
                Reason.COMMIT_CONFLICT,
                "lake table "
                        + path.getFullName()
                        + " "
                        + what
                        + " while its rows of snapshot "
                        + attaching.snapshotId()
                        + " were taken over. Stop the jobs that write to the lake table, then run the"
                        + " statement again.");
    }

    @Override
    public void releaseSnapshots(ObjectPath path) {
        with(
                path,
                table -> {
                    SnapshotPin.release(((HasTableOperations) table).operations());
                    return null;
                });
    }

    private static Attachment attachment(Map<String, String> properties) {
        Map<String, String> hot = new HashMap<>();
        properties.forEach(
                (key, value) -> {
                    if (key.startsWith(LakeTableDefinition.OPTION_PREFIX)) {
                        hot.put(key.substring(LakeTableDefinition.OPTION_PREFIX.length()), value);
                    }
                });
        return Attachment.of(hot);
    }

    private static void check(ObjectPath path, Attachment expected, Attachment present) {
        if (!expected.equals(present)) {
            throw LakeException.attachmentConflict(path, expected, present);
        }
    }

    private <T> T with(ObjectPath path, Function<Table, T> work) {
        try {
            return access.withTable(path, work);
        } catch (NoSuchTableException e) {
            throw new LakeException(
                    Reason.TABLE_NOT_FOUND,
                    "table " + path.getFullName() + " does not exist in the Iceberg warehouse",
                    e);
        } catch (CommitFailedException e) {
            throw new LakeException(
                    Reason.IO,
                    "lake table "
                            + path.getFullName()
                            + " was changed by another program at the same moment: "
                            + e.getMessage()
                            + ". Run the statement again.",
                    e);
        } catch (LakeException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot change the hot tier of lake table "
                            + path.getFullName()
                            + ": "
                            + e.getMessage()
                            + ". Run the statement again once the Iceberg catalog answers.",
                    e);
        }
    }
}
