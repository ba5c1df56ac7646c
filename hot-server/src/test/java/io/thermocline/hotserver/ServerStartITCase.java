package io.thermocline.hotserver;

import static io.thermocline.hotserver.TestWarehouse.PATH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.hotserver.launch.ServerCommand;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.catalog.ObjectPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server does with what it finds when it starts; servers run in this process here. */
@Timeout(600)
class ServerStartITCase {

    private static final ObjectPath OTHER = new ObjectPath("default", "other");
    private static final ObjectPath RENAMED = new ObjectPath("default", "renamed");

    @TempDir Path directory;
    private TestWarehouse warehouse;

    @BeforeEach
    void create() {
        warehouse = new TestWarehouse(directory.resolve("warehouse"));
    }

    @AfterEach
    void close() {
        warehouse.close();
    }

    @Test
    void aStoreOfAnotherHostIsAdoptedWhereItIs() throws Exception {
        fillAs("far");

        assertThatThrownBy(() -> start(false, Map.of("server.host-name", "near")))
                .isInstanceOf(HotStoreException.class)
                .hasMessageContaining("host far");
        StoreRecord before = warehouse.records().read().orElseThrow();
        assertThat(before.host()).isEqualTo("far");

        assertServesTheRow(start(true, Map.of("server.host-name", "near")), "near");
        assertThat(warehouse.records().read())
                .contains(before.withHost("near", before.hotDirectory()));
    }

    @Test
    void aStoreIsAdoptedWhereItsDirectoryWasMovedTo() throws Exception {
        fillAs("far");
        Path moved = directory.resolve("moved");
        Map<String, String> options =
                Map.of("server.host-name", "near", "server.hot-directory", moved.toString());

        assertThatThrownBy(() -> start(true, options))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED))
                .hasMessageContaining("directory " + moved + " does not hold it")
                .hasMessageContaining("host far (" + warehouse.hotDirectory() + ")");
        assertThat(warehouse.records().read().orElseThrow().host()).isEqualTo("far");

        Files.move(warehouse.hotDirectory(), moved);
        assertServesTheRow(start(true, options), "near");
        assertThat(warehouse.hotDirectory()).isEqualTo(moved);
    }

    @Test
    void hotDataOfATableThatWasDroppedMeanwhileIsRemoved() throws Exception {
        warehouse.createTable(OTHER, Map.of());
        ServerProcess server = start(false, Map.of());
        appendOne(PATH, "node");
        appendOne(OTHER, "node");
        String dropped = warehouse.spec(OTHER).tableId();
        String kept = warehouse.spec().tableId();
        end(server);
        assertThat(hotDirectoriesOf(dropped)).isNotEmpty();
        assertThat(hotDirectoriesOf(kept)).isNotEmpty();

        warehouse.lake().flinkCatalog().dropTable(OTHER, false);
        warehouse.lake().flinkCatalog().renameTable(PATH, RENAMED.getObjectName(), false);
        end(start(false, Map.of()));

        assertThat(hotDirectoriesOf(dropped)).isEmpty();
        assertThat(hotDirectoriesOf(kept)).as("of a renamed table").isNotEmpty();
    }

    /** A store that was started on a host, with one row that is in no lake snapshot. */
    private void fillAs(String host) throws Exception {
        ServerProcess server = start(false, Map.of("server.host-name", host));
        appendOne(PATH, host);
        end(server);
    }

    private void appendOne(ObjectPath path, String host) throws Exception {
        try (HotStore store = warehouse.engine("server.host-name", host).connect(WhenStopped.FAIL);
                HotTable table = store.openTable(path, warehouse.spec(path).tableId())) {
            warehouse.append(table, UUID.randomUUID(), 0, 1).get(180, TimeUnit.SECONDS);
        }
    }

    private void assertServesTheRow(ServerProcess server, String host) throws Exception {
        try (HotStore store = warehouse.engine("server.host-name", host).connect(WhenStopped.FAIL);
                HotTable table = store.openTable(PATH, warehouse.spec().tableId())) {
            assertThat(warehouse.lookup(table, 1, 2)).containsExactly("1=v1");
        }
        end(server);
    }

    private ServerProcess start(boolean adopt, Map<String, String> options) throws Exception {
        Map<String, String> all = new HashMap<>(options);
        all.putIfAbsent("server.host-name", "node");
        all.put("server.memory", "256 mb");
        return ServerProcess.start(
                        new ServerCommand(
                                warehouse.config(),
                                new EngineOptions(all),
                                Optional.empty(),
                                adopt))
                .orElseThrow();
    }

    private static void end(ServerProcess server) throws Exception {
        server.askToEnd();
        server.awaitEnd();
    }

    private List<Path> hotDirectoriesOf(String tableId) throws Exception {
        try (var paths = Files.walk(warehouse.hotDirectory())) {
            return new ArrayList<>(
                    paths.filter(path -> path.getFileName().toString().contains(tableId)).toList());
        }
    }
}
