package io.thermocline.e2e.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A running lookup join outlives the server that answers it. */
class LookupAcrossRestartITCase {

    private static final int ROWS_PER_SECOND = 200;

    /** Enough that most of the probe is still to come when the server dies. */
    private static final int PROBES = 5 * ROWS_PER_SECOND;

    private static final int ANSWERS_BEFORE_KILL = ROWS_PER_SECOND / 4;

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private Path warehouse;

    private ServerProcess server;
    private SqlSession session;

    // Environments of a test run on the cluster of the class; others would start one of their own.
    private void fillTable(String lake) throws Exception {
        server = ServerProcess.ofWarehouse(warehouse);
        session = new SqlSession(warehouse, lake, 2, Map.of("restart-strategy.type", "disable"));
        session.execute("CREATE DATABASE db");
        session.execute("USE db");
        session.execute(
                "CREATE TABLE dim (id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED)"
                        + " DISTRIBUTED BY (id) INTO 3 BUCKETS");
        String keys =
                "CREATE TEMPORARY TABLE %1$s (id BIGINT) WITH ('connector' = 'datagen',"
                        + " 'number-of-rows' = '%2$d', 'rows-per-second' = '%3$d',"
                        + " 'fields.id.kind' = 'sequence', 'fields.id.start' = '1',"
                        + " 'fields.id.end' = '%2$d')";
        session.execute(keys.formatted("numbers", PROBES, 1_000_000));
        session.execute(keys.formatted("slow_numbers", PROBES, ROWS_PER_SECOND));
        session.execute(
                "INSERT INTO dim SELECT id, CONCAT('v', CAST(id AS STRING)) FROM numbers"
                        + " WHERE MOD(id, 3) > 0");
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    @ParameterizedTest(name = "{0}, async {1}")
    @CsvSource({"paimon, true", "iceberg, false"})
    void everyProbeIsAnsweredOnceByOneAttemptOfTheJob(
            String lake, boolean async, @InjectMiniCluster MiniCluster cluster) throws Exception {
        fillTable(lake);
        TableResult result =
                session.streaming()
                        .tables()
                        .executeSql(
                                ("SELECT p.id, d.v FROM (SELECT id, PROCTIME() AS pt FROM slow_numbers)"
                                                + " AS p LEFT JOIN dim /*+ OPTIONS('lookup.async'='%s') */"
                                                + " FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.id")
                                        .formatted(async));
        JobID job = result.getJobClient().orElseThrow().getJobID();
        AtomicInteger answers = new AtomicInteger();
        CompletableFuture<List<String>> rows =
                CompletableFuture.supplyAsync(() -> collect(result, answers));
        await().atMost(SqlSession.TIMEOUT).until(() -> answers.get() >= ANSWERS_BEFORE_KILL);
        long killed = server.pid().orElseThrow();

        server.kill();

        await().atMost(SqlSession.TIMEOUT)
                .until(() -> server.pid().filter(pid -> pid != killed).isPresent());
        assertThat(answers).as("answers before the new server").hasValueLessThan(PROBES);
        assertThat(cluster.getJobStatus(job).get()).isEqualTo(JobStatus.RUNNING);
        assertThat(rows.get(SqlSession.TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, PROBES)
                                .mapToObj(id -> id + "|" + (id % 3 > 0 ? "v" + id : "NULL"))
                                .toList());
        assertThat(attemptNumbers(cluster.getExecutionGraph(job).get())).containsOnly(0);
    }

    private static List<String> collect(TableResult result, AtomicInteger answers) {
        List<String> rows = new ArrayList<>();
        try (CloseableIterator<Row> all = result.collect()) {
            while (all.hasNext()) {
                rows.add(RowText.of(all.next()));
                answers.incrementAndGet();
            }
        } catch (Exception e) {
            throw new AssertionError("the join failed after " + rows.size() + " rows", e);
        }
        return rows;
    }

    private static List<Integer> attemptNumbers(AccessExecutionGraph graph) {
        return StreamSupport.stream(graph.getAllExecutionVertices().spliterator(), false)
                .map(vertex -> vertex.getCurrentExecutionAttempt().getAttemptNumber())
                .toList();
    }
}
