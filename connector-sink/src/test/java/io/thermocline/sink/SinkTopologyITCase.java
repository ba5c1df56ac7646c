package io.thermocline.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.sink.testkit.RecordingHotStore;
import io.thermocline.sink.testkit.RecordingHotTable;
import io.thermocline.sink.testkit.RecordingHotTable.Sent;
import io.thermocline.sink.testkit.SinkUnderTestFactory;
import io.thermocline.sink.testkit.TestTables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What SQL statements send: to which bucket, by which writer, in which order. */
class SinkTopologyITCase {

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    private StreamExecutionEnvironment env;
    private StreamTableEnvironment sql;

    @ParameterizedTest
    @EnumSource(
            value = RuntimeExecutionMode.class,
            names = {"BATCH", "STREAMING"})
    void everyBucketHasOneWriter(RuntimeExecutionMode mode) throws Exception {
        start(mode, 2);
        RecordingHotTable table = createTable("one_writer_" + mode, 5, "PRIMARY KEY", "");
        sql.executeSql(
                        "CREATE TEMPORARY TABLE src (name STRING, id BIGINT NOT NULL) WITH ("
                                + "'connector'='datagen', 'number-of-rows'='2000',"
                                + " 'fields.id.kind'='sequence', 'fields.id.start'='1',"
                                + " 'fields.id.end'='2000', 'fields.name.length'='3')")
                .await();
        sql.executeSql(
                        "INSERT INTO one_writer_%s /*+ OPTIONS('sink.parallelism'='3') */"
                                        .formatted(mode)
                                + " SELECT * FROM src")
                .await();

        Map<Integer, Set<WriterEpoch>> writersOfBucket = new HashMap<>();
        Set<WriterEpoch> writers = new HashSet<>();
        int rows = 0;
        for (Sent sent : table.requests()) {
            writersOfBucket.computeIfAbsent(sent.bucket(), b -> new HashSet<>()).add(sent.writer());
            writers.add(sent.writer());
            rows += sent.rows().size();
        }
        assertThat(rows).isEqualTo(2000);
        assertThat(writersOfBucket.keySet()).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        assertThat(writersOfBucket.values()).allSatisfy(w -> assertThat(w).hasSize(1));
        assertThat(writers).hasSize(3);
        for (int bucket = 0; bucket < 5; bucket++) {
            int b = bucket;
            assertThat(table.requests().stream().filter(s -> s.bucket() == b).map(Sent::sequence))
                    .isSorted()
                    .startsWith(0L)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void appendOnlyTableWithoutBucketKeyIsNotShuffled() throws Exception {
        start(RuntimeExecutionMode.STREAMING, 2);
        RecordingHotTable table = createTable("sticky", 2, "", "");
        sql.executeSql(
                        "CREATE TEMPORARY TABLE src (name STRING, id BIGINT NOT NULL) WITH ("
                                + "'connector'='datagen', 'number-of-rows'='100')")
                .await();
        String insert = "INSERT INTO sticky SELECT * FROM src";
        assertThat(sql.explainSql(insert)).doesNotContain("hash");
        sql.executeSql(insert).await();
        Map<WriterEpoch, Set<Integer>> bucketsOfWriter = new HashMap<>();
        for (Sent sent : table.requests()) {
            bucketsOfWriter.computeIfAbsent(sent.writer(), w -> new HashSet<>()).add(sent.bucket());
        }
        assertThat(bucketsOfWriter).hasSize(2);
        assertThat(bucketsOfWriter.values()).containsExactlyInAnyOrder(Set.of(0), Set.of(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void changesOfAnUpsertStreamKeepTheirOrder(boolean objectReuse) throws Exception {
        start(RuntimeExecutionMode.STREAMING, 1);
        sql.getConfig().set("pipeline.object-reuse", String.valueOf(objectReuse));
        RecordingHotTable table = createTable("upserts_" + objectReuse, 2, "PRIMARY KEY", "");
        List<Row> changes = new ArrayList<>();
        for (long i = 0; i < 300; i++) {
            changes.add(Row.ofKind(RowKind.UPDATE_AFTER, "n" + i, i % 3));
            if (i % 50 == 49) {
                changes.add(Row.ofKind(RowKind.DELETE, null, i % 3));
            }
        }
        createSource(changes, ChangelogMode.upsert());
        sql.executeSql("INSERT INTO upserts_%s SELECT * FROM changes".formatted(objectReuse))
                .await();

        assertThat(stateOf(allRows(table)))
                .isEqualTo(stateOf(changes.stream().map(SinkTopologyITCase::print).toList()));
        assertThat(allRows(table)).contains("-D[1, null]").doesNotContain("-U[1, n1]");
    }

    @Test
    void keyOnlyDeleteReachesATableWithNotNullColumns() throws Exception {
        start(RuntimeExecutionMode.STREAMING, 1);
        RecordingHotTable table = createTable("not_null", 1, "PRIMARY KEY", "NOT NULL");
        createSource(
                List.of(
                        Row.ofKind(RowKind.INSERT, "a", 1L),
                        Row.ofKind(RowKind.INSERT, "b", 2L),
                        Row.ofKind(RowKind.DELETE, null, 1L)),
                ChangelogMode.upsert());
        sql.executeSql("INSERT INTO not_null SELECT name, id FROM changes").await();
        assertThat(allRows(table)).endsWith("-D[1, a]");
        assertThat(stateOf(allRows(table))).isEqualTo(Map.of("2", "b"));
    }

    @Test
    void retractionsOfAnAggregationBecomeUpserts() throws Exception {
        start(RuntimeExecutionMode.STREAMING, 2);
        RecordingHotTable table = createTable("counts", 2, "PRIMARY KEY", "");
        sql.executeSql(
                        "INSERT INTO counts SELECT CAST(COUNT(*) AS STRING), id FROM (VALUES"
                                + " (CAST(1 AS BIGINT)), (2), (1), (1), (2)) AS v(id) GROUP BY id")
                .await();
        assertThat(stateOf(allRows(table))).isEqualTo(Map.of("1", "3", "2", "2"));
        assertThat(allRows(table)).noneMatch(row -> row.startsWith("-U"));
    }

    @Test
    void appendOnlyTableRefusesUpdatesAtPlanning() {
        start(RuntimeExecutionMode.STREAMING, 1);
        createTable("only_appends", 1, "", "");
        assertThatThrownBy(
                        () ->
                                sql.executeSql(
                                        "INSERT INTO only_appends SELECT 'n', COUNT(*) FROM"
                                                + " (VALUES (1), (2))"))
                .hasMessageContaining("doesn't support consuming update changes");
    }

    @Test
    void nullInThePrimaryKeyNamesTheColumn() {
        start(RuntimeExecutionMode.STREAMING, 1);
        RecordingHotTable table = createTable("null_key", 1, "PRIMARY KEY", "");
        assertThatThrownBy(
                        () ->
                                sql.executeSql(
                                                "INSERT INTO null_key SELECT 'n',"
                                                        + " CAST(NULLIF(1, 1) AS BIGINT)")
                                        .await())
                .hasStackTraceContaining("Column 'id' is NOT NULL");
        assertThat(table.requests()).isEmpty();
    }

    @Test
    void partitionClauseFillsTheColumn() throws Exception {
        start(RuntimeExecutionMode.BATCH, 1);
        RecordingHotTable table = createPartitionedTable("parts");
        sql.executeSql("INSERT INTO parts PARTITION (name='x') SELECT CAST(7 AS BIGINT)").await();
        sql.executeSql("INSERT INTO parts VALUES ('y', 8)").await();
        assertThat(allRows(table)).containsExactly("+I[7, x]", "+I[8, y]");
    }

    @Test
    void exactlyOnceIsRefusedBeforeTheJobStarts() {
        start(RuntimeExecutionMode.STREAMING, 1);
        createTable("exactly_once", 1, "PRIMARY KEY", "");
        assertThatThrownBy(
                        () ->
                                sql.executeSql(
                                        "INSERT INTO exactly_once"
                                                + " /*+ OPTIONS('sink.delivery-guarantee'="
                                                + "'exactly-once') */ VALUES ('a', 1)"))
                .hasRootCauseInstanceOf(ValidationException.class)
                .hasStackTraceContaining(
                        "option 'sink.delivery-guarantee' = 'exactly-once' of table"
                                + " db.exactly_once is not valid: only 'at-least-once' is"
                                + " supported");
    }

    private void start(RuntimeExecutionMode mode, int parallelism) {
        env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setRuntimeMode(mode);
        env.setParallelism(parallelism);
        sql = StreamTableEnvironment.create(env);
    }

    private RecordingHotTable createTable(String name, int buckets, String key, String notNull) {
        boolean hasKey = !key.isEmpty();
        sql.executeSql(
                ("CREATE TEMPORARY TABLE %s (name STRING %s, id BIGINT%s) DISTRIBUTED %s INTO %d"
                                + " BUCKETS WITH ('connector'='sink-under-test', 'store'='%s')")
                        .formatted(
                                name,
                                notNull,
                                hasKey ? ", PRIMARY KEY (id) NOT ENFORCED" : "",
                                hasKey ? "BY HASH(id)" : "",
                                buckets,
                                name));
        return register(
                name, hasKey ? TestTables.primaryKeyTable(buckets) : TestTables.logTable(buckets));
    }

    private RecordingHotTable createPartitionedTable(String name) {
        sql.executeSql(
                ("CREATE TEMPORARY TABLE %s (name STRING, id BIGINT) DISTRIBUTED INTO 1 BUCKETS"
                                + " PARTITIONED BY (name) WITH ('connector'='sink-under-test',"
                                + " 'store'='%s')")
                        .formatted(name, name));
        return register(name, TestTables.logTable(1));
    }

    private static RecordingHotTable register(String name, HotTableSpec spec) {
        RecordingHotTable table = new RecordingHotTable(spec, TestTables::print, true);
        SinkUnderTestFactory.STORES.put(name, () -> new RecordingHotStore(table));
        return table;
    }

    private void createSource(List<Row> changes, ChangelogMode mode) {
        DataStream<Row> stream =
                env.fromData(
                        changes,
                        Types.ROW_NAMED(new String[] {"name", "id"}, Types.STRING, Types.LONG));
        Schema schema =
                Schema.newBuilder()
                        .column("name", DataTypes.STRING())
                        .column("id", DataTypes.BIGINT().notNull())
                        .primaryKey("id")
                        .build();
        sql.createTemporaryView("changes", sql.fromChangelogStream(stream, schema, mode));
    }

    private static List<String> allRows(RecordingHotTable table) {
        return table.requests().stream().flatMap(s -> s.rows().stream()).toList();
    }

    /** Latest row of each key; rows print as {@code kind[id, name]}. */
    private static Map<String, String> stateOf(List<String> rows) {
        Map<String, String> state = new TreeMap<>();
        for (String row : rows) {
            String[] idAndName = row.substring(3, row.length() - 1).split(", ", 2);
            if (row.startsWith("-D")) {
                state.remove(idAndName[0]);
            } else {
                state.put(idAndName[0], idAndName[1]);
            }
        }
        return state;
    }

    private static String print(Row change) {
        return "%s[%s, %s]"
                .formatted(change.getKind().shortString(), change.getField(1), change.getField(0));
    }
}
