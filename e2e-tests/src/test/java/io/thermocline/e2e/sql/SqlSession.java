package io.thermocline.e2e.sql;

import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * A user's session: catalog {@code tc} over one warehouse, once in batch mode and once in streaming
 * mode. Statements that belong to the session (USE, SET, temporary objects) run in both.
 */
final class SqlSession {

    /** Bound of everything that a test waits for. */
    static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** How long a streaming result must stay right, so that a late duplicate is seen. */
    private static final Duration STABLE = Duration.ofMillis(200);

    private static final Pattern SET =
            Pattern.compile("SET\\s+'([^']+)'\\s*=\\s*'([^']*)'", Pattern.CASE_INSENSITIVE);

    /** One mode's environments. */
    record Mode(StreamExecutionEnvironment streams, StreamTableEnvironment tables) {}

    private final Mode batch;
    private final Mode streaming;

    /** A session whose lake is Paimon. */
    SqlSession(Path warehouse, int parallelism, Map<String, String> configuration) {
        this(warehouse, "paimon", parallelism, configuration);
    }

    SqlSession(Path warehouse, String lake, int parallelism, Map<String, String> configuration) {
        this(
                Map.of("warehouse", warehouse.toUri().toString(), "lake", lake),
                parallelism,
                configuration);
    }

    SqlSession(
            Map<String, String> catalogOptions,
            int parallelism,
            Map<String, String> configuration) {
        String options =
                catalogOptions.entrySet().stream()
                        .map(option -> "'%s'='%s'".formatted(option.getKey(), option.getValue()))
                        .collect(Collectors.joining(", "));
        batch = mode(RuntimeExecutionMode.BATCH, parallelism);
        streaming = mode(RuntimeExecutionMode.STREAMING, parallelism);
        for (Mode mode : List.of(batch, streaming)) {
            StreamTableEnvironment environment = mode.tables();
            environment.getConfig().set("table.dml-sync", "true");
            configuration.forEach(environment.getConfig()::set);
            environment.executeSql(
                    ("CREATE CATALOG tc WITH ('type'='thermocline', 'detach-timeout'='1 s', %s)")
                            .formatted(options));
            environment.executeSql("USE CATALOG tc");
        }
    }

    /** Creates catalog {@code plain} of the lake's own connector over a warehouse. */
    void createPlainCatalog(Path warehouse, String lake) throws Exception {
        String kind = lake.equals("iceberg") ? "'catalog-type'='hadoop'," : "";
        execute(
                "CREATE CATALOG plain WITH ('type'='%s', %s 'warehouse'='%s')"
                        .formatted(lake, kind, warehouse.toUri()));
    }

    Mode batch() {
        return batch;
    }

    Mode streaming() {
        return streaming;
    }

    /** Runs a statement to its end, in batch mode. */
    void execute(String statement) throws Exception {
        if (belongsToSession(statement)) {
            run(streaming, statement);
        }
        run(batch, statement);
    }

    /** Runs a statement to its end, in streaming mode. */
    void executeStreaming(String statement) throws Exception {
        run(streaming, statement);
    }

    /** Starts an INSERT in streaming mode and does not wait for its end. */
    JobClient begin(String insert) {
        TableConfig config = streaming.tables().getConfig();
        config.set("table.dml-sync", "false");
        try {
            return streaming.tables().executeSql(insert).getJobClient().orElseThrow();
        } finally {
            config.set("table.dml-sync", "true");
        }
    }

    /** Rows of a batch query, as {@link RowText}, in the order that they came. */
    List<String> query(String query) throws Exception {
        return collect(batch, query);
    }

    /** The plan of a batch statement. */
    String explain(String statement) {
        return batch.tables().explainSql(statement);
    }

    /**
     * Waits until a streaming query's result is what is expected, and stays so.
     *
     * @param sorted rows as {@link RowText}, sorted
     */
    void awaitStreaming(String query, List<String> sorted) throws Exception {
        try (ChangelogView view =
                new ChangelogView(streaming.tables().executeSql(query).collect())) {
            await(query)
                    .atMost(TIMEOUT)
                    .during(STABLE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(view::rows, sorted::equals);
        }
    }

    /**
     * Runs a batch query again and again until its result is what is expected.
     *
     * @param sorted rows as {@link RowText}, sorted
     */
    void awaitRows(String query, List<String> sorted) {
        await(query)
                .atMost(TIMEOUT)
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(100))
                .until(() -> query(query).stream().sorted().toList(), sorted::equals);
    }

    private static List<String> collect(Mode mode, String statement) throws Exception {
        List<String> rows = new ArrayList<>();
        try (CloseableIterator<Row> result = mode.tables().executeSql(statement).collect()) {
            while (result.hasNext()) {
                rows.add(RowText.of(result.next()));
            }
        }
        return rows;
    }

    private static void run(Mode mode, String statement) throws Exception {
        Matcher set = SET.matcher(statement.strip());
        if (set.matches()) {
            mode.tables().getConfig().set(set.group(1), set.group(2));
        } else {
            collect(mode, statement);
        }
    }

    private static boolean belongsToSession(String statement) {
        String upper = statement.strip().toUpperCase(Locale.ROOT);
        return upper.startsWith("USE ")
                || upper.startsWith("SET ")
                || upper.startsWith("CREATE TEMPORARY ")
                || upper.startsWith("DROP TEMPORARY ");
    }

    private static Mode mode(RuntimeExecutionMode mode, int parallelism) {
        StreamExecutionEnvironment streams = StreamExecutionEnvironment.getExecutionEnvironment();
        streams.setRuntimeMode(mode);
        streams.setParallelism(parallelism);
        return new Mode(streams, StreamTableEnvironment.create(streams));
    }
}
