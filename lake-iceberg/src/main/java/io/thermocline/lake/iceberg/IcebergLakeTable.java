package io.thermocline.lake.iceberg;

import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeDifference;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeFilter;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.LakeWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.util.CloseableIterator;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.util.SerializationUtil;
import org.jspecify.annotations.Nullable;

/**
 * An Iceberg table. Files are read and written with the schema and file access of the moment it was
 * loaded; whatever concerns snapshots opens the catalog.
 */
final class IcebergLakeTable implements LakeTable {

    private static final long serialVersionUID = 1L;

    private final ObjectPath path;
    private final CatalogAccess access;
    private final LakeTableDefinition definition;

    /** A serialized table has file access of its own, which outlives the catalog. */
    private final byte[] loaded;

    private transient volatile @Nullable Table files;

    IcebergLakeTable(ObjectPath path, CatalogAccess access, Table table) {
        this.path = path;
        this.access = access;
        this.definition = TableDefinitions.of(path, table);
        this.loaded = SerializationUtil.serializeToBytes(SerializableTable.copyOf(table));
    }

    private Table files() {
        Table table = files;
        if (table == null) {
            table = SerializationUtil.deserializeFromBytes(loaded);
            files = table;
        }
        return table;
    }

    private <T> T fresh(Function<Table, T> work) {
        try {
            return access.withTable(path, work);
        } catch (NoSuchTableException e) {
            throw new LakeException(
                    Reason.TABLE_NOT_FOUND,
                    "table "
                            + path.getFullName()
                            + " does not exist in the Iceberg warehouse any more: it was dropped.",
                    e);
        } catch (LakeException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot read lake table "
                            + path.getFullName()
                            + ": "
                            + e.getMessage()
                            + ". Check that the Iceberg catalog answers and that the warehouse can"
                            + " be read.",
                    e);
        }
    }

    @Override
    public LakeTableDefinition definition() {
        return definition;
    }

    @Override
    public Optional<LakeSnapshot> latestSnapshot() {
        return fresh(
                table -> {
                    Snapshots snapshots = new Snapshots(path, table);
                    if (definition.tableId().isEmpty()) {
                        return snapshots.latest().map(s -> Snapshots.toLakeSnapshot(s, null));
                    }
                    Snapshots.Tiered tiered = tiered(snapshots);
                    return snapshots.latest().map(s -> Snapshots.toLakeSnapshot(s, tiered.state()));
                });
    }

    @Override
    public Optional<LakeSnapshot> latestTieredSnapshot() {
        if (definition.tableId().isEmpty()) {
            return Optional.empty();
        }
        return fresh(
                table -> {
                    Snapshots.Tiered tiered = tiered(new Snapshots(path, table));
                    return Optional.of(Snapshots.toLakeSnapshot(tiered.snapshot(), tiered.state()));
                });
    }

    @Override
    public List<LakeSnapshot> tieredSnapshots() {
        if (definition.tableId().isEmpty()) {
            return List.of();
        }
        return fresh(
                table ->
                        new Snapshots(path, table)
                                .allTiered(definition.tableId().get()).stream()
                                        .map(t -> Snapshots.toLakeSnapshot(t.snapshot(), t.state()))
                                        .toList());
    }

    @Override
    public List<ForeignCommit> foreignCommits(long after, long through) {
        return fresh(
                table -> {
                    Snapshots snapshots = new Snapshots(path, table);
                    Snapshot start = table.snapshot(after);
                    if (start != null
                            && start.sequenceNumber() > snapshots.get(through).sequenceNumber()) {
                        throw new IllegalArgumentException(
                                "snapshot " + through + " is older than snapshot " + after);
                    }
                    return new ForeignCommits(table.io()).above(snapshots.lineFrom(through), after);
                });
    }

    @Override
    public LakeDifference difference(long from, long to) {
        return fresh(
                table -> {
                    Snapshots snapshots = new Snapshots(path, table);
                    snapshots.get(from);
                    snapshots.get(to);
                    return new SplitPlanning(table, definition).difference(from, to);
                });
    }

    @Override
    public Optional<List<LakeSplit>> appended(ForeignCommit commit) {
        return fresh(
                table -> {
                    Snapshot snapshot = new Snapshots(path, table).get(commit.snapshotId());
                    return DataOperations.APPEND.equals(snapshot.operation())
                            ? Optional.of(
                                    new SplitPlanning(table, definition).planAppended(snapshot))
                            : Optional.empty();
                });
    }

    private Snapshots.Tiered tiered(Snapshots snapshots) {
        Snapshots.Tiered tiered = snapshots.tiered(definition.tableId().orElseThrow());
        int buckets = tiered.state().buckets().size();
        if (buckets != definition.bucketCount()) {
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "the number of buckets of table "
                            + path.getFullName()
                            + " was changed from "
                            + buckets
                            + " to "
                            + definition.bucketCount()
                            + " in the lake. Buckets of a table with a hot tier are fixed: set the"
                            + " lake table's partition spec back to "
                            + buckets
                            + " buckets.");
        }
        return tiered;
    }

    @Override
    public Optional<LakeFilter> toFilter(List<ResolvedExpression> predicates) {
        return FilterConversion.convert(definition.rowType(), predicates)
                .map(IcebergLakeFilter::new);
    }

    @Override
    public List<LakeSplit> planSplits(LakeScan scan) {
        return fresh(
                table -> {
                    new Snapshots(path, table).get(scan.snapshotId());
                    return new SplitPlanning(table, definition)
                            .plan(scan.snapshotId(), expression(scan));
                });
    }

    @Override
    public CloseableIterator<RowData> read(LakeSplit split, LakeScan scan) {
        return new SplitReading(files(), definition).read(split, scan);
    }

    private static Expression expression(LakeScan scan) {
        return scan.filter() == null
                ? Expressions.alwaysTrue()
                : ((IcebergLakeFilter) scan.filter()).expression();
    }

    @Override
    public BucketFunction bucketFunction() {
        if (definition.bucketKeys().isEmpty()) {
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "table "
                            + path.getFullName()
                            + " has no bucket key, so that any bucket may take a row. Create it with"
                            + " DISTRIBUTED BY HASH(...) to place rows by key.");
        }
        return IcebergBucketFunction.of(files().schema(), definition);
    }

    @Override
    public boolean mayHoldKeysTwice() {
        return !definition.primaryKey().isEmpty();
    }

    @Override
    public boolean distinguishesNewKeys() {
        return !definition.primaryKey().isEmpty();
    }

    @Override
    public LakeWriter newWriter(String temporaryDirectory) {
        access.checkAtomic(path);
        return new IcebergLakeWriter(files(), definition);
    }

    @Override
    public LakeSnapshot commit(LakeCommit commit) {
        access.checkAtomic(path);
        return new TieringCommit(path, access, files().io(), definition).commit(commit);
    }

    @Override
    public void maintain(LakeMaintenance maintenance) {
        fresh(
                table -> {
                    new TableMaintenance(path, table, definition).run(maintenance);
                    return null;
                });
    }
}
