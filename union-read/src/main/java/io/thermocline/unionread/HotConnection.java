package io.thermocline.unionread;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task's connection to a table's hot tier, made when it is needed first; the hot store is started
 * if it does not run. Thread-safe. Not for planning.
 */
public final class HotConnection implements Supplier<HotTable>, AutoCloseable {

    private final LogicalTable table;
    private @Nullable HotStore store;
    private @Nullable HotTable hotTable;
    private boolean closed;

    public HotConnection(LogicalTable table) {
        this.table = table;
    }

    /** The hot table; connects at the first call. */
    @Override
    public synchronized HotTable get() {
        if (closed) {
            throw new IllegalStateException(
                    "connection to table " + table.spec().path() + " was closed");
        }
        if (hotTable == null) {
            HotStore connected = table.store().connect(WhenStopped.START);
            try {
                hotTable = connected.openTable(table.spec().path(), table.spec().tableId());
                store = connected;
            } finally {
                if (hotTable == null) {
                    connected.close();
                }
            }
        }
        return hotTable;
    }

    @Override
    public synchronized void close() {
        closed = true;
        try {
            if (hotTable != null) {
                hotTable.close();
            }
        } finally {
            if (store != null) {
                store.close();
            }
            hotTable = null;
            store = null;
        }
    }
}
