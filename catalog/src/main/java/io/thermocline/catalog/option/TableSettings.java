package io.thermocline.catalog.option;

import java.util.Map;
import java.util.TreeMap;

/**
 * Options of one table, sorted by who acts on them.
 *
 * @param hot ours, by the names in {@link KnownTableOptions}
 * @param lake the lake's own, as it names them
 */
public record TableSettings(Map<String, String> hot, Map<String, String> lake) {

    public TableSettings {
        hot = new TreeMap<>(hot);
        lake = new TreeMap<>(lake);
    }
}
