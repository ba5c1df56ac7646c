package io.thermocline.catalog;

import io.thermocline.catalog.option.CatalogOptionRules;
import io.thermocline.catalog.option.CatalogOptions;
import io.thermocline.hotserver.LocalEngine;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;

/**
 * Where a warehouse is and how its hot tier is reached.
 *
 * @param lake the lake's side of it
 * @param store how a task reaches the hot store
 */
record WarehouseConfig(LakeConfig lake, HotStoreProvider store) {

    /**
     * Reads the options of a warehouse. Makes no connection.
     *
     * @param owner what has these options, for messages
     * @throws ValidationException if one is missing, unknown or not valid
     */
    static WarehouseConfig of(String owner, Map<String, String> options) {
        CatalogOptionRules.check(owner, options);
        Configuration values = Configuration.fromMap(options);
        LakeConfig lake =
                new LakeConfig(
                        values.get(CatalogOptions.LAKE),
                        values.get(CatalogOptions.WAREHOUSE),
                        lakeOptions(options));
        return new WarehouseConfig(lake, localEngine(owner, lake, options));
    }

    private static LocalEngine localEngine(
            String owner, LakeConfig lake, Map<String, String> options) {
        Map<String, String> server = new TreeMap<>(options);
        server.keySet().removeIf(key -> !key.startsWith(CatalogOptions.SERVER_PREFIX));
        try {
            return LocalEngine.of(lake, server);
        } catch (HotStoreException e) {
            throw new ValidationException(
                    "an option of %s is not valid: %s".formatted(owner, e.getMessage()));
        }
    }

    /** Whether an option of a table without a catalog is about its warehouse. */
    static boolean isWarehouseOption(String key) {
        return CatalogOptionRules.isWarehouseOption(key);
    }

    /**
     * Opens the lake's catalog. This is where the first access to the warehouse happens.
     *
     * @throws ValidationException if no binding of that name is on the class path
     * @throws io.thermocline.lake.LakeException if the lake cannot be opened
     */
    LakeCatalog openLake(ClassLoader classLoader) {
        Map<String, LakeBinding> bindings = LakeBinding.seenBy(classLoader);
        LakeBinding binding = bindings.get(lake.lake());
        if (binding == null) {
            throw new ValidationException(
                    "option 'lake' = '%s' is not valid: lakes on the class path are %s"
                            .formatted(lake.lake(), bindings.keySet()));
        }
        return binding.open(lake, classLoader);
    }

    private static Map<String, String> lakeOptions(Map<String, String> options) {
        Map<String, String> ofLake = new TreeMap<>();
        options.forEach(
                (key, value) -> {
                    if (key.startsWith(CatalogOptions.LAKE_PREFIX)) {
                        ofLake.put(key.substring(CatalogOptions.LAKE_PREFIX.length()), value);
                    }
                });
        return ofLake;
    }
}
