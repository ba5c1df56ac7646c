package io.thermocline.e2e.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Warehouses in an object store: the lake tier and the store record are there, the hot tier not.
 */
class S3WarehouseITCase {

    @RegisterExtension private static final S3Endpoint S3 = new S3Endpoint();

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private Path hotDirectory;

    private static EmbeddedPostgres postgres;

    private ServerProcess server;

    @BeforeAll
    static void startCatalogs() throws IOException {
        postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    }

    @AfterAll
    static void stopCatalogs() throws IOException {
        postgres.close();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    // By default Iceberg alone, where class loaders matter.
    // Hadoop.
    @EnabledIfSystemProperty(named = "thermocline.test.full", matches = "true")
    @Test
    void paimon() throws Exception {
        everyTierIsRight(
                Map.of(
                        "lake",
                        "paimon",
                        "warehouse",
                        "s3://" + S3Endpoint.BUCKET + "/paimon",
                        "lake.metastore",
                        "jdbc",
                        "lake.uri",
                        catalogUri(),
                        "lake.lock.enabled",
                        "true",
                        "lake.s3.endpoint",
                        S3.uri(),
                        "lake.s3.path-style-access",
                        "true",
                        "lake.s3.access-key",
                        S3Endpoint.ACCESS_KEY,
                        "lake.s3.secret-key",
                        S3Endpoint.SECRET_KEY));
    }

    @Test
    void iceberg() throws Exception {
        Map<String, String> options = new HashMap<>();
        options.put("lake", "iceberg");
        options.put("warehouse", "s3://" + S3Endpoint.BUCKET + "/iceberg");
        options.put("lake.catalog-type", "jdbc");
        options.put("lake.uri", catalogUri());
        options.put("lake.jdbc.schema-version", "V1");
        options.put("lake.io-impl", "org.apache.iceberg.aws.s3.S3FileIO");
        options.put("lake.s3.endpoint", S3.uri());
        options.put("lake.s3.path-style-access", "true");
        options.put("lake.s3.access-key-id", S3Endpoint.ACCESS_KEY);
        options.put("lake.s3.secret-access-key", S3Endpoint.SECRET_KEY);
        options.put("lake.client.region", "us-east-1");
        everyTierIsRight(options);
        aRenamedTableKeepsBothTiers(options);
    }

    /** Iceberg's Hadoop catalog does not rename, so that this is for one that does. */
    private void aRenamedTableKeepsBothTiers(Map<String, String> lakeOptions) throws Exception {
        Map<String, String> options = new HashMap<>(lakeOptions);
        options.put("server.hot-directory", hotDirectory.toString());
        SqlSession session = new SqlSession(options, 2, Map.of());
        session.execute("USE db");
        session.execute(
                "CREATE TABLE a (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('tiering.freshness'='500 ms')");
        session.execute("INSERT INTO a VALUES (1, 'one'), (2, 'two')");
        session.execute("CALL sys.tier('db.a')");
        session.execute("INSERT INTO a VALUES (2, 'TWO')");
        session.execute("ALTER TABLE a RENAME TO b");
        session.awaitRows("SELECT * FROM `b$lake`", List.of("1|one", "2|TWO"));
        session.execute("INSERT INTO b VALUES (3, 'three')");
        assertThat(sorted(session, "SELECT * FROM b")).containsExactly("1|one", "2|TWO", "3|three");
        session.awaitRows("SELECT * FROM `b$lake`", List.of("1|one", "2|TWO", "3|three"));
        session.execute("DROP TABLE b");
    }

    private static String catalogUri() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    private void everyTierIsRight(Map<String, String> lakeOptions) throws Exception {
        Map<String, String> options = new HashMap<>(lakeOptions);
        options.put("server.hot-directory", hotDirectory.toString());
        server = ServerProcess.ofHotDirectory(hotDirectory);
        SqlSession session = new SqlSession(options, 2, Map.of());
        session.execute("CREATE DATABASE db");
        session.execute("USE db");
        session.execute(
                "CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + " DISTRIBUTED BY (id) INTO 2 BUCKETS");
        session.execute(
                "CREATE TABLE log (d STRING, n INT) PARTITIONED BY (d)"
                        + " WITH ('bucket' = '2', 'bucket-key' = 'n')");
        session.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')");
        session.execute("INSERT INTO log VALUES ('mon', 1), ('tue', 2)");
        session.execute("CALL sys.tier('db.t')");
        session.execute("CALL sys.tier('db.log')");
        session.execute("INSERT INTO t VALUES (2, 'B'), (4, 'd')");
        session.execute("INSERT INTO log VALUES ('tue', 3)");
        checkTails(session);

        server.kill();
        checkTails(session);

        session.execute("CALL sys.tier('db.t')");
        session.execute("CALL sys.tier('db.log')");
        assertThat(sorted(session, "SELECT * FROM `t$lake`"))
                .containsExactly("1|a", "2|B", "3|c", "4|d");
        assertThat(sorted(session, "SELECT * FROM `log$lake`"))
                .containsExactly("mon|1", "tue|2", "tue|3");
        session.execute("DROP TABLE t");
        session.execute("DROP TABLE log");
        assertThat(sorted(session, "SHOW TABLES")).isEmpty();
    }

    /** The lake as it was tiered, and the whole table from both tiers. */
    private static void checkTails(SqlSession session) throws Exception {
        assertThat(sorted(session, "SELECT * FROM `t$lake`")).containsExactly("1|a", "2|b", "3|c");
        assertThat(sorted(session, "SELECT * FROM t")).containsExactly("1|a", "2|B", "3|c", "4|d");
        assertThat(sorted(session, "SELECT * FROM `log$lake`")).containsExactly("mon|1", "tue|2");
        assertThat(sorted(session, "SELECT * FROM log WHERE d = 'tue'"))
                .containsExactly("tue|2", "tue|3");
        session.awaitStreaming("SELECT * FROM t", List.of("1|a", "2|B", "3|c", "4|d"));
        assertThat(
                        sorted(
                                session,
                                "SELECT p.id, t.v FROM (SELECT id, PROCTIME() AS pt FROM"
                                        + " (VALUES CAST(2 AS BIGINT), CAST(9 AS BIGINT)) AS x(id)) AS p"
                                        + " LEFT JOIN t FOR SYSTEM_TIME AS OF p.pt ON p.id = t.id"))
                .containsExactly("2|B", "9|NULL");
    }

    private static List<String> sorted(SqlSession session, String query) throws Exception {
        return session.query(query).stream().sorted().toList();
    }
}
