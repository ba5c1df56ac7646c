package io.thermocline.benchmarks.thermocline;

import io.thermocline.benchmarks.driver.Driver;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.driver.Target;
import io.thermocline.benchmarks.driver.TargetTable;
import io.thermocline.benchmarks.flink.BenchRows;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;

/** The hot store in this process, with the memory that a server with default options gives it. */
public final class EmbeddedTarget implements Target {

    private static final HotTargetTable.LakeSide NO_LAKE =
            new HotTargetTable.LakeSide() {
                @Override
                public TieringResult tier() {
                    throw new UnsupportedOperationException("tiering");
                }

                @Override
                public void maintain() {
                    throw new UnsupportedOperationException("maintenance");
                }
            };

    private final Map<ObjectPath, HotTableSpec> tables = new HashMap<>();
    private final HotStore store;

    private EmbeddedTarget(Path directory) {
        this.store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory),
                        path -> Optional.ofNullable(tables.get(path)),
                        (path, id) -> TieringResult.nothing(0, Map.of()));
    }

    /** Argument: directory of the store. */
    public static void main(String[] arguments) {
        Driver.run(() -> new EmbeddedTarget(Path.of(arguments[0])));
    }

    private static ObjectPath path(String table) {
        return new ObjectPath("default", table);
    }

    @Override
    public void create(String table, Shape shape, TableKey key, boolean tiered) {
        tables.put(
                path(table),
                new HotTableSpec(
                        path(table),
                        UUID.randomUUID().toString(),
                        0,
                        BenchRows.rowType(shape, key),
                        key.columnNames(shape),
                        List.of(),
                        key.bucketColumnNames(shape),
                        BUCKETS,
                        Map.of("tiering.enabled", "false")));
    }

    @Override
    public TargetTable open(String table, Shape shape, TableKey key) {
        HotTableSpec spec = tables.get(path(table));
        return new HotTargetTable(
                store.openTable(spec.path(), spec.tableId()),
                shape,
                value -> (int) Long.remainderUnsigned(Shape.mix(value), BUCKETS),
                NO_LAKE);
    }

    @Override
    public void drop(String table) {
        store.dropTable(tables.remove(path(table)).tableId());
    }

    @Override
    public void close() {
        store.close();
    }
}
