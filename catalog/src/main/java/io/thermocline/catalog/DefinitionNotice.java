package io.thermocline.catalog;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a running hot store look at a table that was altered, so that retention and tiering follow
 * its options now and not when it is used next. One that does not run reads them when it starts, so
 * that an ALTER never fails for it.
 */
final class DefinitionNotice {

    private static final Logger LOG = LoggerFactory.getLogger(DefinitionNotice.class);

    private final HotStoreProvider provider;

    DefinitionNotice(HotStoreProvider provider) {
        this.provider = provider;
    }

    void send(ObjectPath path, String tableId) {
        try (HotStore store = provider.connect(WhenStopped.FAIL);
                HotTable table = store.openTable(path, tableId)) {
            LOG.debug("The hot store knows {} now", table.spec());
        } catch (RuntimeException e) {
            if (e instanceof HotStoreException failure
                    && failure.code() == ErrorCode.STORE_UNREACHABLE) {
                LOG.debug("No hot store is running; it will read the options of {} itself", path);
            } else {
                LOG.warn(
                        "The hot store could not be told that {} was altered; it will see when the"
                                + " table is used next",
                        path,
                        e);
            }
        }
    }
}
