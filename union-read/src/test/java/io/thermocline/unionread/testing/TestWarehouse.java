package io.thermocline.unionread.testing;

import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.SharedHotStore;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.unionread.LogicalTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.ObjectPath;

/** A Paimon warehouse and a local hot store in one directory. */
public final class TestWarehouse implements AutoCloseable {

    /** The database of all test tables. */
    public static final String DATABASE = "db";

    private static final Map<String, TestWarehouse> OPEN = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private final Path directory;
    private final LakeCatalog lake;
    private final AtomicInteger connections = new AtomicInteger();
    private volatile LocalHotStore store;

    private TestWarehouse(Path directory) {
        this.directory = directory;
        ClassLoader loader = getClass().getClassLoader();
        this.lake =
                Objects.requireNonNull(LakeBinding.seenBy(loader).get("paimon"))
                        .open(
                                new LakeConfig(
                                        "paimon", directory.resolve("lake").toString(), Map.of()),
                                loader);
        this.store = openStore();
    }

    /** A new warehouse in an empty directory. */
    public static TestWarehouse in(Path directory) throws Exception {
        TestWarehouse warehouse = new TestWarehouse(directory);
        OPEN.put(warehouse.id, warehouse);
        warehouse
                .lake
                .flinkCatalog()
                .createDatabase(DATABASE, new CatalogDatabaseImpl(Map.of(), null), true);
        return warehouse;
    }

    /** Creates a table. */
    public WarehouseTable createTable(
            String name, TestTable definition, List<String> bucketKeys, int buckets) {
        ObjectPath path = new ObjectPath(DATABASE, name);
        lake.createTable(path, definition.build(), bucketKeys, buckets);
        return table(name);
    }

    /** A table that was created before. */
    public WarehouseTable table(String name) {
        ObjectPath path = new ObjectPath(DATABASE, name);
        LogicalTable table =
                new LogicalTable(
                        LogicalTable.specOf(lake.table(path).definition()),
                        lake.table(path),
                        new Provider(id));
        return new WarehouseTable(table, this);
    }

    /** The hot store that runs now. */
    public LocalHotStore store() {
        return store;
    }

    /** The lake's catalog. */
    public LakeCatalog lake() {
        return lake;
    }

    /** Where spill files may go. */
    public Path spillDirectory() {
        return directory.resolve("spill");
    }

    /** Stops the hot store and starts it again. */
    public void restartStore() {
        restartStore(() -> {});
    }

    /** Stops the hot store, does something to its files, and starts it again. */
    public void restartStore(Runnable whileStopped) {
        store.close();
        whileStopped.run();
        store = openStore();
    }

    /** Directory of a table's hot data. */
    public Path hotDirectory(WarehouseTable table) {
        return directory.resolve("hot/tables").resolve(table.logical().spec().tableId());
    }

    /** Directory of a table's lake data. */
    public Path lakeDirectory(WarehouseTable table) {
        return directory
                .resolve("lake")
                .resolve(DATABASE + ".db")
                .resolve(table.logical().spec().path().getObjectName());
    }

    /** Waits until every task has closed its connection, then closes both tiers. */
    @Override
    public void close() {
        OPEN.remove(id);
        await().atMost(Duration.ofMinutes(3)).until(() -> connections.get() == 0);
        store.close();
        lake.close();
    }

    private LocalHotStore openStore() {
        return LocalHotStore.open(
                LocalHotStoreConfig.of(directory.resolve("hot")),
                path -> Optional.of(LogicalTable.specOf(lake.table(path).definition())),
                (path, tableId) -> {
                    throw new UnsupportedOperationException("tests tier by themselves");
                });
    }

    /** Reaches the warehouse of this JVM; its connections leave the store open. */
    private record Provider(String id) implements HotStoreProvider {

        @Override
        public HotStore connect(WhenStopped whenStopped) {
            TestWarehouse warehouse = OPEN.get(id);
            warehouse.connections.incrementAndGet();
            return new SharedHotStore(warehouse.store(), warehouse.connections::decrementAndGet);
        }
    }
}
