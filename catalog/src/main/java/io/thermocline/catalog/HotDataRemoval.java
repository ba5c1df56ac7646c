package io.thermocline.catalog;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the hot data of tables that were dropped from the lake. A store that does not run now, or
 * fails now, finds later that the lake does not know the table id any more, so that a DROP never
 * fails for it.
 */
final class HotDataRemoval {

    private static final Logger LOG = LoggerFactory.getLogger(HotDataRemoval.class);

    private final HotStoreProvider provider;

    HotDataRemoval(HotStoreProvider provider) {
        this.provider = provider;
    }

    void remove(List<String> tableIds) {
        if (tableIds.isEmpty()) {
            return;
        }
        try (HotStore store = provider.connect(WhenStopped.FAIL)) {
            tableIds.forEach(store::dropTable);
        } catch (HotStoreException e) {
            if (e.code() == ErrorCode.STORE_UNREACHABLE) {
                LOG.debug(
                        "No hot store is running; it will remove the data of {} itself", tableIds);
            } else {
                LOG.warn(
                        "The hot data of dropped tables {} could not be removed now; the hot store will"
                                + " do so by itself",
                        tableIds,
                        e);
            }
        }
    }
}
