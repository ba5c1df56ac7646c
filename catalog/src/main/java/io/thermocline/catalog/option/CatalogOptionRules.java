package io.thermocline.catalog.option;

import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.lake.LakeTableDefinition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
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
     * Checks that a table without a catalog says which table it stands for.
     *
     * @param owner what has these options, for messages
     * @throws ValidationException naming the option that is missing, and how it was misspelt
     */
    public static void checkNamesTable(String owner, Map<String, String> options) {
        Map<ConfigOption<String>, String> meanings =
                Map.of(
                        CatalogOptions.WAREHOUSE,
                        "a directory or URI, such as file:///data/warehouse",
                        CatalogOptions.TABLE,
                        "the table of the warehouse that it stands for, such as 'db.t'");
        for (ConfigOption<String> option :
                List.of(CatalogOptions.WAREHOUSE, CatalogOptions.TABLE)) {
            String value = options.get(option.key());
            if (value == null || value.isBlank()) {
                throw new ValidationException(
                        "%s needs option '%s': %s%s"
                                .formatted(
                                        owner,
                                        option.key(),
                                        meanings.get(option),
                                        misspelt(option.key(), options.keySet())));
            }
        }
    }

    private static String misspelt(String key, Set<String> given) {
        return given.stream()
                .filter(name -> !tableKeys().contains(name))
                .filter(name -> OptionNames.nearest(name, Set.of(key)).isPresent())
                .findFirst()
                .map(name -> ". Did you mean it with '" + name + "'?")
                .orElse("");
    }

    /**
     * Checks that all options of a table without a catalog are known.
     *
     * @param owner what has these options, for messages
     * @param isOfLake whether an option is one of the lake's table options
     * @throws ValidationException naming the option that is probably meant
     */
    public static void checkKnown(String owner, Set<String> options, Predicate<String> isOfLake) {
        Set<String> known = tableKeys();
        for (String key : options) {
            if (!known.contains(key)
                    && !key.startsWith(LakeTableDefinition.OPTION_PREFIX)
                    && !isOfLake.test(key)) {
                throw unknown(owner, key, known);
            }
        }
    }

    private static Set<String> tableKeys() {
        Set<String> keys = warehouseKeys();
        keys.add(CatalogOptions.TABLE.key());
        keys.addAll(KnownTableOptions.all().keySet());
        return keys;
    }

    private static Set<String> warehouseKeys() {
        Set<String> known = new TreeSet<>(EngineOptions.keys());
        CatalogOptions.all().stream().map(ConfigOption::key).forEach(known::add);
        return known;
    }

    private static ValidationException unknown(String owner, String key, Set<String> known) {
        return new ValidationException(
                "unknown option '%s' of %s. %s"
                        .formatted(key, owner, OptionNames.hint(key, known)));
    }

    /**
     * Checks the options of a catalog, or of a table without one. Options of the lake's catalog are
     * left to the lake.
     *
     * @param owner what has these options, for messages
     * @throws ValidationException if one is missing, unknown or not valid
     */
    public static void check(String owner, Map<String, String> options) {
        Set<String> known = warehouseKeys();
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
                throw unknown(owner, key, known);
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
