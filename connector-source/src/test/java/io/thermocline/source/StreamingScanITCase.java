package io.thermocline.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.unionread.testing.TestWarehouse;
import io.thermocline.unionread.testing.WarehouseTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamingScanITCase {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final String KEYED =
            "id BIGINT NOT NULL, v STRING, PRIMARY KEY (id) NOT ENFORCED";
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir Path directory;

    private TestWarehouse warehouse;

    @BeforeEach
    void openWarehouse() throws Exception {
        warehouse = TestWarehouse.in(directory);
    }

    @AfterEach
    void closeWarehouse() {
        warehouse.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsTheStateThenEveryChange(boolean objectReuse) throws Exception {
        WarehouseTable table = keyedTable(2);
        table.write(row(1, "a"), row(2, "b"));
        table.tier();
        table.write(row(2, "B"), row(3, "c"));
        Configuration configuration =
                new Configuration().set(PipelineOptions.OBJECT_REUSE, objectReuse);
        SqlSession session = SqlSession.streaming(configuration).register("t", KEYED, table, "");

        TableResult result = session.run("SELECT * FROM t");
        try (CloseableIterator<Row> rows = result.collect()) {
            assertThat(SqlSession.next(rows, 5))
                    .containsExactlyInAnyOrder(
                            "+I[1, a]", "+I[2, b]", "-U[2, b]", "+U[2, B]", "+I[3, c]");
            table.write(delete(1, "a"));
            assertThat(SqlSession.next(rows, 1)).containsExactly("-D[1, a]");
            table.write(row(3, "C"));
            assertThat(SqlSession.next(rows, 2)).containsExactly("-U[3, c]", "+U[3, C]");
        }
        end(result);
    }

    @Test
    void startsAtTheEndOfTheChangelog() throws Exception {
        WarehouseTable table = keyedTable(1);
        table.write(row(1, "a"));
        SqlSession session =
                SqlSession.streaming()
                        .register("t", KEYED, table, ", 'scan.startup.mode' = 'latest'");
        TableResult result = session.run("SELECT * FROM t");
        try (CloseableIterator<Row> rows = result.collect();
                Writes writes = new Writes(table)) {
            assertThat(rows.next().toString()).matches("\\+I\\[1\\d*, x]");
            assertThat(writes.hasFailed()).isFalse();
        }
        end(result);
    }

    /** Writes new keys until it is closed: the moment in which a job starts cannot be seen. */
    private static final class Writes implements AutoCloseable {

        private static final int FIRST_ID = 1_000_000;
        private final ScheduledExecutorService executor =
                Executors.newSingleThreadScheduledExecutor();
        private final ScheduledFuture<?> task;
        private long id = FIRST_ID;

        private Writes(WarehouseTable table) {
            task =
                    executor.scheduleWithFixedDelay(
                            () -> table.write(row(id++, "x")), 0, 50, TimeUnit.MILLISECONDS);
        }

        private boolean hasFailed() {
            return task.isDone();
        }

        @Override
        public void close() throws Exception {
            executor.shutdown();
            assertThat(executor.awaitTermination(3, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void startsAtAPointInTime() throws Exception {
        WarehouseTable table = keyedTable(2);
        table.write(row(1, "a"), row(2, "b"), row(3, "c"));
        table.tier();
        long later;
        try (HotTable hot = table.openHot()) {
            later = hot.offsets(new OffsetQuery.Latest()).commitTimestamp() + 1;
        }
        table.write(row(2, "B"));
        SqlSession session =
                SqlSession.streaming()
                        .register(
                                "t",
                                KEYED,
                                table,
                                ", 'scan.startup.mode' = 'timestamp',"
                                        + " 'scan.startup.timestamp-millis' = '"
                                        + later
                                        + "'");
        TableResult result = session.run("SELECT * FROM t");
        try (CloseableIterator<Row> rows = result.collect()) {
            assertThat(SqlSession.next(rows, 2)).containsExactly("-U[2, b]", "+U[2, B]");
        }
        end(result);
    }

    @Test
    void moreTasksThanBucketsDoNotHoldBackWatermarks() throws Exception {
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("ts", DataTypes.TIMESTAMP(3));
        WarehouseTable table = warehouse.createTable("events", definition, List.of("id"), 1);
        for (long id = 0; id < 4; id++) {
            table.write(
                    GenericRowData.of(
                            id, TimestampData.fromEpochMillis(Math.max(0, id - 1) * 500)));
        }
        Configuration configuration = new Configuration().set(CoreOptions.DEFAULT_PARALLELISM, 2);
        SqlSession session =
                SqlSession.streaming(configuration)
                        .register(
                                "t",
                                "id BIGINT NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts",
                                table,
                                "");
        TableResult result =
                session.run(
                        "SELECT window_end, COUNT(*) FROM TUMBLE(TABLE t, DESCRIPTOR(ts),"
                                + " INTERVAL '1' SECOND) GROUP BY window_start, window_end");
        try (CloseableIterator<Row> rows = result.collect()) {
            assertThat(SqlSession.next(rows, 1)).containsExactly("+I[1970-01-01T00:00:01, 3]");
        }
        end(result);
    }

    @Test
    void logTableNeverRepeatsTieredRows() throws Exception {
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("v", DataTypes.STRING());
        WarehouseTable table = warehouse.createTable("log", definition, List.of("id"), 2);
        table.write(row(1, "a"), row(2, "b"));
        table.tier();
        table.write(row(3, "c"));
        SqlSession session =
                SqlSession.streaming().register("t", "id BIGINT NOT NULL, v STRING", table, "");
        TableResult result = session.run("SELECT id FROM t");
        try (CloseableIterator<Row> rows = result.collect()) {
            assertThat(SqlSession.next(rows, 3))
                    .containsExactlyInAnyOrder("+I[1]", "+I[2]", "+I[3]");
            table.write(row(4, "d"));
            table.tier();
            table.write(row(5, "e"));
            assertThat(SqlSession.next(rows, 2)).containsExactlyInAnyOrder("+I[4]", "+I[5]");
        }
        end(result);
    }

    @Test
    void goesOnAfterASavepointWithoutReadingTheStateAgain() throws Exception {
        WarehouseTable table = keyedTable(2);
        table.write(row(1, "a"), row(2, "b"));
        table.tier();
        SqlSession first = SqlSession.streaming(checkpointed(null)).register("t", KEYED, table, "");
        TableResult before = first.run("SELECT * FROM t");
        String savepoint;
        try (CloseableIterator<Row> rows = before.collect()) {
            assertThat(SqlSession.next(rows, 2)).containsExactlyInAnyOrder("+I[1, a]", "+I[2, b]");
            savepoint =
                    before.getJobClient()
                            .orElseThrow()
                            .stopWithSavepoint(
                                    false,
                                    directory.resolve("savepoints").toUri().toString(),
                                    SavepointFormatType.CANONICAL)
                            .get();
        }
        table.write(row(2, "B"));
        table.tier();
        // the mode of the restored read is that of its first start
        SqlSession second =
                SqlSession.streaming(checkpointed(savepoint)).register("t", KEYED, table, "");
        TableResult after = second.run("SELECT * FROM t");
        try (CloseableIterator<Row> rows = after.collect()) {
            assertThat(SqlSession.next(rows, 2)).containsExactly("-U[2, b]", "+U[2, B]");
            table.write(row(4, "d"));
            assertThat(SqlSession.next(rows, 1)).containsExactly("+I[4, d]");
        }
        end(after);
    }

    @Test
    void aReaderWithItsOwnParallelismReadsAProjection() throws Exception {
        WarehouseTable table = keyedTable(3);
        table.write(row(1, "a"), row(2, "b"), row(3, "c"));
        SqlSession session =
                SqlSession.streaming().register("t", KEYED, table, ", 'scan.parallelism' = '1'");
        TableResult result = session.run("SELECT v, COUNT(*) FROM t GROUP BY v");
        try (CloseableIterator<Row> rows = result.collect()) {
            assertThat(SqlSession.next(rows, 3))
                    .containsExactlyInAnyOrder("+I[a, 1]", "+I[b, 1]", "+I[c, 1]");
        }
        end(result);
    }

    private static Configuration checkpointed(String savepoint) {
        Configuration configuration =
                new Configuration()
                        .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        if (savepoint != null) {
            configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
            // the operator that hands rows to the test has another id in every job
            configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
        }
        return configuration;
    }

    private static void end(TableResult result) throws Exception {
        JobClient job = result.getJobClient().orElseThrow();
        if (!job.getJobStatus().get().isGloballyTerminalState()) {
            job.cancel().get();
        }
        await().atMost(LIMIT).until(() -> job.getJobStatus().get().isGloballyTerminalState());
    }

    private WarehouseTable keyedTable(int buckets) {
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("v", DataTypes.STRING())
                        .primaryKey("id");
        return warehouse.createTable("t", definition, List.of("id"), buckets);
    }

    private static RowData row(long id, String value) {
        return GenericRowData.of(id, StringData.fromString(value));
    }

    private static RowData delete(long id, String value) {
        RowData row = row(id, value);
        row.setRowKind(RowKind.DELETE);
        return row;
    }
}
