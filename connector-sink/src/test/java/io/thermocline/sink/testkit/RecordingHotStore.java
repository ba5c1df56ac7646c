package io.thermocline.sink.testkit;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.TieringResult;
import org.apache.flink.table.catalog.ObjectPath;
import org.jspecify.annotations.Nullable;

/** A store of one {@link RecordingHotTable}. */
public final class RecordingHotStore implements HotStore {

    private final RecordingHotTable table;
    private final @Nullable HotStoreException openFailure;
    private volatile boolean isClosed;

    public RecordingHotStore(RecordingHotTable table) {
        this(table, null);
    }

    /**
     * @param openFailure why the table cannot be opened; null if it can
     */
    public RecordingHotStore(RecordingHotTable table, @Nullable HotStoreException openFailure) {
        this.table = table;
        this.openFailure = openFailure;
    }

    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public HotTable openTable(ObjectPath path, String tableId) {
        if (openFailure != null) {
            throw openFailure;
        }
        return table;
    }

    @Override
    public StoreIdentity identity() {
        return new StoreIdentity("recording", 0);
    }

    @Override
    public void dropTable(String tableId) {
        throw new UnsupportedOperationException("a writer drops nothing");
    }

    @Override
    public TieringResult tier(ObjectPath path, String tableId) {
        throw new UnsupportedOperationException("a writer does not tier");
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
