package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.TieredState;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.testing.TestLakes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;

/** A table (v STRING, id BIGINT, p INT) with both tiers: a local hot store and a lake table. */
final class TieredTable implements AutoCloseable {

    static final ObjectPath PATH = new ObjectPath("default", "t");
    static final int BUCKETS = 2;

    private final Path directory;
    private final LakeCatalog catalog;
    private final boolean hasPrimaryKey;
    private final BufferAllocator allocator = new RootAllocator();
    private UUID writer = UUID.randomUUID();
    private final Map<Integer, Long> sequences = new HashMap<>();

    private LocalHotStore store;
    private HotTable hot;

    /** A table whose lake is Paimon. */
    TieredTable(Path directory, boolean hasPrimaryKey) {
        this(directory, hasPrimaryKey, "paimon");
    }

    TieredTable(Path directory, boolean hasPrimaryKey, String lake) {
        this.directory = directory;
        this.hasPrimaryKey = hasPrimaryKey;
        this.catalog = TestLakes.open(lake, directory.resolve("lake"));
        createLakeTable();
        openStore("hot");
    }

    void createLakeTable() {
        ResolvedSchema schema =
                new ResolvedSchema(
                        List.of(
                                Column.physical("v", DataTypes.STRING()),
                                Column.physical("id", DataTypes.BIGINT().notNull()),
                                Column.physical("p", DataTypes.INT().notNull())),
                        List.of(),
                        hasPrimaryKey
                                ? UniqueConstraint.primaryKey("pk", List.of("id", "p"))
                                : null,
                        List.of());
        CatalogTable table =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .partitionKeys(List.of("p"))
                        .build();
        catalog.createTable(PATH, new ResolvedCatalogTable(table, schema), List.of("id"), BUCKETS);
    }

    void openStore(String name) {
        HotTableSpec spec = spec();
        store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory.resolve(name)),
                        path -> Optional.of(spec),
                        (path, tableId) -> tier());
        hot = store.openTable(PATH, spec.tableId());
        writer = UUID.randomUUID();
        sequences.clear();
    }

    void closeStore() {
        hot.close();
        store.close();
    }

    HotTableSpec spec() {
        return LogicalTable.specOf(lake().definition());
    }

    LakeCatalog catalog() {
        return catalog;
    }

    LakeTable lake() {
        return catalog.table(PATH);
    }

    HotTable hot() {
        return hot;
    }

    TieringResult tier() {
        return tier(lake());
    }

    TieringResult tier(LakeTable lake) {
        return new TieringRound(hot, lake, directory.resolve("spill")).run();
    }

    TieredState state() {
        return lake().latestTieredSnapshot().orElseThrow().tieredState();
    }

    /** A row of kind +I. */
    static RowData row(String value, long id) {
        return GenericRowData.of(StringData.fromString(value), id, (int) (id % 3));
    }

    static RowData delete(long id) {
        return GenericRowData.ofKind(RowKind.DELETE, null, id, (int) (id % 3));
    }

    /** Appends rows in order, each bucket's as one batch, and waits until they are durable. */
    void append(RowData... rows) {
        BucketFunction buckets = lake().bucketFunction();
        Map<Integer, List<RowData>> perBucket = new HashMap<>();
        for (RowData row : rows) {
            int bucket = buckets.bucket(GenericRowData.of(row.getLong(1)));
            perBucket.computeIfAbsent(bucket, b -> new ArrayList<>()).add(row);
        }
        perBucket.forEach(this::append);
    }

    private void append(int bucket, List<RowData> rows) {
        try (RowBatchBuilder builder = new RowBatchBuilder(hot.spec().rowType(), allocator)) {
            rows.forEach(builder::append);
            long sequence = sequences.merge(bucket, 0L, (old, zero) -> old + 1);
            hot.append(new AppendBatch(bucket, writer, sequence, builder.finish())).join();
        }
    }

    /** Rows of the lake as {@code id=v}. */
    List<String> lakeRows() {
        LakeTable lake = lake();
        LakeScan scan =
                new LakeScan(
                        lake.latestSnapshot().orElseThrow().snapshotId(), List.of("id", "v"), null);
        List<String> rows = new ArrayList<>();
        for (LakeSplit split : lake.planSplits(scan)) {
            try (CloseableIterator<RowData> iterator = lake.read(split, scan)) {
                while (iterator.hasNext()) {
                    RowData row = iterator.next();
                    rows.add(row.getLong(0) + "=" + row.getString(1));
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return rows;
    }

    @Override
    public void close() {
        closeStore();
        catalog.close();
        allocator.close();
    }
}
