package io.thermocline.lake.iceberg;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.TableProperties;

/** The option keys that Iceberg tables understand, and those that a hot tier does not go with. */
final class IcebergTableOptions {

    /** Where the table's files are; Iceberg takes it beside the properties. */
    static final String LOCATION = "location";

    /** Families of keys that are completed with a column. */
    private static final List<String> PREFIXES =
            List.of(
                    TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX,
                    TableProperties.PARQUET_BLOOM_FILTER_COLUMN_ENABLED_PREFIX,
                    TableProperties.PARQUET_BLOOM_FILTER_COLUMN_FPP_PREFIX,
                    TableProperties.PARQUET_COLUMN_STATS_ENABLED_PREFIX);

    private static final String MERGED =
            "rows arrive in the lake already merged, so the lake must keep the last one";
    private static final String SNAPSHOTS =
            "snapshots are kept for 'hot.log.retention' and expire by themselves";

    private record Conflict(String prefix, String reason) {}

    private static final List<Conflict> CONFLICTS =
            List.of(
                    new Conflict(TableProperties.UPSERT_ENABLED, MERGED),
                    new Conflict("history.expire.", SNAPSHOTS),
                    new Conflict(TableProperties.GC_ENABLED, SNAPSHOTS),
                    new Conflict(
                            TableProperties.WRITE_AUDIT_PUBLISH_ENABLED,
                            "readers see what tiering commits at once"));

    private static final Set<String> KEYS = keys();

    private IcebergTableOptions() {}

    static boolean isTableOption(String key) {
        return KEYS.contains(key)
                || PREFIXES.stream()
                        .anyMatch(prefix -> key.startsWith(prefix) && !key.equals(prefix));
    }

    /** Why a table with a hot tier must not have the option. */
    static Optional<String> conflict(String key) {
        return CONFLICTS.stream()
                .filter(conflict -> key.startsWith(conflict.prefix()))
                .map(Conflict::reason)
                .findFirst();
    }

    /** Iceberg has no list of its options other than the constants of their names. */
    private static Set<String> keys() {
        Set<String> keys = new HashSet<>();
        for (Field field : TableProperties.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers())
                    && field.getType() == String.class
                    && !field.getName().contains("DEFAULT_")
                    && !field.getName().endsWith("_DEFAULT")) {
                String key = value(field);
                if (key.contains(".") && !key.endsWith(".")) {
                    keys.add(key);
                }
            }
        }
        keys.add(TableProperties.DEFAULT_FILE_FORMAT);
        keys.add(TableProperties.DELETE_DEFAULT_FILE_FORMAT);
        keys.add(TableProperties.DEFAULT_NAME_MAPPING);
        keys.add(TableProperties.DEFAULT_WRITE_METRICS_MODE);
        keys.add(TableProperties.FORMAT_VERSION);
        keys.add(LOCATION);
        keys.add(TimePartitions.OPTION);
        return keys;
    }

    private static String value(Field field) {
        try {
            return (String) field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("constants are public", e);
        }
    }
}
