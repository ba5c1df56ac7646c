package io.thermocline.catalog.option;

import io.thermocline.hotserver.launch.EngineOptions;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;

/** Checks options that say where a warehouse is and how its hot tier is reached. */
public final class CatalogOptionRules {

    private static final String LOCAL_ENGINE = "local";

    private CatalogOptionRules() {}

    /** Whether an option of a table without a catalog is about its warehouse. */
    public static boolean isWarehouseOption(String key) {
        return key.startsWith(CatalogOptions.LAKE_PREFIX)
                || key.startsWith(CatalogOptions.SERVER_PREFIX)
                || key.startsWith(CatalogOptions.KAFKA_PREFIX)
                || CatalogOptions.all().stream().anyMatch(option -> option.key().equals(key));
    }

    /**
     * Checks the options of a catalog, or of a table without one. Options of the lake's catalog are
     * left to the lake.
     *
     * @param owner what has these options, for messages
     * @throws ValidationException if one is missing, unknown or not valid
     */
    public static void check(String owner, Map<String, String> options) {
        Set<String> known = new TreeSet<>();
        CatalogOptions.all().stream().map(ConfigOption::key).forEach(known::add);
        known.addAll(EngineOptions.keys());
        Configuration values = Configuration.fromMap(options);
        if (!values.get(CatalogOptions.ENGINE).equals(LOCAL_ENGINE)) {
            throw new ValidationException(
                    "option 'engine' = '%s' of %s is not valid: only '%s' is supported"
                            .formatted(values.get(CatalogOptions.ENGINE), owner, LOCAL_ENGINE));
        }
        for (String key : options.keySet()) {
            if (key.startsWith(CatalogOptions.KAFKA_PREFIX)) {
                throw new ValidationException(
                        "option '%s' of %s is not valid: the 'kafka' engine is not supported"
                                .formatted(key, owner));
            }
            if (!known.contains(key) && !key.startsWith(CatalogOptions.LAKE_PREFIX)) {
                throw new ValidationException(
                        "unknown option '%s' of %s. %s"
                                .formatted(key, owner, OptionNames.hint(key, known)));
            }
        }
        String warehouse = values.get(CatalogOptions.WAREHOUSE);
        if (warehouse == null || warehouse.isBlank()) {
            throw new ValidationException(
                    "%s needs option 'warehouse': a directory or URI, such as file:///data/warehouse"
                            .formatted(owner));
        }
    }
}
