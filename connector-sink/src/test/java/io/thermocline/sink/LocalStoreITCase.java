package io.thermocline.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.SharedHotStore;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.sink.testkit.SinkUnderTestFactory;
import io.thermocline.sink.testkit.TestTables;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** SQL into a real store, read back from its key index and its changelog. */
class LocalStoreITCase {

    private static final Duration POLL = Duration.ofSeconds(10);

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private static Path directory;

    private static LocalHotStore store;

    @BeforeAll
    static void openStore() {
        store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory),
                        path -> Optional.ofNullable(SinkUnderTestFactory.SPECS.get(path)),
                        (path, tableId) -> {
                            throw new UnsupportedOperationException("there is no lake here");
                        });
    }

    @AfterAll
    static void closeStore() {
        store.close();
    }

    @Test
    void stateOfAPrimaryKeyTableIsThatOfItsInput() throws Exception {
        Random random = new Random(7);
        Map<Long, String> expected = new HashMap<>();
        List<Row> changes = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            long id = random.nextInt(400);
            if (random.nextInt(4) == 0) {
                changes.add(Row.ofKind(RowKind.DELETE, null, id));
                expected.remove(id);
            } else {
                changes.add(Row.ofKind(RowKind.UPDATE_AFTER, "n" + i, id));
                expected.put(id, "n" + i);
            }
        }
        StreamTableEnvironment sql = session(changes);
        sql.executeSql(
                "CREATE TEMPORARY TABLE keyed (name STRING, id BIGINT, PRIMARY KEY (id) NOT ENFORCED)"
                        + " DISTRIBUTED BY HASH(id) INTO 3 BUCKETS WITH ("
                        + "'connector'='sink-under-test', 'store'='keyed')");
        sql.executeSql("INSERT INTO keyed SELECT * FROM changes").await();

        List<String> rows = new ArrayList<>();
        HotTableSpec spec = SinkUnderTestFactory.SPECS.get(new ObjectPath("db", "keyed"));
        try (HotTable table = store.openTable(spec.path(), spec.tableId());
                KeyIndexSnapshot snapshot = table.openKeyIndexSnapshot(60_000)) {
            for (int bucket = 0; bucket < spec.bucketCount(); bucket++) {
                try (KeyIndexSnapshot.Scan scan =
                        snapshot.scan(bucket, spec.rowType().getFieldNames())) {
                    for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
                        rows.addAll(print(batch));
                    }
                }
            }
        }
        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(
                        expected.entrySet().stream()
                                .map(e -> "+I[%d, %s]".formatted(e.getKey(), e.getValue()))
                                .toList());
    }

    @Test
    void everyRowOfAnAppendOnlyTableArrivesOnce() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (long id = 0; id < 5000; id++) {
            rows.add(Row.of("n" + id, id));
        }
        StreamTableEnvironment sql = session(rows);
        sql.executeSql(
                "CREATE TEMPORARY TABLE events (name STRING, id BIGINT) DISTRIBUTED INTO 2 BUCKETS"
                        + " WITH ('connector'='sink-under-test', 'store'='events',"
                        + " 'sink.buffer-flush.max-rows'='100')");
        sql.executeSql("INSERT INTO events SELECT name, id FROM changes").await();
        assertThat(changelog("events"))
                .containsExactlyInAnyOrderElementsOf(
                        rows.stream()
                                .map(r -> "+I[%s, %s]".formatted(r.getField(1), r.getField(0)))
                                .toList());
    }

    @Test
    void droppedTableFailsTheJobWithItsName() {
        StreamTableEnvironment sql = session(List.of(Row.of("a", 1L)));
        sql.executeSql(
                "CREATE TEMPORARY TABLE gone (name STRING, id BIGINT) DISTRIBUTED INTO 1 BUCKETS"
                        + " WITH ('connector'='sink-under-test', 'store'='gone')");
        SinkUnderTestFactory.STORES.put(
                "gone",
                () -> {
                    SinkUnderTestFactory.SPECS.remove(new ObjectPath("db", "gone"));
                    return new SharedHotStore(store, () -> {});
                });
        assertThatThrownBy(
                        () ->
                                sql.executeSql("INSERT INTO gone SELECT name, id FROM changes")
                                        .await())
                .hasStackTraceContaining("TABLE_NOT_FOUND: there is no table db.gone");
    }

    private static StreamTableEnvironment session(List<Row> changes) {
        for (String name : List.of("keyed", "events")) {
            SinkUnderTestFactory.STORES.put(name, () -> new SharedHotStore(store, () -> {}));
        }
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.interval", "50 ms");
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("pipeline.object-reuse", "true");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        StreamTableEnvironment sql = StreamTableEnvironment.create(env);
        boolean isInsertOnly = changes.stream().allMatch(row -> row.getKind() == RowKind.INSERT);
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("name", DataTypes.STRING())
                        .column("id", DataTypes.BIGINT().notNull());
        var stream =
                env.fromData(
                        changes,
                        Types.ROW_NAMED(new String[] {"name", "id"}, Types.STRING, Types.LONG));
        sql.createTemporaryView(
                "changes",
                isInsertOnly
                        ? sql.fromDataStream(stream, schema.build())
                        : sql.fromChangelogStream(
                                stream, schema.primaryKey("id").build(), ChangelogMode.upsert()));
        return sql;
    }

    private static List<String> changelog(String name) {
        HotTableSpec spec = SinkUnderTestFactory.SPECS.get(new ObjectPath("db", name));
        List<String> rows = new ArrayList<>();
        try (HotTable table = store.openTable(spec.path(), spec.tableId())) {
            Map<Integer, Long> ends = table.offsets(new OffsetQuery.Latest()).offsets();
            for (Map.Entry<Integer, Long> end : ends.entrySet()) {
                ChangelogScan scan =
                        new ChangelogScan(
                                end.getKey(),
                                0,
                                end.getValue(),
                                spec.rowType().getFieldNames(),
                                null);
                try (ChangelogReader reader = table.readChangelog(scan)) {
                    while (!reader.isFinished()) {
                        try (ChangelogBatch batch = reader.poll(POLL)) {
                            if (batch != null) {
                                rows.addAll(print(batch.rows()));
                            }
                        }
                    }
                }
            }
        }
        return rows;
    }

    private static List<String> print(RowBatch batch) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < batch.rowCount(); i++) {
            rows.add(TestTables.print(batch.row(i)));
        }
        return rows;
    }
}
