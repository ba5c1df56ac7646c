package io.thermocline.lake.paimon;

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
import io.thermocline.lake.TieredState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.util.CloseableIterator;
import org.apache.paimon.Snapshot;
import org.apache.paimon.flink.LogicalTypeConversion;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/** A Paimon table. */
final class PaimonLakeTable implements LakeTable {

    private static final long serialVersionUID = 1L;

    private final ObjectPath path;
    private final FileStoreTable table;
    private final LakeTableDefinition definition;

    PaimonLakeTable(ObjectPath path, FileStoreTable table) {
        this.path = path;
        this.table = table;
        this.definition = definition(path, table);
    }

    private static LakeTableDefinition definition(ObjectPath path, FileStoreTable table) {
        Map<String, String> hotOptions = new HashMap<>();
        table.schema()
                .options()
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(LakeTableDefinition.OPTION_PREFIX)
                                    && !key.equals(TableCreation.BUCKET_OPTION)) {
                                hotOptions.put(
                                        key.substring(LakeTableDefinition.OPTION_PREFIX.length()),
                                        value);
                            }
                        });
        boolean fixedBuckets = table.bucketMode() == BucketMode.HASH_FIXED;
        // The lake's own placing of keys is nothing to the hot tier, which has one bucket then.
        boolean placed = fixedBuckets || table.bucketMode() == BucketMode.HASH_DYNAMIC;
        return new LakeTableDefinition(
                path,
                Math.toIntExact(table.schema().id()),
                LogicalTypeConversion.toLogicalType(table.rowType()),
                table.primaryKeys(),
                table.partitionKeys(),
                placed ? table.schema().bucketKeys() : List.of(),
                fixedBuckets
                        ? table.coreOptions().bucket()
                        : Integer.parseInt(
                                table.schema()
                                        .options()
                                        .getOrDefault(TableCreation.BUCKET_OPTION, "1")),
                hotOptions);
    }

    @Override
    public LakeTableDefinition definition() {
        return definition;
    }

    @Override
    public Optional<LakeSnapshot> latestSnapshot() {
        Snapshots snapshots = new Snapshots(path, table);
        Optional<Snapshot> latest = snapshots.latest();
        if (definition.tableId().isEmpty()) {
            return latest.map(snapshot -> Snapshots.toLakeSnapshot(snapshot, null));
        }
        if (latest.isPresent() && SplitReading.hidesLevelZero(table)) {
            latest = snapshots.newestAtOrBelow(latest.get().id(), s -> isReadable(table, s));
        }
        Snapshots.Tiered tiered = tieredFor(snapshots, latest.orElse(null));
        return Optional.of(Snapshots.toLakeSnapshot(latest.orElseThrow(), tiered.state()));
    }

    @Override
    public Optional<LakeSnapshot> latestTieredSnapshot() {
        if (definition.tableId().isEmpty()) {
            return Optional.empty();
        }
        Snapshots snapshots = new Snapshots(path, table);
        Snapshots.Tiered tiered = tieredFor(snapshots, snapshots.latest().orElse(null));
        return Optional.of(Snapshots.toLakeSnapshot(tiered.snapshot(), tiered.state()));
    }

    @Override
    public List<LakeSnapshot> tieredSnapshots() {
        if (definition.tableId().isEmpty()) {
            return List.of();
        }
        return new Snapshots(path, table)
                .allTiered(definition.tableId().get()).stream()
                        .map(t -> Snapshots.toLakeSnapshot(t.snapshot(), t.state()))
                        .toList();
    }

    @Override
    public List<ForeignCommit> foreignCommits(long after, long through) {
        return new ForeignCommits(path, table).between(after, through);
    }

    @Override
    public LakeDifference difference(long from, long to) {
        Snapshots snapshots = new Snapshots(path, table);
        return new SplitReading(path, table).difference(snapshots.get(from), snapshots.get(to));
    }

    @Override
    public Optional<List<LakeSplit>> appended(ForeignCommit commit) {
        Snapshot snapshot = new Snapshots(path, table).get(commit.snapshotId());
        return snapshot.commitKind() == Snapshot.CommitKind.APPEND
                ? Optional.of(new SplitReading(path, table).planAppended(snapshot))
                : Optional.empty();
    }

    private Snapshots.Tiered tieredFor(Snapshots snapshots, @Nullable Snapshot snapshot) {
        Snapshots.Tiered tiered = snapshots.tieredFor(snapshot, definition.tableId().orElseThrow());
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
                            + " lake table's option 'bucket' back to "
                            + buckets
                            + ".");
        }
        return tiered;
    }

    /** Whether no row of a snapshot is in a file that readers pass over. */
    static boolean isReadable(FileStoreTable table, Snapshot snapshot) {
        return table.store()
                .newScan()
                .withSnapshot(snapshot)
                .withLevelFilter(level -> level == 0)
                .plan()
                .files()
                .isEmpty();
    }

    @Override
    public Optional<LakeFilter> toFilter(List<ResolvedExpression> predicates) {
        return FilterConversion.convert(definition.rowType(), predicates)
                .map(PaimonLakeFilter::new);
    }

    @Override
    public List<LakeSplit> planSplits(LakeScan scan) {
        Snapshot snapshot = new Snapshots(path, table).get(scan.snapshotId());
        return new SplitReading(path, table).plan(snapshot, predicate(scan));
    }

    @Override
    public CloseableIterator<RowData> read(LakeSplit split, LakeScan scan) {
        return new SplitReading(path, table).read(split, scan, predicate(scan));
    }

    private static @Nullable Predicate predicate(LakeScan scan) {
        return scan.filter() == null ? null : ((PaimonLakeFilter) scan.filter()).predicate();
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
        return table.bucketMode() == BucketMode.HASH_DYNAMIC
                ? key -> 0
                : new PaimonBucketFunction(table.schema());
    }

    @Override
    public boolean mayHoldKeysTwice() {
        // in a bucket, writers that begin at the same time give the same sequence numbers
        return !definition.primaryKey().isEmpty();
    }

    @Override
    public List<LakeSplit> writtenByOthers(long after, long through) {
        Snapshots snapshots = new Snapshots(path, table);
        return foreignCommits(after, through).stream()
                .flatMap(commit -> snapshots.find(commit.snapshotId()).stream())
                .flatMap(snapshot -> new SplitReading(path, table).planAppended(snapshot).stream())
                .toList();
    }

    @Override
    public LakeWriter newWriter(String temporaryDirectory) {
        return new PaimonLakeWriter(path, table, temporaryDirectory);
    }

    @Override
    public LakeSnapshot commit(LakeCommit commit) {
        return new TieringCommit(path, table, definition.tableId().orElseThrow()).commit(commit);
    }

    /** Commits the empty snapshot that makes a new table readable and tierable. */
    void commitInitialState() {
        String tableId = definition.tableId().orElseThrow();
        new TieringCommit(path, table, tableId)
                .commitInitial(
                        definition.primaryKey().isEmpty()
                                ? TieredState.initialOfLog(tableId, definition.bucketCount())
                                : TieredState.initial(tableId, definition.bucketCount()));
    }

    @Override
    public void maintain(LakeMaintenance maintenance) {
        new TableMaintenance(path, table, definition.tableId().orElseThrow()).run(maintenance);
    }
}
