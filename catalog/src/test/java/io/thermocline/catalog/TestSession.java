package io.thermocline.catalog;

import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.lake.LakeConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** A SQL session whose catalog 'tc' lies over a warehouse of its own. */
final class TestSession {

    private final TableEnvironment tables;

    private TestSession(TableEnvironment tables) {
        this.tables = tables;
        tables.getConfig().set("table.dml-sync", "true");
        tables.getConfig().set("parallelism.default", "2");
    }

    /** A session without a catalog of ours. */
    static TestSession empty(EnvironmentSettings settings) {
        return new TestSession(TableEnvironment.create(settings));
    }

    /** A session whose catalog was made by CREATE CATALOG. */
    static TestSession open(EnvironmentSettings settings, Path warehouse) {
        TestSession session = empty(settings);
        session.sql(
                "CREATE CATALOG tc WITH ('type'='thermocline', 'warehouse'='%s')"
                        .formatted(warehouse.toUri()));
        session.sql("USE CATALOG tc");
        return session;
    }

    static TestSession batch(Path warehouse) {
        return open(EnvironmentSettings.inBatchMode(), warehouse);
    }

    static TestSession streaming(Path warehouse) {
        return open(EnvironmentSettings.inStreamingMode(), warehouse);
    }

    /** A session whose catalog asks a hot store of the test's own. */
    @SuppressWarnings("deprecation") // nothing else takes a catalog that was not made by a factory
    static TestSession withStore(Path warehouse, HotStoreProvider store) {
        TestSession session = empty(EnvironmentSettings.inBatchMode());
        LakeConfig lake = new LakeConfig("paimon", warehouse.toUri().toString(), Map.of());
        session.tables.registerCatalog(
                "tc",
                new ThermoclineCatalog(
                        "tc",
                        "default",
                        new WarehouseConfig(lake, store),
                        Duration.ofSeconds(30),
                        Thread.currentThread().getContextClassLoader()));
        session.sql("USE CATALOG tc");
        return session;
    }

    TableEnvironment tables() {
        return tables;
    }

    ThermoclineCatalog catalog() {
        return (ThermoclineCatalog) tables.getCatalog("tc").orElseThrow();
    }

    /** Runs a statement to its end. */
    List<Row> sql(String statement) {
        try (CloseableIterator<Row> rows = tables.executeSql(statement).collect()) {
            Iterable<Row> all = () -> rows;
            return StreamSupport.stream(all.spliterator(), false).collect(Collectors.toList());
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** First column of the first row. */
    String text(String statement) {
        return String.valueOf(sql(statement).get(0).getField(0));
    }

    /** First column of every row, sorted. */
    List<String> column(String statement) {
        return sql(statement).stream()
                .map(row -> String.valueOf(row.getField(0)))
                .sorted()
                .toList();
    }
}
