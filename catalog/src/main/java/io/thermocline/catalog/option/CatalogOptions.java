package io.thermocline.catalog.option;

import io.thermocline.lake.LakeConfig;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/** Options of {@code CREATE CATALOG}, and of a table that is used without a catalog. */
public final class CatalogOptions {

    /** Value of {@code type} and {@code connector}. */
    public static final String IDENTIFIER = "thermocline";

    /** Options below it go to the lake's catalog, without the prefix. */
    public static final String LAKE_PREFIX = "lake.";

    /** Options below it configure the hot store's server and its clients. */
    public static final String SERVER_PREFIX = "server.";

    /** Options below it belong to the Kafka engine. */
    public static final String KAFKA_PREFIX = "kafka.";

    public static final ConfigOption<String> WAREHOUSE =
            ConfigOptions.key("warehouse")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Directory or URI below which the lake keeps its tables.");

    public static final ConfigOption<String> LAKE =
            ConfigOptions.key("lake")
                    .stringType()
                    .defaultValue(LakeConfig.DEFAULT_LAKE)
                    .withDescription(
                            "The lake's format. Its jar must be on the class path of every process.");

    public static final ConfigOption<String> ENGINE =
            ConfigOptions.key("engine")
                    .stringType()
                    .defaultValue("local")
                    .withDescription(
                            "Where the hot tier lives. 'local': one server process per warehouse.");

    public static final ConfigOption<String> DEFAULT_DATABASE =
            ConfigOptions.key("default-database")
                    .stringType()
                    .defaultValue("default")
                    .withDescription(
                            "Database in use after USE CATALOG. 'default' is created if it does not"
                                    + " exist; another one must exist.");

    public static final ConfigOption<Duration> DETACH_TIMEOUT =
            ConfigOptions.key("detach-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(30))
                    .withDescription(
                            "How long ALTER TABLE … SET ('hot.enabled' = 'false') waits for queries"
                                    + " that are reading.");

    /** {@code db.table} that a table without a catalog stands for. */
    public static final ConfigOption<String> TABLE =
            ConfigOptions.key("table")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Database and name of the table in the warehouse: 'db.t'.");

    private CatalogOptions() {}

    /** Options that say where a warehouse is and how it is served. */
    public static List<ConfigOption<?>> all() {
        return List.of(WAREHOUSE, LAKE, ENGINE, DEFAULT_DATABASE, DETACH_TIMEOUT);
    }
}
