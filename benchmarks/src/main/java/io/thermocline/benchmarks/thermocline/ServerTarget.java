package io.thermocline.benchmarks.thermocline;

import io.thermocline.benchmarks.driver.Driver;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.Target;
import io.thermocline.benchmarks.driver.TargetTable;
import io.thermocline.hotserver.LocalEngine;
import io.thermocline.hotserver.launch.EndpointFile;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.flight.Endpoint;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.LogicalTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.api.Schema;
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
 * loopback, with default options. Tables are not tiered.
 */
public final class ServerTarget implements Target {

    private static final String LAKE = "paimon";
    private static final Map<String, String> TABLE_OPTIONS =
            Map.of("thermocline.tiering.enabled", "false");
    private static final long SERVER_END_SECONDS = 60;

    private final LakeConfig lake;
    private final LakeCatalog catalog;
    private final HotStore store;

    private ServerTarget(Path warehouse) {
        this.lake = new LakeConfig(LAKE, warehouse.toString(), Map.of());
        this.catalog = openCatalog(lake);
        this.store = LocalEngine.of(lake, Map.of()).connect(WhenStopped.START);
    }

    /** Argument: directory of the warehouse. */
    public static void main(String[] arguments) {
        Driver.run(() -> new ServerTarget(Path.of(arguments[0])));
    }

    private static LakeCatalog openCatalog(LakeConfig lake) {
        ClassLoader loader = ServerTarget.class.getClassLoader();
        for (LakeBinding binding : ServiceLoader.load(LakeBinding.class, loader)) {
            if (binding.identifier().equals(LAKE)) {
                return binding.open(lake, loader);
            }
        }
        throw new IllegalStateException("no binding for lake " + LAKE + " on the class path");
    }

    private static ObjectPath path(String table) {
        return new ObjectPath("default", table);
    }

    @Override
    public void create(String table, Shape shape, boolean keyed) {
        RowType rowType = BenchRows.rowType(shape, keyed);
        List<Column> columns =
                rowType.getFields().stream()
                        .<Column>map(
                                field ->
                                        Column.physical(
                                                field.getName(),
                                                TypeConversions.fromLogicalToDataType(
                                                        field.getType())))
                        .toList();
        List<String> key = List.of(shape.name(Shape.KEY));
        ResolvedSchema schema =
                new ResolvedSchema(
                        columns,
                        List.of(),
                        keyed ? UniqueConstraint.primaryKey("pk", key) : null,
                        List.of());
        CatalogTable definition =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .options(TABLE_OPTIONS)
                        .build();
        catalog.createTable(
                path(table),
                new ResolvedCatalogTable(definition, schema),
                keyed ? key : List.of(),
                BUCKETS);
    }

    @Override
    public TargetTable open(String table, Shape shape, boolean keyed) {
        LakeTable lakeTable = catalog.table(path(table));
        HotTableSpec spec = LogicalTable.specOf(lakeTable.definition());
        if (!keyed) {
            return new HotTargetTable(
                    store.openTable(spec.path(), spec.tableId()), shape, key -> 0);
        }
        BucketFunction function = lakeTable.bucketFunction();
        return new HotTargetTable(
                store.openTable(spec.path(), spec.tableId()),
                shape,
                key -> function.bucket(GenericRowData.of(key)));
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
