package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EndpointFile;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.flight.Endpoint;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.TieredState;
import io.thermocline.unionread.LogicalTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
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

/** A Paimon warehouse with tables (id BIGINT, v STRING) of one bucket. */
final class TestWarehouse implements AutoCloseable {

    static final ObjectPath PATH = new ObjectPath("default", "t");

    private final Path directory;
    private final LakeCatalog lake;
    private final BufferAllocator allocator = ArrowMemory.newAllocator("test-warehouse");

    TestWarehouse(Path directory) {
        this.directory = directory;
        this.lake = LakeAccess.open(config());
        createTable(PATH, Map.of("thermocline.tiering.freshness", "1 h"));
    }

    void createTable(ObjectPath path, Map<String, String> options) {
        ResolvedSchema schema =
                new ResolvedSchema(
                        List.of(
                                Column.physical("id", DataTypes.BIGINT().notNull()),
                                Column.physical("v", DataTypes.STRING())),
                        List.of(),
                        UniqueConstraint.primaryKey("pk", List.of("id")),
                        List.of());
        CatalogTable table =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .options(options)
                        .build();
        lake.createTable(path, new ResolvedCatalogTable(table, schema), List.of("id"), 1);
    }

    LakeConfig config() {
        return new LakeConfig("paimon", directory.toString(), Map.of());
    }

    LocalEngine engine(String... options) {
        Map<String, String> server = new HashMap<>();
        server.put("server.memory", "512 mb");
        for (int i = 0; i < options.length; i += 2) {
            server.put(options[i], options[i + 1]);
        }
        return LocalEngine.of(config(), server);
    }

    LakeCatalog lake() {
        return lake;
    }

    HotTableSpec spec() {
        return spec(PATH);
    }

    HotTableSpec spec(ObjectPath path) {
        return LogicalTable.specOf(lake.table(path).definition());
    }

    TieredState tiered() {
        return lake.table(PATH).latestTieredSnapshot().orElseThrow().tieredState();
    }

    StoreRecords records() {
        return new StoreRecords(lake.warehouseFiles(), directory.toString());
    }

    Path hotDirectory() {
        return Path.of(records().read().map(StoreRecord::hotDirectory).orElseThrow());
    }

    Optional<Endpoint> endpoint() {
        return records().read().flatMap(r -> new EndpointFile(Path.of(r.hotDirectory())).read());
    }

    Optional<ProcessHandle> server() {
        return endpoint().flatMap(endpoint -> ProcessHandle.of(endpoint.pid()));
    }

    CompletableFuture<AppendResult> append(HotTable table, UUID writer, long sequence, long id) {
        return table.append(
                new AppendBatch(
                        0,
                        writer,
                        sequence,
                        RowBatches.of(
                                table.spec().rowType(),
                                List.of(GenericRowData.of(id, StringData.fromString("v" + id))),
                                allocator)));
    }

    List<String> lookup(HotTable table, long... ids) throws Exception {
        KeyEncoder encoder = KeyEncoder.forRows(table.spec(), List.of("id"));
        List<byte[]> keys = new ArrayList<>();
        for (long id : ids) {
            keys.add(encoder.encode(GenericRowData.of(id)));
        }
        List<String> found = new ArrayList<>();
        for (List<RowData> rows :
                table.lookup(
                                new LookupRequest(
                                        new int[ids.length], keys, false, List.of("id", "v")))
                        .get(180, TimeUnit.SECONDS)
                        .rows()) {
            rows.forEach(row -> found.add(row.getLong(0) + "=" + row.getString(1)));
        }
        return found;
    }

    /** Ends a server that a test left running. */
    @Override
    public void close() {
        server().ifPresent(ProcessHandle::destroyForcibly);
        lake.close();
        allocator.close();
    }
}
