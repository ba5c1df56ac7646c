package io.thermocline.e2e.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lakes' own connectors write to the lake tables of tables that have a hot tier. */
class ForeignCommitITCase {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(6)
                            .build());

    @TempDir private Path warehouse;

    private ServerProcess server;

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void theTableDecidesWhatBecomesOfThem(String lake) throws Exception {
        server = ServerProcess.ofWarehouse(warehouse);
        SqlSession session = new SqlSession(warehouse, lake, 2, Map.of());
        session.createPlainCatalog(warehouse, lake);
        session.execute("CREATE DATABASE db");
        session.execute("USE db");
        String upsert = lake.equals("iceberg") ? "/*+ OPTIONS('upsert-enabled'='true') */ " : "";
        keyed(session, upsert);
        log(session);
    }

    private static void keyed(SqlSession session, String upsert) throws Exception {
        session.execute(
                "CREATE TABLE k (id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + " DISTRIBUTED BY HASH(id) INTO 2 BUCKETS WITH ('tiering.freshness'='1 h')");
        session.execute("INSERT INTO k VALUES (1, 'a'), (2, 'b'), (3, 'c')");
        session.execute("CALL sys.tier('db.k')");
        try (ChangelogView stream =
                new ChangelogView(
                        session.streaming().tables().executeSql("SELECT id, v FROM k").collect())) {
            awaitRows(stream, List.of("1|a", "2|b", "3|c"));
            session.execute(
                    "INSERT INTO plain.db.k " + upsert + "VALUES (2, 'other'), (4, 'other')");
            session.execute("INSERT INTO k VALUES (1, 'A')");

            assertThatThrownBy(() -> session.execute("CALL sys.tier('db.k')"))
                    .rootCause()
                    .hasMessageContaining("tiering of table db.k has stopped")
                    .hasMessageContaining("'hot.on-foreign-commit'='absorb'");
            assertThat(
                            session.query(
                                    "SELECT COUNT(*) FROM `k$tiering`"
                                            + " WHERE failure LIKE '%FOREIGN_COMMIT: tiering of table db.k has stopped%files added%'"))
                    .containsExactly("1");
            session.execute("INSERT INTO k VALUES (3, 'C')");
            awaitRows(stream, List.of("1|A", "2|b", "3|C"));

            session.execute("ALTER TABLE k SET ('hot.on-foreign-commit'='absorb')");
            session.execute("CALL sys.tier('db.k')");

            List<String> rows = List.of("1|A", "2|other", "3|C", "4|other");
            awaitRows(stream, rows);
            assertThat(session.query("SELECT id, v FROM k"))
                    .containsExactlyInAnyOrderElementsOf(rows);
            assertThat(session.query("SELECT id, v FROM plain.db.k"))
                    .containsExactlyInAnyOrderElementsOf(rows);
            assertThat(
                            session.query(
                                    "SELECT s.id, k.v FROM (SELECT id, PROCTIME() AS pt FROM (VALUES (2), (4), (5)) AS n(id)) AS s"
                                            + " JOIN k FOR SYSTEM_TIME AS OF s.pt ON k.id = s.id"))
                    .containsExactlyInAnyOrder("2|other", "4|other");
        }
    }

    /** Without anything to tier, and without anybody asking for it. */
    private static void log(SqlSession session) throws Exception {
        session.execute("CREATE TABLE l (id BIGINT, v STRING) WITH ('tiering.freshness'='1 s')");
        session.execute("INSERT INTO l VALUES (1, 'a')");
        session.execute("CALL sys.tier('db.l')");
        try (ChangelogView stream =
                new ChangelogView(
                        session.streaming().tables().executeSql("SELECT id, v FROM l").collect())) {
            awaitRows(stream, List.of("1|a"));
            session.execute("INSERT INTO plain.db.l VALUES (2, 'other'), (2, 'other')");
            List<String> rows = List.of("1|a", "2|other", "2|other");
            assertThat(session.query("SELECT id, v FROM l"))
                    .containsExactlyInAnyOrderElementsOf(rows);
            awaitRows(stream, rows);
            session.execute("INSERT INTO l VALUES (3, 'c')");
            session.execute("CALL sys.tier('db.l')");
            List<String> later = List.of("1|a", "2|other", "2|other", "3|c");
            awaitRows(stream, later);
            assertThat(session.query("SELECT id, v FROM l"))
                    .containsExactlyInAnyOrderElementsOf(later);
            assertThat(session.query("SELECT id, v FROM plain.db.l"))
                    .containsExactlyInAnyOrderElementsOf(later);
        }
    }

    private static void awaitRows(ChangelogView view, List<String> sorted) {
        await().atMost(SqlSession.TIMEOUT)
                .during(Duration.ofMillis(200))
                .pollInterval(Duration.ofMillis(20))
                .until(view::rows, sorted::equals);
    }
}
