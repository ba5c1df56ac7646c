package io.thermocline.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.SharedHotStore;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.hotstore.testkit.HookedAppends;
import io.thermocline.sink.testkit.SinkUnderTestFactory;
import io.thermocline.sink.testkit.TestTables;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs whose tasks are restarted, or that write to a table twice, into a real store. */
@Timeout(120)
class FailoverITCase {

    private static final int KEYS = 50;
    private static final int ROWS = 6000;
    private static final int FAILURES = 2;
    private static final int BUCKETS = 3;
    private static final AtomicInteger FAILED = new AtomicInteger();

    /** By bucket, the lives of writers that wrote to it; ordered by epoch. */
    private static final Map<Integer, Set<WriterEpoch>> WRITERS = new ConcurrentHashMap<>();

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir private Path directory;
    private LocalHotStore store;

    @BeforeEach
    void openStore() {
        FAILED.set(0);
        WRITERS.clear();
        store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory),
                        path -> Optional.ofNullable(SinkUnderTestFactory.SPECS.get(path)),
                        (path, tableId) -> {
                            throw new UnsupportedOperationException("there is no lake here");
                        });
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private StreamTableEnvironment session() {
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.interval", "20 ms");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "5");
        configuration.setString("restart-strategy.fixed-delay.delay", "10 ms");
        configuration.setString("pipeline.object-reuse", "true");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(1);
        StreamTableEnvironment sql = StreamTableEnvironment.create(env);
        // Two INSERTs are to be two sinks.
        sql.getConfig().set("table.optimizer.reuse-sink-enabled", "false");
        TypeInformation<Row> type =
                Types.ROW_NAMED(new String[] {"name", "id"}, Types.STRING, Types.LONG);
        sql.createTemporaryView(
                "changes",
                sql.fromDataStream(
                        env.fromSequence(0, ROWS - 1).map(new FailingMap()).returns(type),
                        Schema.newBuilder()
                                .column("name", DataTypes.STRING())
                                .column("id", DataTypes.BIGINT().notNull())
                                .build()));
        return sql;
    }

    /** Fails a few times, somewhere in the middle, when every bucket has been written to. */
    private static final class FailingMap implements MapFunction<Long, Row> {

        private static final long serialVersionUID = 1L;

        @Override
        public Row map(Long number) {
            int failures = FAILED.get();
            if (failures < FAILURES && number == ROWS / 4 * (failures + 1)) {
                await().atMost(Duration.ofSeconds(30)).until(() -> allWrittenBy(failures + 1));
                FAILED.incrementAndGet();
                throw new IllegalStateException("failure " + failures);
            }
            return Row.of("n" + number, number % KEYS);
        }

        private static boolean allWrittenBy(int attempts) {
            return WRITERS.size() == BUCKETS
                    && WRITERS.values().stream().allMatch(lives -> lives.size() >= attempts);
        }
    }

    private void createTable(StreamTableEnvironment sql, String name) {
        sql.executeSql(
                ("CREATE TEMPORARY TABLE %s (name STRING, id BIGINT, PRIMARY KEY (id) NOT ENFORCED)"
                                + " DISTRIBUTED BY HASH(id) INTO %d BUCKETS WITH ("
                                + "'connector'='sink-under-test', 'store'='%s',"
                                + " 'sink.buffer-flush.max-rows'='20', 'sink.parallelism'='2')")
                        .formatted(name, BUCKETS, name));
        SinkUnderTestFactory.STORES.put(
                name,
                () ->
                        HookedAppends.of(
                                new SharedHotStore(store, () -> {}),
                                (table, batch) -> {
                                    WRITERS.computeIfAbsent(batch.bucket(), b -> newWriterSet())
                                            .add(batch.writer());
                                    return table.append(batch);
                                }));
    }

    private static Set<WriterEpoch> newWriterSet() {
        return new ConcurrentSkipListSet<>((a, b) -> Long.compare(a.epoch(), b.epoch()));
    }

    private static Map<Long, String> expected() {
        Map<Long, String> rows = new TreeMap<>();
        for (long number = 0; number < ROWS; number++) {
            rows.put(number % KEYS, "n" + number);
        }
        return rows;
    }

    private static Map<Long, String> rows(HotTable table) {
        Map<Long, String> rows = new TreeMap<>();
        try (KeyIndexSnapshot snapshot = table.openKeyIndexSnapshot(60_000)) {
            for (int bucket = 0; bucket < table.spec().bucketCount(); bucket++) {
                try (KeyIndexSnapshot.Scan scan =
                        snapshot.scan(bucket, table.spec().rowType().getFieldNames())) {
                    for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
                        try (RowBatch open = batch) {
                            for (int i = 0; i < open.rowCount(); i++) {
                                rows.put(
                                        open.row(i).getLong(1),
                                        open.row(i).getString(0).toString());
                            }
                        }
                    }
                }
            }
        }
        return rows;
    }

    private HotTable open(String name) {
        HotTableSpec spec = SinkUnderTestFactory.SPECS.get(new ObjectPath("db", name));
        return store.openTable(spec.path(), spec.tableId());
    }

    private static AppendBatch late(HotTable table, int bucket, WriterEpoch writer, long sequence) {
        try (RowBatchBuilder rows =
                new RowBatchBuilder(table.spec().rowType(), ArrowMemory.root())) {
            rows.append(TestTables.row(RowKind.UPDATE_AFTER, 7L, "from the dead"));
            return new AppendBatch(bucket, writer, sequence, rows.finish());
        }
    }

    @Test
    void everyAttemptTakesOverFromTheOneBefore() throws Exception {
        StreamTableEnvironment sql = session();
        createTable(sql, "restarted");
        sql.executeSql("INSERT INTO restarted SELECT * FROM changes").await();

        assertThat(FAILED).hasValue(FAILURES);
        try (HotTable table = open("restarted")) {
            assertThat(rows(table)).isEqualTo(expected());
            assertThat(WRITERS).hasSize(BUCKETS);
            WRITERS.forEach(
                    (bucket, lives) -> {
                        assertThat(lives).hasSize(1 + FAILURES);
                        assertThat(lives)
                                .extracting(WriterEpoch::writerId)
                                .containsOnly(lives.iterator().next().writerId());
                        WriterEpoch dead = lives.iterator().next();
                        for (long sequence : new long[] {0, 1000}) {
                            assertThatThrownBy(
                                            () ->
                                                    table.append(
                                                                    late(
                                                                            table, bucket, dead,
                                                                            sequence))
                                                            .join())
                                    .hasMessageContaining("FENCED");
                        }
                    });
            assertThat(rows(table)).isEqualTo(expected());
        }
    }

    @Test
    void twoInsertsOfAJobDoNotFenceEachOther() throws Exception {
        StreamTableEnvironment sql = session();
        createTable(sql, "twice");
        StatementSet inserts = sql.createStatementSet();
        inserts.addInsertSql("INSERT INTO twice SELECT * FROM changes WHERE MOD(id, 2) = 0");
        inserts.addInsertSql("INSERT INTO twice SELECT * FROM changes WHERE MOD(id, 2) = 1");
        inserts.execute().await();

        try (HotTable table = open("twice")) {
            assertThat(rows(table)).isEqualTo(expected());
        }
        Set<UUID> ids =
                WRITERS.values().stream()
                        .flatMap(Set::stream)
                        .map(WriterEpoch::writerId)
                        .collect(Collectors.toSet());
        assertThat(ids).as("writers of two sinks").hasSize(2);
    }
}
