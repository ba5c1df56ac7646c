package io.thermocline.e2e.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tables that the lakes' own connectors make and write get a hot tier, and lose it again, while the
 * hot store's server is killed; the lakes' own connectors read them in between.
 */
class AttachITCase {

    private static final boolean FULL = Boolean.getBoolean("thermocline.test.full");
    private static final int ROUNDS = FULL ? 4 : 1;
    private static final int KEYS = 60;

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private Path warehouse;

    private ServerProcess server;

    private final Map<Long, String> model = new TreeMap<>();

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    /** Options of a lake's plain table. */
    enum Plain {
        PAIMON("paimon", "'bucket'='2', 'bucket-key'='id'"),
        PAIMON_DYNAMIC("paimon", "'bucket'='-1', 'dynamic-bucket.target-row-num'='5'"),
        ICEBERG("iceberg", "'format-version'='2', 'write.upsert.enabled'='true'");

        private final String lake;
        private final String options;

        Plain(String lake, String options) {
            this.lake = lake;
            this.options = options;
        }
    }

    @ParameterizedTest
    @EnumSource
    void tableOfAPlainJobComesAndGoes(Plain plain) throws Exception {
        String lake = plain.lake;
        long seed = Long.getLong("thermocline.test.seed", FULL ? System.nanoTime() : 1);
        System.out.println(plain + ", seed " + seed + " (-Dthermocline.test.seed=" + seed + ")");
        Random random = new Random(seed);
        server = ServerProcess.ofWarehouse(warehouse);
        SqlSession session = new SqlSession(warehouse, lake, 2, Map.of());
        session.createPlainCatalog(warehouse, lake);
        session.execute("CREATE DATABASE db");
        session.execute("USE db");
        session.execute(
                "CREATE TABLE plain.db.t (id BIGINT, p INT, v STRING, PRIMARY KEY (id, p) NOT ENFORCED)"
                        + " PARTITIONED BY (p) WITH ("
                        + plain.options
                        + ")");
        for (int round = 0; round < ROUNDS; round++) {
            write(session, "plain.db.t", random, "plain" + round);
            alter(session, true, random);
            assertThat(session.query("SELECT id, v FROM t"))
                    .containsExactlyInAnyOrderElementsOf(rows());
            write(session, "t", random, "hot" + round);
            assertThat(session.query("SELECT id, v FROM t"))
                    .containsExactlyInAnyOrderElementsOf(rows());
            session.awaitStreaming("SELECT id, v FROM t", rows().stream().sorted().toList());
            assertThat(lookups(session)).containsExactlyInAnyOrderElementsOf(rows());
            if (plain == Plain.PAIMON_DYNAMIC || FULL) {
                writeBeside(session, random, "beside" + round);
            }
            alter(session, false, random);
            assertThat(session.query("SELECT id, v FROM plain.db.t"))
                    .containsExactlyInAnyOrderElementsOf(rows());
            assertThat(session.query("SELECT id, v FROM t"))
                    .containsExactlyInAnyOrderElementsOf(rows());
        }
    }

    private List<String> rows() {
        return model.entrySet().stream().map(row -> row.getKey() + "|" + row.getValue()).toList();
    }

    private void write(SqlSession session, String table, Random random, String value)
            throws Exception {
        StringBuilder values = new StringBuilder();
        for (long id : random.longs(25, 0, KEYS).distinct().toArray()) {
            values.append(values.isEmpty() ? "" : ", ")
                    .append("(%d, %d, '%s-%d')".formatted(id, id % 2, value, id));
            model.put(id, value + "-" + id);
        }
        session.execute("INSERT INTO " + table + " VALUES " + values);
    }

    /** A plain job writes to the table while it has a hot tier. */
    private void writeBeside(SqlSession session, Random random, String value) throws Exception {
        session.execute("ALTER TABLE t SET ('hot.on-foreign-commit'='absorb')");
        session.execute("CALL sys.tier('db.t')");
        write(session, "plain.db.t", random, value);
        session.execute("CALL sys.tier('db.t')");
        assertThat(lookups(session)).containsExactlyInAnyOrderElementsOf(rows());
        write(session, "t", random, value + "-hot");
        session.execute("CALL sys.tier('db.t')");
        assertThat(session.query("SELECT id, v FROM plain.db.t"))
                .containsExactlyInAnyOrderElementsOf(rows());
    }

    private static List<String> lookups(SqlSession session) throws Exception {
        return session.query(
                "SELECT k.id, t.v FROM (SELECT id, p, PROCTIME() AS pt FROM (SELECT id, p FROM t) AS s) AS k"
                        + " JOIN t FOR SYSTEM_TIME AS OF k.pt ON t.id = k.id AND t.p = k.p");
    }

    /** Kills the server at some moment of the statement, and says it again as long as it fails. */
    private void alter(SqlSession session, boolean hot, Random random) throws Exception {
        String statement = "ALTER TABLE t SET ('hot.enabled'='%s')".formatted(hot);
        CompletableFuture<Exception> first =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                session.execute(statement);
                                return null;
                            } catch (Exception e) {
                                return e;
                            }
                        });
        CompletableFuture<Void> moment =
                new CompletableFuture<Void>()
                        .completeOnTimeout(null, random.nextInt(1_500), TimeUnit.MILLISECONDS);
        CompletableFuture.anyOf(first, moment).get();
        server.kill();
        if (first.get(SqlSession.TIMEOUT.toSeconds(), TimeUnit.SECONDS) != null) {
            session.execute(statement);
        }
        String state = session.query("SHOW CREATE TABLE t").get(0);
        assertThat(state.contains("'hot.enabled' = 'false'")).isEqualTo(!hot);
    }
}
