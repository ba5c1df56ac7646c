package io.thermocline.benchmarks.micro;

import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.flink.BenchRows;
import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.catalog.ObjectPath;

/** A store with one table in one bucket. */
final class StoreFixture implements AutoCloseable {

    private final Path directory;
    private final BufferAllocator allocator = ArrowMemory.newAllocator("store-benchmark");
    private final LocalHotStore store;
    private final HotTable table;
    private final Shape shape;
    private final UUID writerId = UUID.randomUUID();
    private long nextSequence;

    StoreFixture(Shape shape, TableKey key) throws IOException {
        this.shape = shape;
        this.directory = Files.createTempDirectory("store-benchmark");
        HotTableSpec spec =
                new HotTableSpec(
                        new ObjectPath("default", "t"),
                        UUID.randomUUID().toString(),
                        0,
                        BenchRows.rowType(shape, key),
                        key.columnNames(shape),
                        List.of(),
                        key.bucketColumnNames(shape),
                        1,
                        Map.of());
        store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory)
                                .withFiles(new UnforcedFiles(), Clock.systemUTC()),
                        path -> Optional.of(spec),
                        (path, id) -> TieringResult.nothing(0, Map.of()));
        table = store.openTable(spec.path(), spec.tableId());
    }

    HotTable table() {
        return table;
    }

    RowBatch batch(int rows, LongUnaryOperator keyOf, long version) {
        return BenchBatches.of(
                shape,
                table.spec().hasPrimaryKey() ? TableKey.SIMPLE : TableKey.NONE,
                rows,
                keyOf,
                version,
                allocator);
    }

    /** Appends a batch, which is closed by it, and waits until it is visible. */
    long append(RowBatch rows) {
        return table.append(new AppendBatch(0, writerId, nextSequence++, rows)).join().endOffset();
    }

    @Override
    public void close() throws IOException {
        table.close();
        store.close();
        allocator.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        }
    }
}
