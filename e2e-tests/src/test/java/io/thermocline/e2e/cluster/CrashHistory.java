package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/**
 * Continuous jobs on a session cluster while the hot store's server and then a TaskManager are
 * killed with {@code kill -9} at random moments; then one of them goes on from its state.
 */
abstract class CrashHistory {

    /** What the jobs may take beside the writing. */
    private static final Duration JOB_LIMIT = Duration.ofMinutes(15);

    /** And that much more for each kill of the server. */
    private static final Duration KILL_LIMIT = Duration.ofMinutes(2);

    private static final int ROWS_PER_SECOND = 500;

    /** Kills of the server, each at a random moment. */
    private static final int FULL_KILLS = 12;

    private static final int FULL_LENGTH = 8;

    /** Writing takes at least this time, and longer where the cluster was slow to start. */
    private static final double MIN_SECONDS = 15;

    private static final double LENGTH = 1.5;

    /** Rows that are written while nothing counts them. */
    private static final int MORE_ROWS = 100;

    private static final String[] START_CLUSTER = {
        "cluster",
        "start",
        "--slots",
        "4",
        "-D",
        "heartbeat.interval=1000",
        "-D",
        "heartbeat.timeout=15000"
    };

    private static final String COUNT = "INSERT INTO seen SELECT 1, COUNT(*), SUM(id) FROM t;\n";

    /** Two jobs: count what a streaming read of {@code t} sees; write it. */
    private static final String JOBS =
            """
            SET 'state.backend.type' = 'rocksdb';
            SET 'execution.checkpointing.interval' = '1 s';
            SET 'execution.checkpointing.externalized-checkpoint-retention' =
              'RETAIN_ON_CANCELLATION';
            CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED)
              DISTRIBUTED BY HASH (id) INTO 2 BUCKETS WITH ('tiering.freshness' = '5 s');
            CREATE TABLE seen (k INT, n BIGINT, total BIGINT, PRIMARY KEY (k) NOT ENFORCED);
            CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector' = 'datagen',
              'rows-per-second' = '%1$d', 'fields.id.kind' = 'sequence',
              'fields.id.start' = '1', 'fields.id.end' = '%2$d');
            SET 'pipeline.name' = 'counting';
            """
                    + COUNT
                    + """
                    SET 'pipeline.name' = 'writing';
                    INSERT INTO t SELECT id, CONCAT('v', CAST(id AS STRING)) FROM numbers;
                    """;

    private static final String BATCH =
            "SET 'execution.runtime-mode' = 'batch'; SET 'table.dml-sync' = 'true';\n";

    private static final String STOP =
            """
            SET 'execution.checkpointing.savepoint-dir' = '%ssavepoints';
            STOP JOB '%s' WITH SAVEPOINT;
            """;

    private static final String VERIFY =
            "CALL sys.verify('default.t');\nCALL sys.verify('default.seen');\n";

    /** How the counting job's state is kept. */
    enum Kept {
        SAVEPOINT,
        CHECKPOINT_OF_A_KILLED_CLUSTER
    }

    @TempDir private Path directory;

    /**
     * Every acknowledged row is there once after crashes.
     *
     * @param flink {@code 2.1} or {@code 2.2}
     * @param lake {@code paimon} or {@code iceberg}
     * @param kills kills of the server
     */
    final void run(String flink, String lake, int kills, Kept kept) throws Exception {
        boolean full = Boolean.getBoolean("thermocline.test.full");
        long seed = Long.getLong("thermocline.test.seed", full ? System.nanoTime() : 1);
        System.out.println("seed " + seed + " (-Dthermocline.test.seed=" + seed + ")");
        Random random = new Random(seed);
        try (Workbench bench = new Workbench(directory, flink, lake)) {
            long start = System.nanoTime();
            bench.run(START_CLUSTER).succeeded();
            double startSeconds = (System.nanoTime() - start) / 1e9;
            double seconds =
                    Math.max(MIN_SECONDS, LENGTH * startSeconds) * (full ? FULL_LENGTH : 1);
            long rows = (long) (ROWS_PER_SECOND * seconds);
            bench.sql(JOBS.formatted(ROWS_PER_SECOND, rows), "--cluster").succeeded();
            ClusterJobs jobs = new ClusterJobs(bench);
            awaitCheckpoint(jobs);

            int serverKills = full ? FULL_KILLS : kills;
            killAll(bench, jobs, random, serverKills, seconds);
            await().atMost(
                            JOB_LIMIT
                                    .plus(KILL_LIMIT.multipliedBy(serverKills))
                                    .plusSeconds((long) seconds))
                    .pollInterval(Duration.ofMillis(200))
                    .untilAsserted(() -> assertThat(jobs.stateOf("writing")).isEqualTo("FINISHED"));
            String state = checkContent(bench, jobs, rows, kept);
            goOnCounting(bench, state, rows);
            assertThat(bench.servers()).hasSize(1);
        }
    }

    /** From here on there is something to restore, and a server to kill. */
    private static void awaitCheckpoint(ClusterJobs jobs) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(
                        () -> {
                            assertThat(jobs.completedCheckpoints("writing")).isPositive();
                            assertThat(jobs.completedCheckpoints("counting")).isPositive();
                        });
    }

    /** Kills the server some times and then a TaskManager, in the first half of the writing. */
    private static void killAll(
            Workbench bench, ClusterJobs jobs, Random random, int serverKills, double seconds)
            throws Exception {
        Duration pause = Duration.ofMillis((long) (seconds * 1000 / 2 / (serverKills + 1)));
        for (int i = 0; i < serverKills; i++) {
            pauseAtMost(random, pause);
            killServer(bench);
        }
        pauseAtMost(random, pause);
        assertThat(jobs.stateOf("writing")).isIn("RUNNING", "RESTARTING");
        Workbench.kill(
                bench.clusterProcess("taskmanager-" + (1 + random.nextInt(2))).orElseThrow());
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

    /**
     * Batch union read; a lookup of every key and of some that are not there; the streaming count,
     * which was restored from checkpoints: a row read twice or never would show in it. Ends the
     * counting job and returns where its state is.
     */
    private static String checkContent(Workbench bench, ClusterJobs jobs, long rows, Kept kept)
            throws Exception {
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
        String job = jobs.idOf("counting");
        String stop = kept == Kept.SAVEPOINT ? STOP.formatted(bench.directory().toUri(), job) : "";
        List<List<String>> found =
                bench.sql(BATCH + script.formatted(rows + 100) + seen(rows) + stop, "--cluster")
                        .succeeded()
                        .rows();
        String n = String.valueOf(rows);
        String sum = sumTo(rows);
        assertThat(found.subList(0, 3))
                .containsExactly(List.of(n, n, sum, n), List.of(n, sum), List.of(n, sum));
        if (kept == Kept.SAVEPOINT) {
            assertThat(found).hasSize(4);
            assertThat(jobs.stateOf("counting")).isEqualTo("FINISHED");
            return found.get(3).get(0);
        }
        for (String name : List.of("jobmanager", "taskmanager-1", "taskmanager-2")) {
            bench.clusterProcess(name).ifPresent(Workbench::kill);
        }
        String checkpoint = newestCheckpoint(bench.checkpoints().resolve(job)).toUri().toString();
        Path left = bench.clusterTemporaryFiles().resolve("tm_taskmanager-1/blobStorage/left");
        Files.createFile(left);
        bench.run(START_CLUSTER).succeeded();
        assertThat(left).doesNotExist();
        return checkpoint;
    }

    private static Path newestCheckpoint(Path directory) throws IOException {
        try (Stream<Path> checkpoints = Files.list(directory)) {
            return checkpoints
                    .filter(checkpoint -> Files.exists(checkpoint.resolve("_metadata")))
                    .max(Comparator.comparingLong(CrashHistory::number))
                    .orElseThrow();
        }
    }

    private static long number(Path checkpoint) {
        return Long.parseLong(checkpoint.getFileName().toString().replace("chk-", ""));
    }

    /**
     * The streaming read starts from kept state, after rows that came while it did not run. Then
     * changelog, key index and lake say the same, whatever crashed in between.
     */
    private static void goOnCounting(Workbench bench, String state, long rows) throws Exception {
        long all = rows + MORE_ROWS;
        String script =
                """
                CREATE TEMPORARY TABLE more (id BIGINT) WITH ('connector' = 'datagen',
                  'number-of-rows' = '%3$d', 'fields.id.kind' = 'sequence',
                  'fields.id.start' = '%1$d', 'fields.id.end' = '%2$d');
                INSERT INTO t SELECT id, CONCAT('v', CAST(id AS STRING)) FROM more;
                SET 'execution.runtime-mode' = 'streaming';
                SET 'table.dml-sync' = 'false';
                SET 'state.backend.type' = 'rocksdb';
                SET 'execution.state-recovery.path' = '%4$s';
                """
                        .formatted(rows + 1, all, MORE_ROWS, state);
        String reset = "RESET 'execution.state-recovery.path';\n" + BATCH;
        List<List<String>> found =
                bench.sql(BATCH + script + COUNT + reset + seen(all) + VERIFY, "--cluster")
                        .succeeded()
                        .rows();
        assertThat(found).hasSize(4);
        assertThat(found.get(0)).containsExactly(String.valueOf(all), sumTo(all));
        assertThat(found.subList(1, 4)).allMatch(row -> row.get(11).equals("TRUE"));
    }

    /** Statements that show what was counted once the number of rows is there. */
    private static String seen(long rows) {
        return "--! wait until SELECT n FROM seen WHERE k = 1 is "
                + rows
                + " within 120 s\nSELECT n, total FROM seen;\n";
    }

    private static String sumTo(long n) {
        return String.valueOf(n * (n + 1) / 2);
    }
}
