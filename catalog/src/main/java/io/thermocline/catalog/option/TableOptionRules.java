package io.thermocline.catalog.option;

import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.sink.SinkOptions;
import io.thermocline.source.SourceOptions;
import io.thermocline.unionread.reader.SpillSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.connector.source.lookup.LookupOptions;

/**
 * Decides which options a table may have. Everything is checked when a table is created or altered,
 * so that no statement fails later for an option that was accepted.
 */
public final class TableOptionRules {

    private final String lake;
    private final LakeCatalog lakeCatalog;

    /**
     * @param lake name of the lake, for messages
     * @param lakeCatalog knows the lake's table options
     */
    public TableOptionRules(String lake, LakeCatalog lakeCatalog) {
        this.lake = lake;
        this.lakeCatalog = lakeCatalog;
    }

    /**
     * Sorts and checks the options of a table that gets a hot tier.
     *
     * @throws ValidationException naming the option, what is wrong, and what is allowed
     */
    public TableSettings checkHotTable(ObjectPath table, Map<String, String> options) {
        Map<String, String> hot = new TreeMap<>();
        Map<String, String> ofLake = new TreeMap<>();
        options.forEach(
                (key, value) -> {
                    if (KnownTableOptions.all().containsKey(key)) {
                        hot.put(key, value);
                    } else {
                        checkLakeOptionOfHotTable(table, key);
                        ofLake.put(key, value);
                    }
                });
        checkValues(table, hot);
        return new TableSettings(hot, ofLake);
    }

    /**
     * Checks the options of a plain lake table.
     *
     * @return the options for the lake
     * @throws ValidationException if one is neither the lake's nor {@code hot.enabled}
     */
    public Map<String, String> checkPlainTable(ObjectPath table, Map<String, String> options) {
        Map<String, String> ofLake = new TreeMap<>(options);
        ofLake.remove(TableOptions.HOT_ENABLED.key());
        ofLake.keySet().forEach(key -> checkOptionOfPlainTable(table, key));
        return ofLake;
    }

    /** Refuses an option that a plain lake table cannot have. */
    public void checkOptionOfPlainTable(ObjectPath table, String key) {
        checkNotReserved(table, key);
        if (lakeCatalog.isTableOption(key)) {
            return;
        }
        if (KnownTableOptions.all().containsKey(key)) {
            throw new ValidationException(
                    ("option '%s' of table %s needs a hot tier, which a plain %s table does not have."
                                    + " Give it one with ALTER TABLE … SET ('hot.enabled'='true').")
                            .formatted(key, table.getFullName(), lake));
        }
        throw unknown(table, key);
    }

    /**
     * Refuses hints that the lake would not know, because they are ours.
     *
     * @param table a plain lake table, or the lake's view of a table with a hot tier
     * @param options those of the table and of the statement
     */
    public void checkStatementOfLakeTable(ObjectPath table, Map<String, String> options) {
        for (String key : options.keySet()) {
            if (KnownTableOptions.isHint(key) && !lakeCatalog.isTableOption(key)) {
                throw new ValidationException(
                        "option '%s' cannot be given for table %s, which is the lake's alone"
                                .formatted(key, table.getFullName()));
            }
        }
    }

    /**
     * Refuses to set or reset an option that cannot change after CREATE TABLE.
     *
     * @return whether the option is ours; else it is the lake's
     */
    public boolean checkChangeable(ObjectPath table, String key) {
        if (KnownTableOptions.isChangeable(key)) {
            return true;
        }
        if (key.equals(TableOptions.HOT_ENABLED.key())) {
            throw new ValidationException(
                    ("option 'hot.enabled' of table %s cannot be reset. Set it to 'false' to take the"
                                    + " hot tier away.")
                            .formatted(table.getFullName()));
        }
        if (KnownTableOptions.all().containsKey(key)) {
            throw new ValidationException(
                    ("cannot change option '%s' of table %s: it decides where rows are and what the"
                                    + " changelog holds, and is fixed at CREATE TABLE.")
                            .formatted(key, table.getFullName()));
        }
        checkLakeOptionOfHotTable(table, key);
        return false;
    }

    /**
     * Checks options that are set together with {@code hot.enabled}.
     *
     * @return the options
     * @throws ValidationException if one cannot be set when a table gets its hot tier
     */
    public Map<String, String> checkWithHotTier(ObjectPath table, Map<String, String> options) {
        for (String key : options.keySet()) {
            if (!KnownTableOptions.isChangeable(key) && !key.equals(TableOptions.BUCKET.key())) {
                throw new ValidationException(
                        ("option '%s' of table %s cannot be set together with 'hot.enabled'. Set it by"
                                        + " a statement of its own.")
                                .formatted(key, table.getFullName()));
            }
        }
        checkValues(table, options);
        return options;
    }

    /**
     * The options that a statement works with.
     *
     * @param stored our options of the table
     * @param given what the planner gives: the options of the table as the catalog shows them, or
     *     of a table without a catalog, with hints on top
     * @throws ValidationException if a hint is unknown, or is for an option that only the table can
     *     have
     */
    public Map<String, String> withStatement(
            ObjectPath table, Map<String, String> stored, Map<String, String> given) {
        Map<String, String> options = hotOptions(stored);
        given.forEach(
                (key, value) -> {
                    if (KnownTableOptions.isHint(key)) {
                        options.put(key, value);
                    } else if (KnownTableOptions.all().containsKey(key)) {
                        if (!value.equals(options.get(key))) {
                            throw new ValidationException(
                                    ("option '%s' = '%s' of table %s cannot be given by a statement: it"
                                                    + " belongs to the table itself (ALTER TABLE … SET).")
                                            .formatted(key, value, table.getFullName()));
                        }
                    } else {
                        // left out silently, the lake's time travel would give the present rows
                        checkLakeOptionOfHotTable(table, key);
                    }
                });
        checkValues(table, options);
        return options;
    }

    /** Those of a table's options that are ours. */
    public Map<String, String> hotOptions(Map<String, String> options) {
        Map<String, String> hot = new TreeMap<>(options);
        hot.keySet().retainAll(KnownTableOptions.all().keySet());
        return hot;
    }

    /** Checks types and ranges of options that are ours. */
    public void checkValues(ObjectPath table, Map<String, String> hot) {
        Configuration values = Configuration.fromMap(hot);
        hot.forEach(
                (key, value) -> checkType(table, KnownTableOptions.all().get(key), values, value));
        only(table, values, TableOptions.MERGE_ENGINE, "deduplicate");
        only(table, values, TableOptions.CHANGELOG_IMAGE, "full");
        positive(table, values, TableOptions.HOT_LOG_RETENTION);
        positive(table, values, TableOptions.TIERING_FRESHNESS);
        int buckets = values.get(TableOptions.BUCKET);
        if (buckets < 1 || buckets > TableOptions.MAX_BUCKETS) {
            throw invalid(
                    table,
                    TableOptions.BUCKET,
                    buckets,
                    "it must be between 1 and " + TableOptions.MAX_BUCKETS);
        }
        if (values.contains(TableOptions.TIERING_DELETES) && !lakeCatalog.offersDeleteStyles()) {
            throw invalid(
                    table,
                    TableOptions.TIERING_DELETES,
                    hot.get(TableOptions.TIERING_DELETES.key()),
                    "only Iceberg tables have the choice, and this one is a %s table"
                            .formatted(lake));
        }
        checkSourceValues(table, values);
        SinkOptions.validate(table, values);
    }

    /** Checks options that only primary-key tables can have. */
    public static void checkPrimaryKey(
            ObjectPath table, Map<String, String> hot, boolean hasPrimaryKey) {
        String deletes = hot.get(TableOptions.TIERING_DELETES.key());
        if (deletes != null && !hasPrimaryKey) {
            throw invalid(
                    table,
                    TableOptions.TIERING_DELETES,
                    deletes,
                    "the table has no primary key, so that no row of it is ever deleted");
        }
    }

    private static void checkSourceValues(ObjectPath table, Configuration values) {
        positive(table, values, SourceOptions.SCAN_LEASE_DURATION);
        MemorySize keyMemory = values.get(SourceOptions.SCAN_KEY_MEMORY);
        if (keyMemory.getBytes() < SpillSettings.MIN_MEMORY_BYTES
                || keyMemory.getBytes() > SpillSettings.MAX_MEMORY_BYTES) {
            throw invalid(
                    table,
                    SourceOptions.SCAN_KEY_MEMORY,
                    keyMemory,
                    "it must be between 4 kb and 1 gb");
        }
        Integer parallelism = values.get(SourceOptions.SCAN_PARALLELISM);
        if (parallelism != null && parallelism < 1) {
            throw invalid(
                    table, SourceOptions.SCAN_PARALLELISM, parallelism, "it must be at least 1");
        }
        if (values.get(LookupOptions.CACHE_TYPE) == LookupOptions.LookupCacheType.FULL) {
            throw invalid(
                    table,
                    LookupOptions.CACHE_TYPE,
                    LookupOptions.LookupCacheType.FULL,
                    "the hot tier's index answers lookups without a copy of the table; use 'PARTIAL'"
                            + " or 'NONE'");
        }
        checkCache(table, values);
    }

    private static void checkCache(ObjectPath table, Configuration values) {
        Optional<Long> maxRows = values.getOptional(LookupOptions.PARTIAL_CACHE_MAX_ROWS);
        if (maxRows.isPresent() && maxRows.get() < 1) {
            throw invalid(
                    table,
                    LookupOptions.PARTIAL_CACHE_MAX_ROWS,
                    maxRows.get(),
                    "it must be at least 1");
        }
        List<ConfigOption<Duration>> ages =
                List.of(
                        LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE,
                        LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_ACCESS);
        ages.stream().filter(values::contains).forEach(age -> positive(table, values, age));
        if (values.get(LookupOptions.CACHE_TYPE) == LookupOptions.LookupCacheType.PARTIAL
                && maxRows.isEmpty()
                && ages.stream().noneMatch(values::contains)) {
            throw invalid(
                    table,
                    LookupOptions.CACHE_TYPE,
                    LookupOptions.LookupCacheType.PARTIAL,
                    "the cache would grow without end and never be fresh; set '%s', '%s' or '%s' too"
                            .formatted(
                                    LookupOptions.PARTIAL_CACHE_MAX_ROWS.key(),
                                    ages.get(0).key(),
                                    ages.get(1).key()));
        }
    }

    /** Whether a table with a hot tier may be created with an option. */
    public boolean isOptionOfHotTable(String key) {
        return KnownTableOptions.all().containsKey(key)
                || (lakeCatalog.isTableOption(key) && lakeCatalog.hotTableConflict(key).isEmpty());
    }

    private void checkLakeOptionOfHotTable(ObjectPath table, String key) {
        checkNotReserved(table, key);
        if (!lakeCatalog.isTableOption(key)) {
            throw unknown(table, key);
        }
        lakeCatalog
                .hotTableConflict(key)
                .ifPresent(
                        reason -> {
                            throw new ValidationException(
                                    "%s option '%s' cannot be set on table %s, which has a hot tier: %s."
                                            .formatted(lake, key, table.getFullName(), reason));
                        });
    }

    private static void checkNotReserved(ObjectPath table, String key) {
        if (key.startsWith(LakeTableDefinition.OPTION_PREFIX)) {
            String name = key.substring(LakeTableDefinition.OPTION_PREFIX.length());
            throw new ValidationException(
                    "option '%s' of table %s is reserved.%s"
                            .formatted(
                                    key,
                                    table.getFullName(),
                                    KnownTableOptions.all().containsKey(name)
                                            ? " Write it as '" + name + "'."
                                            : ""));
        }
    }

    private static ValidationException unknown(ObjectPath table, String key) {
        return new ValidationException(
                "unknown option '%s' of table %s. %s"
                        .formatted(
                                key,
                                table.getFullName(),
                                OptionNames.hint(key, KnownTableOptions.all().keySet())));
    }

    private static void checkType(
            ObjectPath table, ConfigOption<?> option, Configuration values, String value) {
        try {
            values.get(option);
        } catch (IllegalArgumentException e) {
            throw new ValidationException(
                    "option '%s' = '%s' of table %s is not valid: %s"
                            .formatted(
                                    option.key(),
                                    value,
                                    table.getFullName(),
                                    e.getCause() == null
                                            ? e.getMessage()
                                            : e.getCause().getMessage()));
        }
    }

    private static void only(
            ObjectPath table, Configuration values, ConfigOption<String> option, String supported) {
        String value = values.get(option);
        if (!value.equals(supported)) {
            throw invalid(table, option, value, "only '" + supported + "' is supported");
        }
    }

    private static void positive(
            ObjectPath table, Configuration values, ConfigOption<Duration> option) {
        Duration value = values.get(option);
        if (value.isNegative() || value.isZero()) {
            throw invalid(table, option, value, "it must be longer than 0");
        }
    }

    private static ValidationException invalid(
            ObjectPath table, ConfigOption<?> option, Object value, String reason) {
        return new ValidationException(
                "option '%s' = '%s' of table %s is not valid: %s"
                        .formatted(option.key(), value, table.getFullName(), reason));
    }
}
