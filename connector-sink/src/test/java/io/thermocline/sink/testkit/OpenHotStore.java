package io.thermocline.sink.testkit;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.TieringResult;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * A connection to a store of this JVM: closing it leaves the store open.
 *
 * @param store the store itself
 */
public record OpenHotStore(HotStore store) implements HotStore {

    @Override
    public StoreIdentity identity() {
        return store.identity();
    }

    @Override
    public HotTable openTable(ObjectPath path, String tableId) {
        return store.openTable(path, tableId);
    }

    @Override
    public void dropTable(String tableId) {
        store.dropTable(tableId);
    }

    @Override
    public TieringResult tier(ObjectPath path, String tableId) {
        return store.tier(path, tableId);
    }

    @Override
    public void close() {}
}
