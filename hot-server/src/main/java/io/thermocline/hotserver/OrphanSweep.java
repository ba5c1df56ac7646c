package io.thermocline.hotserver;

import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStore.OpenTable;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes hot data whose lake table is gone. A table counts as gone only if the lake answered for
 * every table and none has the id: an error, or a table that was renamed, removes nothing.
 */
final class OrphanSweep {

    private static final Logger LOG = LoggerFactory.getLogger(OrphanSweep.class);

    private OrphanSweep() {}

    static void run(LocalHotStore store, LakeTables lake) {
        try {
            List<HotTableSpec> unknown =
                    store.openTables().stream()
                            .map(OpenTable::spec)
                            .filter(spec -> !isPresent(spec, lake))
                            .toList();
            if (unknown.isEmpty()) {
                return;
            }
            Set<String> ids = lake.tableIds();
            for (HotTableSpec spec : unknown) {
                if (!ids.contains(spec.tableId())) {
                    LOG.info(
                            "dropping the hot data of {} (id {}): its lake table is gone",
                            spec.path(),
                            spec.tableId());
                    store.dropTable(spec.tableId());
                }
            }
        } catch (HotStoreException e) {
            LOG.warn("orphaned hot data is not looked for now: {}", e.getMessage());
        }
    }

    private static boolean isPresent(HotTableSpec spec, LakeTables lake) {
        Optional<HotTableSpec> now = lake.resolve(spec.path());
        return now.isPresent() && now.get().tableId().equals(spec.tableId());
    }
}
