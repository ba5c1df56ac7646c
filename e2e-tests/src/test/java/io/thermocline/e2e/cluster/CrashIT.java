package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Continuous jobs on a session cluster while the hot store's server and then a TaskManager are
 * killed with {@code kill -9} at random moments.
 */
class CrashIT {

    private static final Duration JOB_LIMIT = Duration.ofMinutes(15);
    private static final int ROWS_PER_SECOND = 500;

    /** Kills of the server, each at a random moment. */
    private static final int FULL_KILLS = 12;

    private static final int FULL_LENGTH = 8;

    /**
     * Writing takes this many times as long as starting the cluster, which tells a slow machine.
     */
    private static final double LENGTH = 4;

    /** Two jobs: write {@code t}; count what a streaming read of it sees. */
    private static final String JOBS =
            """
            SET 'state.backend.type' = 'rocksdb';
            SET 'execution.checkpointing.interval' = '1 s';
            CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED)
              DISTRIBUTED BY HASH (id) INTO 2 BUCKETS WITH ('tiering.freshness' = '5 s');
            CREATE TABLE seen (k INT, n BIGINT, total BIGINT, PRIMARY KEY (k) NOT ENFORCED);
            CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector' = 'datagen',
              'rows-per-second' = '%1$d', 'fields.id.kind' = 'sequence',
              'fields.id.start' = '1', 'fields.id.end' = '%2$d');
            SET 'pipeline.name' = 'writing';
            INSERT INTO t SELECT id, CONCAT('v', CAST(id AS STRING)) FROM numbers;
            SET 'pipeline.name' = 'counting';
            INSERT INTO seen SELECT 1, COUNT(*), SUM(id) FROM t;
            """;

    private static final String BATCH =
            "SET 'execution.runtime-mode' = 'batch'; SET 'table.dml-sync' = 'true';\n";

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({"2.1, 2", "2.2, 1"})
    void everyAcknowledgedRowIsThereOnceAfterCrashes(String flink, int kills) throws Exception {
        boolean full = Boolean.getBoolean("thermocline.test.full");
        run(flink, full ? FULL_KILLS : kills, full ? LENGTH * FULL_LENGTH : LENGTH);
    }

    private void run(String flink, int kills, double length) throws Exception {
        long seed = Long.getLong("thermocline.test.seed", System.nanoTime());
        System.out.println("CrashIT seed " + seed + " (-Dthermocline.test.seed=" + seed + ")");
        Random random = new Random(seed);
        try (Workbench bench = new Workbench(directory, flink)) {
            long start = System.nanoTime();
            bench.run(
                            "cluster",
                            "start",
                            "--slots",
                            "4",
                            "-D",
                            "heartbeat.interval=1000",
                            "-D",
                            "heartbeat.timeout=15000")
                    .succeeded();
            double startSeconds = (System.nanoTime() - start) / 1e9;
            int rows = (int) (ROWS_PER_SECOND * length * startSeconds);
            bench.sql(JOBS.formatted(ROWS_PER_SECOND, rows), "--cluster").succeeded();
            ClusterJobs jobs = new ClusterJobs(bench);
            awaitCheckpoint(jobs);

            for (int i = 0; i < kills; i++) {
                pauseAtMost(random, Duration.ofSeconds(5));
                killServer(bench);
            }
            pauseAtMost(random, Duration.ofSeconds(5));
            assertThat(jobs.stateOf("writing")).isIn("RUNNING", "RESTARTING");
            Workbench.kill(bench.clusterProcess("taskmanager-" + (1 + random.nextInt(2))));

            await().atMost(JOB_LIMIT)
                    .pollInterval(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(jobs.stateOf("writing")).isEqualTo("FINISHED"));
            checkContent(bench, rows);
            checkStreamingRead(bench, rows);
            assertThat(bench.servers()).hasSize(1);
        }
    }

    /** From here on there is something to restore, and a server to kill. */
    private static void awaitCheckpoint(ClusterJobs jobs) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(
                        () -> {
                            assertThat(jobs.completedCheckpoints("writing")).isPositive();
                            assertThat(jobs.completedCheckpoints("counting")).isPositive();
                        });
    }

    /** A random moment, not a wait for something to happen. */
    private static void pauseAtMost(Random random, Duration limit) {
        Duration pause = Duration.ofMillis(random.nextLong(limit.toMillis()) + 1);
        await().pollDelay(pause).atMost(pause.plusSeconds(10)).until(() -> true);
    }

    private static void killServer(Workbench bench) {
        await().atMost(Duration.ofMinutes(1)).until(() -> bench.servers().size() == 1);
        Workbench.kill(bench.servers().get(0));
    }

    /** Batch union read, and a lookup of every key and of some that are not there. */
    private static void checkContent(Workbench bench, long rows) throws Exception {
        String script =
                """
                SELECT COUNT(*), COUNT(DISTINCT id), SUM(id),
                  SUM(CASE WHEN v = CONCAT('v', CAST(id AS STRING)) THEN 1 ELSE 0 END) FROM t;
                CREATE TEMPORARY TABLE keys (id BIGINT) WITH ('connector' = 'datagen',
                  'number-of-rows' = '%1$d', 'rows-per-second' = '100000',
                  'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '%1$d');
                SELECT COUNT(*), SUM(t.id) FROM (SELECT id, PROCTIME() AS p FROM keys) AS k
                  JOIN t FOR SYSTEM_TIME AS OF k.p ON k.id = t.id;
                """;
        List<List<String>> found =
                bench.sql(BATCH + script.formatted(rows + 100), "--cluster").succeeded().rows();
        String n = String.valueOf(rows);
        String sum = String.valueOf(rows * (rows + 1) / 2);
        assertThat(found).containsExactly(List.of(n, n, sum, n), List.of(n, sum));
    }

    /** The count was restored from checkpoints; a row read twice or never would show in it. */
    private static void checkStreamingRead(Workbench bench, long rows) throws Exception {
        String wait =
                "--! wait until SELECT n FROM seen WHERE k = 1 is " + rows + " within 120 s\n";
        List<List<String>> found =
                bench.sql(BATCH + wait + "SELECT n, total FROM seen;", "--cluster")
                        .succeeded()
                        .rows();
        assertThat(found)
                .containsExactly(
                        List.of(String.valueOf(rows), String.valueOf(rows * (rows + 1) / 2)));
    }
}
