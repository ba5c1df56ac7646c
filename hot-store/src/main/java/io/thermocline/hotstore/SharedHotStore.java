package io.thermocline.hotstore;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * One user's hold on a store that has other users: closing it leaves the store to them.
 * Thread-safe.
 */
public final class SharedHotStore implements HotStore {

    private final HotStore store;
    private final Runnable release;
    private final AtomicBoolean isOpen = new AtomicBoolean(true);

    /**
     * A hold on a store.
     *
     * @param release what the first {@link #close} does in place of closing the store
     */
    public SharedHotStore(HotStore store, Runnable release) {
        this.store = store;
        this.release = release;
    }

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
    public void close() {
        if (isOpen.getAndSet(false)) {
            release.run();
        }
    }
}
