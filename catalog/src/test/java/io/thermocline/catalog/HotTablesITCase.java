package io.thermocline.catalog;

import static io.thermocline.catalog.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotserver.launch.EndpointFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Statements on tables with a hot tier, through everything below the catalog. */
class HotTablesITCase {

    private static final long STOP_SECONDS = 120;

    // columns of sys.verify
    private static final int TARGET_ROWS = 8;
    private static final int AGREES = 11;
    private static final int DIFFERENCES = 12;

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private static Path directory;

    private TestSession session;

    // Environments of a test run on the cluster of the class; others would start one of their own.
    @BeforeEach
    void openSession() {
        session = TestSession.empty(EnvironmentSettings.inBatchMode());
        session.sql("CREATE CATALOG tc WITH ('type'='thermocline', " + warehouseOptions() + ")");
        session.sql("USE CATALOG tc");
    }

    @AfterAll
    static void stopServer() throws Exception {
        Optional<ProcessHandle> server =
                new EndpointFile(directory.resolve("hot"))
                        .read()
                        .flatMap(endpoint -> ProcessHandle.of(endpoint.pid()));
        if (server.isPresent()) {
            server.get().destroy();
            server.get().onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void unionOfBothTiers() {
        session.sql(
                "CREATE TABLE t (v STRING, id INT, p INT, PRIMARY KEY (id, p) NOT ENFORCED)"
                        + " DISTRIBUTED BY HASH(id) INTO 2 BUCKETS PARTITIONED BY (p)"
                        + " WITH ('tiering.enabled' = 'false')");
        session.sql("INSERT INTO t VALUES ('a', 1, 7), ('b', 2, 7), ('c', 3, 8)");
        List<Row> first = List.of(Row.of("a", 1, 7), Row.of("b", 2, 7), Row.of("c", 3, 8));
        assertThat(session.sql("SELECT * FROM t ORDER BY id")).isEqualTo(first);
        assertThat(session.sql("SELECT * FROM `t$lake`")).isEmpty();

        Row tiered = session.sql("CALL sys.tier('default.t')").get(0);
        assertThat(
                        ((Map<?, ?>) tiered.getField(1))
                                .values().stream().mapToLong(offset -> (Long) offset).sum())
                .isEqualTo(3);
        assertThat(tiered.getField(2)).isEqualTo(3L);
        assertThat(session.sql("SELECT * FROM `t$lake` ORDER BY id")).isEqualTo(first);
        assertThat(session.column("SHOW PARTITIONS t")).containsExactly("p=7", "p=8");

        session.sql("INSERT INTO t VALUES ('new', 2, 7), ('d', 4, 8)");
        assertThat(session.sql("SELECT v FROM t ORDER BY id"))
                .containsExactly(Row.of("a"), Row.of("new"), Row.of("c"), Row.of("d"));
        assertThat(session.sql("SELECT id, v FROM t WHERE p = 7 AND v = 'b'")).isEmpty();
        assertThat(session.sql("SELECT * FROM `t$lake` ORDER BY id")).isEqualTo(first);
    }

    @Test
    void recreatedTableIsEmpty() {
        String create = "CREATE TABLE again (id INT PRIMARY KEY NOT ENFORCED, v INT)";
        session.sql(create);
        session.sql("INSERT INTO again VALUES (1, 1)");
        session.sql("DROP TABLE again");
        session.sql(create);
        assertThat(session.sql("SELECT * FROM again")).isEmpty();
        session.sql("INSERT INTO again VALUES (2, 2)");
        assertThat(session.sql("SELECT * FROM again")).containsExactly(Row.of(2, 2));
    }

    @Test
    void renamedTableKeepsItsRows() {
        session.sql("CREATE TABLE before_rename (id INT PRIMARY KEY NOT ENFORCED, v INT)");
        session.sql("INSERT INTO before_rename VALUES (1, 1)");
        session.sql("ALTER TABLE before_rename RENAME TO after_rename");
        session.sql("INSERT INTO after_rename VALUES (2, 2)");
        assertThat(session.sql("SELECT * FROM after_rename ORDER BY id"))
                .containsExactly(Row.of(1, 1), Row.of(2, 2));
        session.sql("CALL sys.tier('default.after_rename')");
        assertThat(session.sql("SELECT * FROM `after_rename$lake` ORDER BY id"))
                .containsExactly(Row.of(1, 1), Row.of(2, 2));
    }

    @Test
    void createTableAsSelectAndLogTable() {
        session.sql(
                "CREATE TABLE logged WITH ('bucket' = '2') AS SELECT * FROM (VALUES (1, 'x'), (1, 'x'), (2, 'y')) AS v (a, b)");
        assertThat(session.sql("SELECT a, COUNT(*) FROM logged GROUP BY a ORDER BY a"))
                .containsExactly(Row.of(1, 2L), Row.of(2, 1L));
    }

    @Test
    void computedColumnsAndPartialInserts() {
        session.sql(
                "CREATE TABLE computed (id INT PRIMARY KEY NOT ENFORCED, v INT, twice AS v * 2)");
        session.sql("INSERT INTO computed (id, v) VALUES (1, 21)");
        assertThat(session.sql("SELECT twice FROM computed")).containsExactly(Row.of(42));
    }

    @Test
    void temporaryTableReadsAndWritesTheSameTable() {
        session.sql("CREATE TABLE shared (id INT PRIMARY KEY NOT ENFORCED, v INT)");
        session.sql(
                "CREATE TEMPORARY TABLE other_name (id INT PRIMARY KEY NOT ENFORCED, v INT)"
                        + " WITH ('connector'='thermocline', 'table'='default.shared', "
                        + warehouseOptions()
                        + ")");
        session.sql("INSERT INTO other_name VALUES (1, 5)");
        assertThat(session.sql("SELECT * FROM shared")).containsExactly(Row.of(1, 5));
        assertThat(session.sql("SELECT * FROM other_name")).containsExactly(Row.of(1, 5));
    }

    @Test
    void lookupJoin() {
        session.sql("CREATE TABLE dim (id INT PRIMARY KEY NOT ENFORCED, name STRING)");
        session.sql("INSERT INTO dim VALUES (1, 'one'), (2, 'two')");
        session.sql(
                "CREATE TEMPORARY VIEW probes AS SELECT id, PROCTIME() AS pt FROM (VALUES (1), (2), (3)) AS v (id)");
        assertThat(
                        session.sql(
                                "SELECT p.id, d.name FROM probes AS p LEFT JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d"
                                        + " ON p.id = d.id"))
                .containsExactlyInAnyOrder(Row.of(1, "one"), Row.of(2, "two"), Row.of(3, null));
    }

    @Test
    void droppedHotDataIsRemoved() throws Exception {
        session.sql("CREATE TABLE gone (id INT PRIMARY KEY NOT ENFORCED)");
        session.sql("INSERT INTO gone VALUES (1)");
        String id =
                session.catalog()
                        .lake()
                        .table(new ObjectPath("default", "gone"))
                        .definition()
                        .tableId()
                        .orElseThrow();
        assertThat(hotDirectoriesOf(id)).isNotEmpty();
        session.sql("DROP TABLE gone");
        assertThat(hotDirectoriesOf(id)).isEmpty();
        assertRefused(() -> session.sql("CALL sys.tier('default.gone')"), "default.gone");
    }

    @Test
    void commitsOfOthersAreSeenByTiering() {
        session.sql("CREATE TABLE written (id INT, v INT)");
        session.sql(
                "CREATE CATALOG IF NOT EXISTS p WITH ('type'='paimon', 'warehouse'='%s')"
                        .formatted(directory.resolve("warehouse").toUri()));
        session.sql("INSERT INTO written VALUES (1, 1)");
        session.sql("INSERT INTO p.`default`.written VALUES (100, 100)");
        session.sql("CALL sys.tier('default.written')");

        assertThat(
                        session.sql(
                                "SELECT snapshot_id, written_rows, foreign_commits FROM `written$tiering`"))
                .containsExactly(Row.of(3L, 1L, 1));
        assertThat(session.column("DESCRIBE `written$reads`")).contains("hot_reads", "lake_bytes");
        assertThat(session.catalog().tableExists(new ObjectPath("default", "written$tiering")))
                .isTrue();
        assertThat(session.catalog().tableExists(new ObjectPath("default", "no$tiering")))
                .isFalse();
    }

    @Test
    void verifyNamesWhatAnotherProgramChangedInTheLake() {
        session.sql(
                "CREATE TABLE proven (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + " DISTRIBUTED BY HASH(id) INTO 2 BUCKETS WITH ('tiering.enabled' = 'false')");
        session.sql("INSERT INTO proven VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
        session.sql("CALL sys.tier('default.proven')");
        session.sql("INSERT INTO proven VALUES (4, 'D'), (5, 'e')");
        List<Row> agreeing = session.sql("CALL sys.verify('default.proven')");
        assertThat(agreeing).hasSize(2).allMatch(row -> (boolean) row.getField(AGREES));
        assertThat(agreeing.stream().mapToLong(row -> (long) row.getField(TARGET_ROWS)).sum())
                .isEqualTo(5);

        session.sql(
                "CREATE CATALOG IF NOT EXISTS p WITH ('type'='paimon', 'warehouse'='%s')"
                        .formatted(directory.resolve("warehouse").toUri()));
        session.sql("INSERT INTO p.`default`.proven VALUES (2, 'foreign')");

        List<Row> found = session.sql("CALL sys.verify('default.proven')");
        assertThat(found).filteredOn(row -> !(boolean) row.getField(AGREES)).hasSize(1);
        assertThat(found)
                .flatMap(row -> List.of((String[]) row.getField(DIFFERENCES)))
                .containsExactly(
                        "key (id=2): lake snapshot 3 has (id=2, v=foreign), the key index has (id=2, v=b)");
    }

    @Test
    void readsAreCountedByTheTiersThatTheyTouch() {
        session.sql(
                "CREATE TABLE counted (id INT PRIMARY KEY NOT ENFORCED, v STRING)"
                        + " WITH ('tiering.enabled' = 'false')");
        assertThat(session.sql("SELECT v FROM counted")).isEmpty();
        session.sql("INSERT INTO counted VALUES (1, 'a'), (2, 'b'), (3, 'c')");
        assertThat(session.sql("SELECT v FROM counted")).hasSize(3);
        awaitReads(Row.of(1L, 0L, 0L, 3L, 0L));

        session.sql("CALL sys.tier('default.counted')");
        assertThat(session.sql("SELECT v FROM counted")).hasSize(3);
        awaitReads(Row.of(1L, 1L, 0L, 3L, 3L));

        session.sql("INSERT INTO counted VALUES (3, 'd')");
        assertThat(session.sql("SELECT v FROM counted")).hasSize(3);
        // one row is in the tail, two of the lake's are left
        awaitReads(Row.of(1L, 1L, 1L, 4L, 5L));
        assertThat(
                        session.sql(
                                "SELECT SUM(hot_bytes) > 0, SUM(lake_bytes) > 0,"
                                        + " MAX(period_start) <= CURRENT_TIMESTAMP FROM `counted$reads`"))
                .containsExactly(Row.of(true, true, true));
    }

    /**
     * A read is told when its coordinator ends, which may be after the query. Sums: perhaps two
     * periods.
     */
    private void awaitReads(Row expected) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () ->
                                assertThat(
                                                session.sql(
                                                        "SELECT SUM(hot_reads), SUM(lake_reads), SUM(merged_reads),"
                                                                + " SUM(hot_rows), SUM(lake_rows) FROM `counted$reads`"))
                                        .containsExactly(expected));
    }

    private static List<Path> hotDirectoriesOf(String tableId) throws Exception {
        try (var paths = Files.walk(directory.resolve("hot"))) {
            return paths.filter(path -> path.getFileName().toString().contains(tableId)).toList();
        }
    }

    private static String warehouseOptions() {
        return "'warehouse'='%s', 'server.hot-directory'='%s', 'server.memory'='512 mb', 'server.idle-timeout'='60 s'"
                .formatted(directory.resolve("warehouse").toUri(), directory.resolve("hot"));
    }
}
