package io.thermocline.hotstore.local;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.key.KeyEncoder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/**
 * A store in a directory with tables of two columns: {@code id BIGINT NOT NULL} and {@code v
 * STRING}.
 */
final class TestStore implements AutoCloseable {

    static final RowType ROW_TYPE =
            RowType.of(
                    false,
                    new LogicalType[] {
                        new BigIntType(false), new VarCharType(VarCharType.MAX_LENGTH)
                    },
                    new String[] {"id", "v"});

    private final LocalHotStoreConfig config;
    private final Map<ObjectPath, HotTableSpec> lake = new ConcurrentHashMap<>();
    private final BufferAllocator allocator = ArrowMemory.newAllocator("test");
    private LocalHotStore store;

    TestStore(Path directory) {
        this(
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withMaintenanceInterval(Duration.ofMillis(50)));
    }

    TestStore(LocalHotStoreConfig config) {
        this.config = config;
        try {
            open();
        } catch (RuntimeException e) {
            allocator.close();
            throw e;
        }
    }

    /** A change as a test writes it: row kind, key, value. */
    record Change(RowKind kind, long id, String value) {

        static Change upsert(long id, String value) {
            return new Change(RowKind.INSERT, id, value);
        }

        static Change delete(long id) {
            return new Change(RowKind.DELETE, id, null);
        }
    }

    /** A record of the changelog. */
    record Logged(long offset, RowKind kind, long id, String value) {}

    static HotTableSpec primaryKeyTable(String name, int buckets, Map<String, String> options) {
        return spec(name, List.of("id"), buckets, options);
    }

    static HotTableSpec logTable(String name, int buckets, Map<String, String> options) {
        return spec(name, List.of(), buckets, options);
    }

    private static HotTableSpec spec(
            String name, List<String> key, int buckets, Map<String, String> options) {
        return new HotTableSpec(
                new ObjectPath("db", name),
                UUID.randomUUID().toString(),
                0,
                ROW_TYPE,
                key,
                List.of(),
                key,
                buckets,
                options);
    }

    void open() {
        store =
                LocalHotStore.open(
                        config,
                        path -> Optional.ofNullable(lake.get(path)),
                        (path, tableId) -> TieringResult.nothing(1, Map.of()));
    }

    void reopen() {
        store.close();
        open();
    }

    LocalHotStore store() {
        return store;
    }

    BufferAllocator allocator() {
        return allocator;
    }

    /** Puts a table into the lake and opens it. */
    HotTable create(HotTableSpec spec) {
        lake.put(spec.path(), spec);
        return open(spec);
    }

    HotTable open(HotTableSpec spec) {
        return store.openTable(spec.path(), spec.tableId());
    }

    RowBatch batch(List<Change> changes) {
        List<RowData> rows = new ArrayList<>();
        for (Change change : changes) {
            rows.add(
                    GenericRowData.ofKind(
                            change.kind(),
                            change.id(),
                            change.value() == null ? null : StringData.fromString(change.value())));
        }
        return RowBatches.of(ROW_TYPE, rows, allocator);
    }

    CompletableFuture<AppendResult> append(
            HotTable table, int bucket, UUID writer, long sequence, List<Change> changes) {
        return append(table, bucket, WriterEpoch.unfenced(writer), sequence, changes);
    }

    CompletableFuture<AppendResult> append(
            HotTable table, int bucket, WriterEpoch writer, long sequence, List<Change> changes) {
        return table.append(new AppendBatch(bucket, writer, sequence, batch(changes)));
    }

    static long end(HotTable table, int bucket) {
        return table.offsets(new OffsetQuery.Latest()).offsets().get(bucket);
    }

    static long start(HotTable table, int bucket) {
        return table.offsets(new OffsetQuery.Earliest()).offsets().get(bucket);
    }

    /** All records of a bucket from an offset to the present end. */
    static List<Logged> changelog(HotTable table, int bucket, long from) {
        List<Logged> records = new ArrayList<>();
        long end = end(table, bucket);
        try (ChangelogReader reader =
                table.readChangelog(
                        new ChangelogScan(bucket, from, end, List.of("id", "v"), null))) {
            while (!reader.isFinished()) {
                try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                    for (int i = 0; i < batch.rows().rowCount(); i++) {
                        RowData row = batch.rows().row(i);
                        records.add(
                                new Logged(
                                        batch.baseOffset() + i,
                                        batch.rows().rowKind(i),
                                        row.getLong(0),
                                        text(row, 1)));
                    }
                }
            }
        }
        return records;
    }

    /** The value of a key; empty if the key is missing. */
    static Optional<String> lookup(HotTable table, int bucket, long id) {
        KeyEncoder encoder = KeyEncoder.forRows(table.spec(), List.of("id"));
        List<RowData> rows =
                table.lookup(
                                new LookupRequest(
                                        new int[] {bucket},
                                        List.of(encoder.encode(GenericRowData.of(id))),
                                        false,
                                        List.of("v")))
                        .join()
                        .rows()
                        .get(0);
        return rows.isEmpty()
                ? Optional.empty()
                : Optional.of(String.valueOf(text(rows.get(0), 0)));
    }

    static String text(RowData row, int column) {
        return row.isNullAt(column) ? null : row.getString(column).toString();
    }

    @Override
    public void close() {
        store.close();
        allocator.close();
    }
}
