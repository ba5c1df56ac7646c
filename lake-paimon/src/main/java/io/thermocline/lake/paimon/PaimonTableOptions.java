package io.thermocline.lake.paimon;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.flink.FlinkConnectorOptions;
import org.apache.paimon.iceberg.IcebergOptions;
import org.apache.paimon.options.ConfigOption;
import org.apache.paimon.options.FallbackKey;

/** The option keys that Paimon tables understand. */
final class PaimonTableOptions {

    /** Families of keys that are completed with a column, a format's own key or a level. */
    private static final List<String> PREFIXES =
            List.of(
                    "fields.",
                    "parquet.",
                    "orc.",
                    "avro.",
                    "metastore.",
                    "metadata.",
                    "file-index.",
                    "file.format.per.level.",
                    "file.compression.per.level.",
                    "commit.callback.",
                    "tag.callback.",
                    "partition.mark-done-action.");

    private static final Set<String> KEYS = keys();

    private PaimonTableOptions() {}

    static boolean isTableOption(String key) {
        return KEYS.contains(key)
                || PREFIXES.stream()
                        .anyMatch(prefix -> key.startsWith(prefix) && !key.equals(prefix));
    }

    private static Set<String> keys() {
        Set<String> keys = new HashSet<>();
        CoreOptions.getOptions().forEach(option -> addKeys(option, keys));
        FlinkConnectorOptions.getOptions().forEach(option -> addKeys(option, keys));
        addKeys(IcebergOptions.METADATA_ICEBERG_STORAGE, keys);
        return keys;
    }

    private static void addKeys(ConfigOption<?> option, Set<String> keys) {
        keys.add(option.key());
        for (FallbackKey fallback : option.fallbackKeys()) {
            keys.add(fallback.getKey());
        }
    }
}
