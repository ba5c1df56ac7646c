package io.thermocline.benchmarks.flink;

import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.data.RowData;

/** Sessions on a local Flink that know a system's tables. */
final class Sessions {

    /** The sink whose rows {@link Arrivals} counts. */
    static final String ARRIVALS = "default_catalog.default_database.arrivals";

    /** Keys to look up. */
    static final String PROBES = "default_catalog.default_database.probes";

    static final int PARALLELISM = 2;

    private static final long NEVER_MILLIS = TimeUnit.DAYS.toMillis(1);

    /** As fast as possible. */
    private static final long PROBES_PER_SECOND = 100_000_000;

    private final Dialect dialect;
    private final String location;

    /** Tables of a dialect without a catalog: every session gets them anew. */
    private final Map<String, String> sessionTables = new LinkedHashMap<>();

    Sessions(Dialect dialect, String location) {
        this.dialect = dialect;
        this.location = location;
    }

    /** A session. */
    record Open(StreamExecutionEnvironment streams, StreamTableEnvironment tables) {

        /** Makes rows known under the name {@code rows_to_write}. */
        void addRows(DataStream<RowData> rows) {
            tables.createTemporaryView("rows_to_write", tables.fromDataStream(rows));
        }

        void addArrivals() {
            String columns =
                    BenchRows.rowType(Shape.NARROW, TableKey.NONE).getFields().stream()
                            .map(
                                    field ->
                                            field.getName()
                                                    + " "
                                                    + field.getType().asSerializableString())
                            .collect(Collectors.joining(", "));
            tables.executeSql(
                    "CREATE TEMPORARY TABLE "
                            + ARRIVALS
                            + " ("
                            + columns
                            + ") WITH ('connector' = '"
                            + CountingSinkFactory.CONNECTOR
                            + "')");
        }

        void addProbes(long count, long keys) {
            tables.executeSql(
                    "CREATE TEMPORARY TABLE "
                            + PROBES
                            + " (k BIGINT, proctime AS PROCTIME()) WITH ('connector' = 'datagen',"
                            + " 'number-of-rows' = '"
                            + count
                            + "', 'rows-per-second' = '"
                            + PROBES_PER_SECOND
                            + "', 'fields.k.min' = '0', 'fields.k.max' = '"
                            + (keys - 1)
                            + "')");
        }

        /** The job of an INSERT, not started. */
        JobGraph graph(String insert) {
            StreamStatementSet statements = tables.createStatementSet();
            statements.addInsertSql(insert);
            statements.attachAsDataStream();
            return streams.getStreamGraph().getJobGraph();
        }

        /** Starts the job of a statement. */
        JobClient submit(String statement) {
            return tables.executeSql(statement).getJobClient().orElseThrow();
        }
    }

    Open batch() {
        StreamExecutionEnvironment streams = StreamExecutionEnvironment.getExecutionEnvironment();
        streams.setRuntimeMode(RuntimeExecutionMode.BATCH);
        return open(streams);
    }

    Open streaming(long checkpointMillis) {
        StreamExecutionEnvironment streams = StreamExecutionEnvironment.getExecutionEnvironment();
        streams.enableCheckpointing(checkpointMillis);
        return open(streams);
    }

    /** A streaming session whose checkpoints are triggered by hand. */
    Open withoutCheckpoints() {
        return streaming(NEVER_MILLIS);
    }

    private Open open(StreamExecutionEnvironment streams) {
        streams.setParallelism(PARALLELISM);
        StreamTableEnvironment tables = StreamTableEnvironment.create(streams);
        dialect.catalog(location).forEach(tables::executeSql);
        sessionTables.values().forEach(tables::executeSql);
        return new Open(streams, tables);
    }

    void createTable(String table, Shape shape, TableKey key) {
        String statement = dialect.create(table, shape, key, location);
        if (dialect.catalog(location).isEmpty()) {
            sessionTables.put(table, statement);
        } else {
            batch().tables().executeSql(statement);
        }
    }

    void dropTable(String table) {
        if (sessionTables.remove(table) == null) {
            batch().tables().executeSql("DROP TABLE " + table);
        }
    }
}
