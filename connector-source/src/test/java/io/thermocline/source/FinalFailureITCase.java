package io.thermocline.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.thermocline.lake.conformance.TestTable;
import io.thermocline.source.enumerator.EnumeratorState;
import io.thermocline.source.enumerator.ReadRequest;
import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.Startup;
import io.thermocline.unionread.plan.Tier;
import io.thermocline.unionread.testing.TestWarehouse;
import io.thermocline.unionread.testing.WarehouseTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that would restart for ever, but fail for good where that is in vain. */
class FinalFailureITCase {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final String COLUMNS =
            "id BIGINT NOT NULL, v STRING, PRIMARY KEY (id) NOT ENFORCED";
    private static final Duration LIMIT = Duration.ofMinutes(1);

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

    @Test
    void aReadOfATableThatIsDropped() throws Exception {
        WarehouseTable table = createTable();
        table.write(row(1, "a"));
        SqlSession session = SqlSession.streaming(restarting()).register("t", COLUMNS, table, "");
        TableResult result = session.run("SELECT * FROM t");
        try (CloseableIterator<Row> rows = result.collect()) {
            assertThat(SqlSession.next(rows, 1)).containsExactly("+I[1, a]");
            drop(table);
            assertFails(result, "TABLE_NOT_FOUND", "db.t");
        }
    }

    @Test
    void aSavepointOfATableThatWasDroppedAndCreatedAgain() throws Exception {
        WarehouseTable first = createTable();
        first.write(row(1, "a"));
        SqlSession session = SqlSession.streaming(restarting()).register("t", COLUMNS, first, "");
        TableResult before = session.run("SELECT * FROM t");
        String savepoint;
        try (CloseableIterator<Row> rows = before.collect()) {
            assertThat(SqlSession.next(rows, 1)).containsExactly("+I[1, a]");
            savepoint =
                    before.getJobClient()
                            .orElseThrow()
                            .stopWithSavepoint(
                                    false,
                                    directory.resolve("savepoints").toUri().toString(),
                                    SavepointFormatType.CANONICAL)
                            .get();
        }
        drop(first);
        WarehouseTable second = createTable();
        second.write(row(1, "b"));

        Configuration configuration = restarting();
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
        TableResult after =
                SqlSession.streaming(configuration)
                        .register("t", COLUMNS, second, "")
                        .run("SELECT * FROM t");
        assertFails(
                after,
                "TABLE_RECREATED: the state to restore was read from table id "
                        + first.logical().spec().tableId()
                        + ", but table db.t has id "
                        + second.logical().spec().tableId()
                        + " now");
    }

    @Test
    void aCoordinatorRefusesStateOfAnotherTableWhenItStarts() throws Exception {
        WarehouseTable table = createTable();
        ReadRequest request =
                new ReadRequest(
                        table.logical(),
                        UnionScan.of(List.of("id", "v")),
                        new Startup.Full(),
                        Tier.UNION,
                        false,
                        Duration.ofMinutes(5));
        ThermoclineSource source =
                new ThermoclineSource(
                        request, InternalTypeInfo.of(table.logical().spec().rowType()), 1 << 20);
        EnumeratorState state =
                new EnumeratorState("earlier", new Startup.Full(), true, List.of(), Set.of(), null);
        // Flink would swallow it if it came any earlier
        try (SplitEnumerator<ThermoclineSplit, EnumeratorState> refusing =
                source.restoreEnumerator(new TestingSplitEnumeratorContext<>(1), state)) {
            assertThatThrownBy(refusing::start)
                    .isInstanceOf(SuppressRestartsException.class)
                    .cause()
                    .hasMessageContaining("the state to restore was read from table id earlier");
        }
    }

    private static Configuration restarting() {
        return new Configuration()
                .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(100))
                .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
                .set(
                        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS,
                        Integer.MAX_VALUE)
                .set(
                        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY,
                        Duration.ofMillis(10));
    }

    private static void assertFails(TableResult result, String... texts) throws Exception {
        JobClient job = result.getJobClient().orElseThrow();
        await().atMost(LIMIT).until(() -> job.getJobStatus().get().isGloballyTerminalState());
        assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.FAILED);
        assertThat(job.getJobExecutionResult())
                .failsWithin(LIMIT)
                .withThrowableThat()
                .satisfies(
                        e -> {
                            for (String text : texts) {
                                assertThat(e).hasStackTraceContaining(text);
                            }
                        });
    }

    private WarehouseTable createTable() {
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("v", DataTypes.STRING())
                        .primaryKey("id");
        return warehouse.createTable("t", definition, List.of("id"), 1);
    }

    private void drop(WarehouseTable table) throws Exception {
        ObjectPath path = table.logical().spec().path();
        warehouse.lake().flinkCatalog().dropTable(path, false);
        warehouse.store().dropTable(table.logical().spec().tableId());
    }

    private static GenericRowData row(long id, String value) {
        return GenericRowData.of(id, StringData.fromString(value));
    }
}
