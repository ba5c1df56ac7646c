package io.thermocline.e2e.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.runtime.typeutils.ExternalTypeInfo;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * One random history of two tables, one with a primary key: writes of every kind, tiering, restarts
 * of the server, and reads, each compared with the model.
 */
final class RandomHistory {

    private static final int STEPS = 8;
    private static final int MAX_ROWS_PER_WRITE = 40;

    private final Random random;
    private final SqlSession session;
    private final ServerProcess server;
    private final RandomTable keyed;
    private final RandomTable log;
    private final Map<RandomTable, TableModel> models = new HashMap<>();
    private final String database;
    private final List<String> story = new ArrayList<>();

    RandomHistory(long seed, SqlSession session, String lake, ServerProcess server) {
        this.random = new Random(seed);
        this.session = session;
        this.server = server;
        this.database = "seed_" + Long.toUnsignedString(seed);
        this.keyed = RandomTable.withKey("keyed", lake, random);
        this.log = RandomTable.withoutKey("log_table", lake, random);
        models.put(keyed, new TableModel(keyed));
        models.put(log, new TableModel(log));
    }

    /** What happened so far, for the message of a failure. */
    String story() {
        return String.join("\n", story);
    }

    void run() throws Exception {
        execute("CREATE DATABASE " + database);
        execute("USE " + database);
        execute(keyed.ddl());
        execute(log.ddl());
        for (int i = 0; i < STEPS; i++) {
            step();
        }
        for (RandomTable table : List.of(keyed, log)) {
            readEverywhere(table);
            verify(table);
        }
        lookUp();
        for (RandomTable table : List.of(keyed, log)) {
            tier(table);
            tier(table);
            expect(table, table.lakeQuery(), table.columnNames());
            expect(table, "SELECT * FROM " + table.name(), table.columnNames());
            verify(table);
        }
        execute("USE `default`");
        execute("DROP DATABASE " + database + " CASCADE");
    }

    private void step() throws Exception {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> writeChanges();
            case 3 -> insert(keyed);
            case 4, 5 -> insert(log);
            case 6 -> tier(keyed);
            case 7 -> tier(log);
            case 8 -> restart();
            default -> readSome(random.nextBoolean() ? keyed : log);
        }
    }

    private void execute(String statement) throws Exception {
        story.add(statement);
        session.execute(statement);
    }

    private void restart() throws Exception {
        boolean isKilled = random.nextBoolean();
        story.add(isKilled ? "kill the server" : "stop the server");
        if (isKilled) {
            server.kill();
        } else {
            server.stop();
        }
    }

    private void tier(RandomTable table) throws Exception {
        String call = "CALL sys.tier('%s.%s')".formatted(database, table.name());
        story.add(call);
        session.query(call);
    }

    /** INSERT INTO from a table of inserts, in either mode. */
    private void insert(RandomTable table) throws Exception {
        List<Row> rows = new ArrayList<>();
        for (int i = 1 + random.nextInt(MAX_ROWS_PER_WRITE); i > 0; i--) {
            rows.add(table.randomRow(random));
        }
        boolean isBatch = random.nextBoolean();
        story.add(
                "insert %d rows into %s, batch: %s".formatted(rows.size(), table.name(), isBatch));
        write(isBatch ? session.batch() : session.streaming(), table, rows, null);
    }

    /** INSERT INTO from a changelog: without -U and with deletes by key, or with every kind. */
    private void writeChanges() throws Exception {
        boolean isUpsert = random.nextBoolean();
        TableModel soFar = models.get(keyed);
        TableModel source = new TableModel(keyed);
        List<Row> changes = new ArrayList<>();
        if (!isUpsert) {
            // A changelog with every kind begins with an empty table.
            soFar.rows().stream().filter(r -> random.nextBoolean()).forEach(changes::add);
            changes.forEach(source::apply);
        }
        for (int i = 1 + random.nextInt(MAX_ROWS_PER_WRITE); i > 0; i--) {
            Row row = keyed.randomRow(random);
            List<Row> next = isUpsert ? upsert(row) : change(source, row);
            next.forEach(source::apply);
            changes.addAll(next);
        }
        story.add("write %d changes, upsert: %s".formatted(changes.size(), isUpsert));
        write(
                session.streaming(),
                keyed,
                changes,
                isUpsert ? ChangelogMode.upsert() : ChangelogMode.all());
    }

    private List<Row> upsert(Row row) {
        if (random.nextInt(3) == 0) {
            return List.of(keyed.keyOnlyDelete(row));
        }
        row.setKind(random.nextBoolean() ? RowKind.INSERT : RowKind.UPDATE_AFTER);
        return List.of(row);
    }

    private List<Row> change(TableModel source, Row row) {
        Row old = source.rowWithKeyOf(row);
        if (old == null) {
            return List.of(row);
        }
        Row gone = Row.copy(old);
        if (random.nextInt(3) == 0) {
            gone.setKind(RowKind.DELETE);
            return List.of(gone);
        }
        gone.setKind(RowKind.UPDATE_BEFORE);
        row.setKind(RowKind.UPDATE_AFTER);
        return List.of(gone, row);
    }

    /**
     * @param mode null: inserts only
     */
    private void write(
            SqlSession.Mode runtime,
            RandomTable table,
            List<Row> rows,
            @Nullable ChangelogMode mode)
            throws Exception {
        StreamTableEnvironment sql = runtime.tables();
        DataStream<Row> stream =
                runtime.streams()
                        .fromData(rows, ExternalTypeInfo.of(table.dataType()))
                        .setParallelism(1);
        sql.createTemporaryView(
                "changes",
                mode == null
                        ? sql.fromDataStream(stream, table.schema())
                        : sql.fromChangelogStream(stream, table.schema(), mode));
        String hint =
                "/*+ OPTIONS('sink.parallelism'='%d', 'sink.buffer-flush.max-rows'='%d') */"
                        .formatted(1 + random.nextInt(3), 1 + random.nextInt(50));
        sql.executeSql("INSERT INTO %s %s SELECT * FROM changes".formatted(table.name(), hint))
                .await();
        sql.dropTemporaryView("changes");
        rows.forEach(models.get(table)::apply);
    }

    private void readSome(RandomTable table) throws Exception {
        List<String> columns = table.randomProjection(random);
        expect(table, "SELECT " + String.join(", ", columns) + " FROM " + table.name(), columns);
    }

    private void readEverywhere(RandomTable table) throws Exception {
        String all = "SELECT * FROM " + table.name();
        expect(table, all, table.columnNames());
        expect(table, all + " /*+ OPTIONS('scan.tier'='hot') */", table.columnNames());
        readSome(table);
        story.add("COUNT(*) of " + table.name());
        assertThat(session.query("SELECT COUNT(*) FROM " + table.name()))
                .containsExactly(String.valueOf(models.get(table).rows().size()));
        story.add("streaming: " + all);
        session.awaitStreaming(all, models.get(table).texts(table.columnNames()));
        List<String> columns = table.randomProjection(random);
        String some = "SELECT " + String.join(", ", columns) + " FROM " + table.name();
        story.add("streaming: " + some);
        session.awaitStreaming(some, models.get(table).texts(columns));
    }

    /** Changelog, key index and lake must say the same, in every bucket and partition. */
    private void verify(RandomTable table) throws Exception {
        String call = "CALL sys.verify('%s.%s')".formatted(database, table.name());
        story.add(call);
        assertThat(session.query(call))
                .as(call)
                .isNotEmpty()
                .allMatch(comparison -> comparison.endsWith("|true|[]"));
    }

    private void expect(RandomTable table, String query, List<String> columns) throws Exception {
        story.add(query);
        assertThat(session.query(query).stream().sorted().toList())
                .as(query)
                .isEqualTo(models.get(table).texts(columns));
    }

    private void lookUp() throws Exception {
        List<Row> keys = keyed.someKeys(random, 30);
        StreamTableEnvironment sql = session.streaming().tables();
        DataStream<Row> stream =
                session.streaming()
                        .streams()
                        .fromData(keys, ExternalTypeInfo.of(keyed.keyDataType()));
        Schema.Builder schema = Schema.newBuilder();
        for (int i = 0; i < keyed.key().size(); i++) {
            schema.column(keyed.key().get(i), keyed.keyDataType().getChildren().get(i));
        }
        schema.columnByExpression("pt", "PROCTIME()");
        sql.createTemporaryView("probe", sql.fromDataStream(stream, schema.build()));
        String on =
                keyed.key().stream()
                        .map(k -> "probe.%s = d.%s".formatted(k, k))
                        .collect(Collectors.joining(" AND "));
        List<String> columns = keyed.randomProjection(random);
        String query =
                "SELECT %s FROM probe JOIN keyed /*+ OPTIONS('lookup.async'='%s') */ FOR SYSTEM_TIME AS OF probe.pt AS d ON %s"
                        .formatted(
                                columns.stream()
                                        .map(c -> "d." + c)
                                        .collect(Collectors.joining(", ")),
                                random.nextBoolean(),
                                on);
        story.add("streaming: " + query);
        List<String> expected =
                keys.stream()
                        .map(models.get(keyed)::get)
                        .filter(row -> row != null)
                        .map(row -> RowText.of(keyed.project(row, columns)))
                        .sorted()
                        .toList();
        session.awaitStreaming(query, expected);
        sql.dropTemporaryView("probe");
    }
}
