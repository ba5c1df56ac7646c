package io.thermocline.benchmarks.thermocline;

import io.thermocline.benchmarks.driver.Driver;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.driver.Target;
import io.thermocline.benchmarks.driver.TargetTable;
import io.thermocline.benchmarks.flink.BenchRows;
import io.thermocline.hotserver.LocalEngine;
import io.thermocline.hotserver.launch.EndpointFile;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.flight.Endpoint;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.LogicalTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.utils.TypeConversions;

/**
 * The client, and a server process that it starts by itself, as every user's: over Flight and
 * loopback, with default options. Tables are tiered when the runner says so.
 */
public final class ServerTarget implements Target {

    private static final String DATABASE = "default";
    private static final String TIERING_ENABLED = "thermocline.tiering.enabled";

    /**
     * Long enough for the others' turns, and the end of a server that an interrupted run leaves.
     */
    private static final Map<String, String> SERVER_OPTIONS =
            Map.of("server.idle-timeout", "30 min");

    private static final Duration RETENTION = Duration.ofDays(1);
    private static final long SERVER_END_SECONDS = 60;

    private final LakeConfig lake;
    private final LakeCatalog catalog;
    private final HotStore store;

    private ServerTarget(String lakeFormat, Path warehouse) throws Exception {
        this.lake = new LakeConfig(lakeFormat, warehouse.toString(), Map.of());
        this.catalog = openCatalog(lake);
        catalog.flinkCatalog()
                .createDatabase(DATABASE, new CatalogDatabaseImpl(Map.of(), null), true);
        this.store = LocalEngine.of(lake, SERVER_OPTIONS).connect(WhenStopped.START);
    }

    /** Arguments: format of the lake, directory of the warehouse. */
    public static void main(String[] arguments) {
        Driver.run(() -> new ServerTarget(arguments[0], Path.of(arguments[1])));
    }

    private static LakeCatalog openCatalog(LakeConfig lake) {
        ClassLoader loader = ServerTarget.class.getClassLoader();
        LakeBinding binding = LakeBinding.seenBy(loader).get(lake.lake());
        if (binding == null) {
            throw new IllegalStateException(
                    "no binding for lake " + lake.lake() + " on the class path");
        }
        return binding.open(lake, loader);
    }

    private static ObjectPath path(String table) {
        return new ObjectPath(DATABASE, table);
    }

    @Override
    public void create(String table, Shape shape, TableKey key, boolean tiered) {
        RowType rowType = BenchRows.rowType(shape, key);
        List<Column> columns =
                rowType.getFields().stream()
                        .<Column>map(
                                field ->
                                        Column.physical(
                                                field.getName(),
                                                TypeConversions.fromLogicalToDataType(
                                                        field.getType())))
                        .toList();
        ResolvedSchema schema =
                new ResolvedSchema(
                        columns,
                        List.of(),
                        key.exists()
                                ? UniqueConstraint.primaryKey("pk", key.columnNames(shape))
                                : null,
                        List.of());
        CatalogTable definition =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .options(Map.of(TIERING_ENABLED, Boolean.toString(tiered)))
                        .build();
        catalog.createTable(
                path(table),
                new ResolvedCatalogTable(definition, schema),
                key.bucketColumnNames(shape),
                BUCKETS);
    }

    @Override
    public TargetTable open(String table, Shape shape, TableKey key) {
        LakeTable lakeTable = catalog.table(path(table));
        HotTableSpec spec = LogicalTable.specOf(lakeTable.definition());
        BucketFunction function = key.exists() ? lakeTable.bucketFunction() : row -> 0;
        return new HotTargetTable(
                store.openTable(spec.path(), spec.tableId()),
                shape,
                value -> function.bucket(GenericRowData.of(value)),
                new LakeSide(lakeTable, spec));
    }

    private final class LakeSide implements HotTargetTable.LakeSide {

        private final LakeTable table;
        private final HotTableSpec spec;

        private LakeSide(LakeTable table, HotTableSpec spec) {
            this.table = table;
            this.spec = spec;
        }

        @Override
        public TieringResult tier() {
            return store.tier(spec.path(), spec.tableId());
        }

        /** What the server does every few minutes, with its default retention. */
        @Override
        public void maintain() {
            table.maintain(new LakeMaintenance(RETENTION.toMillis(), Set.of()));
        }
    }

    @Override
    public void drop(String table) throws Exception {
        HotTableSpec spec = LogicalTable.specOf(catalog.table(path(table)).definition());
        catalog.flinkCatalog().dropTable(path(table), false);
        store.dropTable(spec.tableId());
    }

    private Optional<Endpoint> endpoint() {
        return new StoreRecords(catalog.warehouseFiles(), lake.warehouse())
                .read()
                .map(StoreRecord::hotDirectory)
                .flatMap(directory -> new EndpointFile(Path.of(directory)).read());
    }

    /** Ends the server, too. */
    @Override
    public void close() throws Exception {
        Optional<ProcessHandle> server =
                endpoint().flatMap(endpoint -> ProcessHandle.of(endpoint.pid()));
        store.close();
        if (server.isPresent()) {
            server.get().destroy();
            server.get().onExit().get(SERVER_END_SECONDS, TimeUnit.SECONDS);
        }
        catalog.close();
    }
}
