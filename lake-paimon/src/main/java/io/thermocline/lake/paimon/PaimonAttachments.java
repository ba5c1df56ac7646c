package io.thermocline.lake.paimon;

import io.thermocline.lake.Attachment;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeAttachments;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;

/** Hot tiers for Paimon tables that exist. */
final class PaimonAttachments implements LakeAttachments {

    private final Catalog paimon;
    private final Options catalogOptions;
    private final Optional<Path> localWarehouse;
    private final Function<ObjectPath, FileStoreTable> tables;

    /**
     * @param paimon the catalog
     * @param catalogOptions its options
     * @param localWarehouse directory of a warehouse on a local file system
     * @param tables loads a table as it is now
     */
    PaimonAttachments(
            Catalog paimon,
            Options catalogOptions,
            Optional<Path> localWarehouse,
            Function<ObjectPath, FileStoreTable> tables) {
        this.paimon = paimon;
        this.catalogOptions = catalogOptions;
        this.localWarehouse = localWarehouse;
        this.tables = tables;
    }

    @Override
    public void checkAttachable(ObjectPath path) {
        FileStoreTable table = tables.apply(path);
        SnapshotCreation.checkAtomic(path, table);
        new AttachRules(path, table, catalogOptions).check();
    }

    @Override
    public void move(
            ObjectPath path, Attachment from, Attachment to, Map<String, String> hotOptions) {
        try (Lock lock = lock()) {
            Map<String, String> present = tables.apply(path).schema().options();
            check(path, from, attachment(present));
            Map<String, String> moved = to.moved(present, hotOptions, Set.of());
            List<SchemaChange> changes = new ArrayList<>();
            moved.forEach(
                    (key, value) -> {
                        if (!value.equals(present.get(key))) {
                            changes.add(SchemaChange.setOption(key, value));
                        }
                    });
            present.keySet().stream()
                    .filter(key -> !moved.containsKey(key))
                    .forEach(key -> changes.add(SchemaChange.removeOption(key)));
            paimon.alterTable(
                    Identifier.create(path.getDatabaseName(), path.getObjectName()),
                    changes,
                    false);
        } catch (Catalog.TableNotExistException e) {
            throw new LakeException(
                    Reason.TABLE_NOT_FOUND,
                    "table " + path.getFullName() + " does not exist in the Paimon warehouse",
                    e);
        } catch (Catalog.ColumnAlreadyExistException | Catalog.ColumnNotExistException e) {
            throw new IllegalStateException("no column is changed", e);
        }
    }

    @Override
    public LakeSnapshot commitFirstState(ObjectPath path, Attachment attaching, TieredState state) {
        FileStoreTable table = tables.apply(path);
        return new TieringCommit(path, table, attaching.tableId())
                .commitState(
                        state,
                        previousId -> {
                            check(
                                    path,
                                    attaching,
                                    attachment(tables.apply(path).schema().options()));
                            if (!table.primaryKeys().isEmpty()) {
                                checkUnchanged(path, table, attaching, previousId);
                            }
                        });
    }

    private static void checkUnchanged(
            ObjectPath path, FileStoreTable table, Attachment attaching, long previousId) {
        Snapshots snapshots = new Snapshots(path, table);
        ForeignCommits commits = new ForeignCommits(path, table);
        long base = Math.max(attaching.snapshotId(), 0);
        if (previousId < base) {
            throw changed(path, base, "was rolled back to snapshot " + previousId);
        }
        for (long id = base + 1; id <= previousId; id++) {
            Optional<Snapshot> snapshot = snapshots.find(id);
            if (snapshot.isEmpty()) {
                throw changed(path, base, "has lost snapshot " + id + " to expiry");
            }
            Optional<ForeignCommit> foreign = commits.of(snapshot.get());
            if (foreign.isPresent()) {
                throw changed(path, base, "got " + foreign.get());
            }
        }
    }

    private static LakeException changed(ObjectPath path, long base, String what) {
        return new LakeException(
                Reason.COMMIT_CONFLICT,
                "lake table "
                        + path.getFullName()
                        + " "
                        + what
                        + " while its rows of snapshot "
                        + base
                        + " were taken over. Stop the jobs that write to the lake table, then run the"
                        + " statement again.");
    }

    @Override
    public void releaseSnapshots(ObjectPath path) {
        new SnapshotPin(tables.apply(path)).remove();
    }

    private static Attachment attachment(Map<String, String> options) {
        Map<String, String> hot = new HashMap<>();
        options.forEach(
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

    private Lock lock() {
        return CreationLock.acquire(localWarehouse).<Lock>map(held -> held::close).orElse(() -> {});
    }

    private interface Lock extends AutoCloseable {
        @Override
        void close();
    }
}
