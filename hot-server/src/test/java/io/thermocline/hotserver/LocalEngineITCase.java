package io.thermocline.hotserver;

import static io.thermocline.hotserver.TestWarehouse.PATH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotserver.launch.EndpointFile;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.flight.Endpoint;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers are real processes here. */
@Timeout(600)
class LocalEngineITCase {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

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
    void aServerStartsTiersEndsWhenIdleAndStartsAgain() throws Exception {
        LocalEngine engine = warehouse.engine("server.idle-timeout", "2 s");
        UUID writer = UUID.randomUUID();
        ProcessHandle first;
        try (HotStore store = engine.connect(WhenStopped.START);
                HotStore shared = engine.connect(WhenStopped.FAIL);
                HotTable table = store.openTable(PATH, warehouse.spec().tableId())) {
            assertThat(shared.identity()).isEqualTo(store.identity());
            for (int i = 0; i < 5; i++) {
                warehouse.append(table, writer, i, i).get(180, TimeUnit.SECONDS);
            }
            assertThat(warehouse.lookup(table, 3, 9)).containsExactly("3=v3");
            assertThat(store.tier(PATH, table.spec().tableId()).rows()).isEqualTo(5);
            assertThat(table.status()).extracting(BucketStatus::tieredOffset).containsExactly(5L);
            warehouse.append(table, writer, 5, 5).get(180, TimeUnit.SECONDS);
            first = warehouse.server().orElseThrow();
            checkEndpointFile();
        }
        await().atMost(PATIENCE).until(() -> !first.isAlive());
        assertThat(warehouse.endpoint()).isEmpty();
        assertThat(warehouse.tiered().offsets()).containsEntry(0, 6L);
        assertThatThrownBy(() -> engine.connect(WhenStopped.FAIL))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_UNREACHABLE))
                .hasMessageContaining(warehouse.hotDirectory().toString());

        try (HotStore store = engine.connect(WhenStopped.START);
                HotTable table = store.openTable(PATH, warehouse.spec().tableId())) {
            assertThat(warehouse.lookup(table, 0, 5)).containsExactly("0=v0", "5=v5");
            assertThat(warehouse.server().orElseThrow().pid()).isNotEqualTo(first.pid());
        }
    }

    @Test
    void aServerThatIsTerminatedTiersWhatIsPending() throws Exception {
        ProcessHandle server;
        try (HotStore store = warehouse.engine().connect(WhenStopped.START);
                HotTable table = store.openTable(PATH, warehouse.spec().tableId())) {
            UUID writer = UUID.randomUUID();
            for (int i = 0; i < 3; i++) {
                warehouse.append(table, writer, i, i).get(180, TimeUnit.SECONDS);
            }
            server = warehouse.server().orElseThrow();
        }
        server.destroy();
        await().atMost(PATIENCE).until(() -> !server.isAlive());
        assertThat(warehouse.tiered().offsets()).containsEntry(0, 3L);
        assertThat(warehouse.endpoint()).isEmpty();
    }

    @Test
    void metricsAreOfferedWhereTheEndpointFileSays() throws Exception {
        try (HotStore store = warehouse.engine().connect(WhenStopped.START);
                HotTable table = store.openTable(PATH, warehouse.spec().tableId())) {
            UUID writer = UUID.randomUUID();
            for (int i = 0; i < 3; i++) {
                warehouse.append(table, writer, i, i).get(180, TimeUnit.SECONDS);
            }
            warehouse.lookup(table, 1, 99);
            store.tier(PATH, table.spec().tableId());
            warehouse.append(table, writer, 3, 3).get(180, TimeUnit.SECONDS);
            table.history().reportReads(ReadFigures.ofRead(true, true));
            table.history().reportReads(ReadFigures.ofRows(1, 10, 2, 20));

            String url = warehouse.endpoint().orElseThrow().metricsUrl();
            assertThat(url).matches("http://127\\.0\\.0\\.1:[0-9]+/metrics");
            HttpResponse<String> answer =
                    HttpClient.newHttpClient()
                            .send(
                                    HttpRequest.newBuilder(URI.create(url)).build(),
                                    HttpResponse.BodyHandlers.ofString());

            assertThat(answer.statusCode()).isEqualTo(200);
            String of = "{bucket=\"0\",database=\"default\",table=\"t\"}";
            String table1 = "{database=\"default\",table=\"t\"";
            assertThat(answer.body().lines())
                    .contains(
                            "thermocline_tables 1.0",
                            "thermocline_bucket_readable_offset" + of + " 4.0",
                            "thermocline_bucket_tiered_offset" + of + " 3.0",
                            "thermocline_bucket_tail_records" + of + " 1.0",
                            "thermocline_bucket_key_index_rows" + of + " 4.0",
                            "thermocline_appended_rows_total" + table1 + "} 4.0",
                            "thermocline_lookups_total" + table1 + "} 2.0",
                            "thermocline_lookup_misses_total" + table1 + "} 1.0",
                            "thermocline_tiering_rounds_total{database=\"default\",outcome=\"committed\",table=\"t\"} 1.0",
                            "thermocline_tiering_rows_total" + table1 + "} 3.0",
                            "thermocline_reads_total" + table1 + ",tiers=\"both\"} 1.0",
                            "thermocline_read_rows_total{database=\"default\",table=\"t\",tier=\"lake\"} 2.0")
                    .anyMatch(line -> line.startsWith("jvm_memory_used_bytes"));
        }
    }

    @Test
    void metricsCanBeSwitchedOff() {
        try (HotStore store =
                warehouse.engine("server.metrics-port", "off").connect(WhenStopped.START)) {
            assertThat(store.identity().storeId()).isNotEmpty();
            assertThat(warehouse.endpoint().orElseThrow().metricsUrl()).isNull();
        }
    }

    private void checkEndpointFile() throws Exception {
        Path file = new EndpointFile(warehouse.hotDirectory()).path();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Endpoint endpoint = warehouse.endpoint().orElseThrow();
        assertThat(endpoint.host()).isEqualTo("127.0.0.1");
        assertThat(warehouse.records().read().orElseThrow().identity().orElseThrow().storeId())
                .isEqualTo(endpoint.storeId());
    }

    @Test
    void aKilledServerLosesNoAcknowledgedRowAndAppliesNoneTwice() throws Exception {
        int rows = 300;
        try (HotStore store = warehouse.engine().connect(WhenStopped.START);
                HotTable table = store.openTable(PATH, warehouse.spec().tableId())) {
            UUID writer = UUID.randomUUID();
            List<CompletableFuture<AppendResult>> sent = new ArrayList<>();
            for (int i = 0; i < rows; i++) {
                sent.add(warehouse.append(table, writer, i, i));
                if (i == rows / 2) {
                    sent.get(i / 2).get(180, TimeUnit.SECONDS);
                    warehouse.server().orElseThrow().destroyForcibly();
                }
            }
            for (int i = 0; i < rows; i++) {
                assertThat(sent.get(i).get(180, TimeUnit.SECONDS).baseOffset()).isEqualTo(i);
            }
            Set<Long> ids = new TreeSet<>();
            int records = 0;
            try (ChangelogReader reader =
                    table.readChangelog(new ChangelogScan(0, 0, rows, List.of("id"), null))) {
                while (!reader.isFinished()) {
                    try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                        for (int i = 0; batch != null && i < batch.rows().rowCount(); i++) {
                            ids.add(batch.rows().row(i).getLong(0));
                            records++;
                        }
                    }
                }
            }
            assertThat(records).isEqualTo(rows);
            assertThat(ids).hasSize(rows);
        }
        assertThat(warehouse.hotDirectory().resolve("cache"))
                .as("the killed server's library is the next one's")
                .isDirectoryContaining("glob:**librocksdbjni*")
                .satisfies(cache -> assertThat(cache.toFile().list()).hasSize(2));
    }

    @Test
    void ofTwoServersStartedAtOnceOneLives() throws Exception {
        CompletableFuture<HotStore> one = connectLater("61 s");
        CompletableFuture<HotStore> two = connectLater("62 s");
        try (HotStore first = one.get(180, TimeUnit.SECONDS);
                HotStore second = two.get(180, TimeUnit.SECONDS)) {
            assertThat(first.identity()).isEqualTo(second.identity());
            long server = warehouse.server().orElseThrow().pid();
            await().atMost(PATIENCE)
                    .until(
                            () ->
                                    ProcessHandle.current()
                                            .children()
                                            .filter(ProcessHandle::isAlive)
                                            .map(ProcessHandle::pid)
                                            .toList()
                                            .equals(List.of(server)));
        }
    }

    private CompletableFuture<HotStore> connectLater(String retryTimeout) {
        LocalEngine engine = warehouse.engine("server.retry-timeout", retryTimeout);
        return CompletableFuture.supplyAsync(() -> engine.connect(WhenStopped.START));
    }

    @Test
    void aServerKilledWhileItStartsIsStartedAgain() throws Exception {
        CompletableFuture<HotStore> connecting =
                CompletableFuture.supplyAsync(() -> warehouse.engine().connect(WhenStopped.START));
        ProcessHandle starting =
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(5))
                        .until(
                                () -> ProcessHandle.current().children().findFirst(),
                                Optional::isPresent)
                        .orElseThrow();
        starting.destroyForcibly();
        try (HotStore store = connecting.get(180, TimeUnit.SECONDS)) {
            assertThat(store.identity().storeId())
                    .isEqualTo(warehouse.endpoint().orElseThrow().storeId());
            assertThat(warehouse.server().orElseThrow().pid()).isNotEqualTo(starting.pid());
        }
    }

    @Test
    void planningNeverStartsAServer() {
        LocalEngine engine = warehouse.engine();
        assertThatThrownBy(() -> engine.connect(WhenStopped.FAIL))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_UNREACHABLE))
                .hasMessageContaining("no hot store was ever started for warehouse")
                .hasMessageContaining("./thermocline server start");
        assertThat(warehouse.records().read()).isEmpty();
    }

    @Test
    void aStoreOnAnotherHostIsNotReplaced() {
        warehouse.records().readOrCreate(warehouse.engine("server.host-name", "far").options());
        LocalEngine engine = warehouse.engine("server.host-name", "near");
        assertThatThrownBy(() -> engine.connect(WhenStopped.START))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_ON_OTHER_HOST))
                .hasMessageContaining("on host far, directory " + warehouse.hotDirectory())
                .hasMessageContaining("server.address");
        assertThat(warehouse.endpoint()).isEmpty();
    }

    @Test
    void aServerThatCannotStartTellsWhy() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "in the way");
        LocalEngine engine =
                warehouse.engine("server.hot-directory", file.resolve("hot").toString());
        assertThatThrownBy(() -> engine.connect(WhenStopped.START))
                .isInstanceOf(HotStoreException.class)
                .hasMessageContaining(file.toString());
        Files.delete(file);
    }

    @Test
    void aLostHotDirectoryIsNotReplacedByAFreshStore() throws Exception {
        StoreRecord record = warehouse.records().readOrCreate(warehouse.engine().options());
        warehouse
                .records()
                .replace(record.withIdentity(new StoreIdentity(UUID.randomUUID().toString(), 1)));
        assertThatThrownBy(() -> warehouse.engine().connect(WhenStopped.START))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED))
                .hasMessageContaining(record.hotDirectory())
                .hasMessageContaining("is gone");
        assertThat(HostedStore.storeDirectory(warehouse.hotDirectory())).doesNotExist();
    }
}
