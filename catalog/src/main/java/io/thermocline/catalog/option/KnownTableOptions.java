package io.thermocline.catalog.option;

import io.thermocline.sink.SinkOptions;
import io.thermocline.source.SourceOptions;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;

/**
 * Every option that a table with a hot tier knows: its own, and the defaults of reading and
 * writing.
 */
public final class KnownTableOptions {

    private static final Map<String, ConfigOption<?>> ALL = new TreeMap<>();

    static {
        ALL.putAll(TableOptions.byKey());
        SourceOptions.all().forEach(option -> ALL.put(option.key(), option));
        SinkOptions.all().forEach(option -> ALL.put(option.key(), option));
    }

    private KnownTableOptions() {}

    /** All options by key, in key order. */
    public static Map<String, ConfigOption<?>> all() {
        return Collections.unmodifiableMap(ALL);
    }

    /**
     * Whether ALTER TABLE and hints may change the option: it only steers reading, writing or
     * tiering.
     */
    static boolean isChangeable(String key) {
        return ALL.containsKey(key)
                && (!TableOptions.byKey().containsKey(key) || TableOptions.isChangeable(key));
    }

    /** Whether a statement may give the option as a hint. */
    public static boolean isHint(String key) {
        return ALL.containsKey(key) && !TableOptions.byKey().containsKey(key);
    }
}
