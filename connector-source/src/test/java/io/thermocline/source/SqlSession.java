package io.thermocline.source;

import io.thermocline.unionread.testing.WarehouseTable;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** A SQL session on the test's mini cluster. */
final class SqlSession {

    private final TableEnvironment tables;

    private SqlSession(TableEnvironment tables) {
        this.tables = tables;
    }

    static SqlSession batch() {
        return new SqlSession(
                StreamTableEnvironment.create(
                        StreamExecutionEnvironment.getExecutionEnvironment(),
                        EnvironmentSettings.inBatchMode()));
    }

    static SqlSession streaming(Configuration configuration) {
        return new SqlSession(
                StreamTableEnvironment.create(
                        StreamExecutionEnvironment.getExecutionEnvironment(configuration),
                        EnvironmentSettings.inStreamingMode()));
    }

    static SqlSession streaming() {
        return streaming(new Configuration());
    }

    TableEnvironment tables() {
        return tables;
    }

    /**
     * Registers a table.
     *
     * @param columns as in CREATE TABLE, with key and watermark
     * @param options further options, as {@code , 'key' = 'value'}
     */
    SqlSession register(String name, String columns, WarehouseTable table, String options) {
        String id = UUID.randomUUID().toString();
        WarehouseTableFactory.TABLES.put(id, table.logical());
        tables.executeSql(
                "CREATE TEMPORARY TABLE "
                        + name
                        + " ("
                        + columns
                        + ") WITH ('connector' = 'warehouse-table', 'name' = '"
                        + id
                        + "'"
                        + options
                        + ")");
        return this;
    }

    /** All rows of a query that ends. */
    List<String> rows(String query) throws Exception {
        List<String> rows = new ArrayList<>();
        try (CloseableIterator<Row> iterator = tables.executeSql(query).collect()) {
            iterator.forEachRemaining(row -> rows.add(row.toString()));
        }
        return rows;
    }

    /** A running query; the caller closes the iterator of its rows. */
    TableResult run(String query) {
        return tables.executeSql(query);
    }

    /** The next rows of a running query. */
    static List<String> next(CloseableIterator<Row> iterator, int count) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < count && iterator.hasNext(); i++) {
            rows.add(iterator.next().toString());
        }
        return rows;
    }
}
