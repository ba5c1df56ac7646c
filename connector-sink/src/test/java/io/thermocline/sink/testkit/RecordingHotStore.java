package io.thermocline.sink.testkit;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.TieringResult;
import org.apache.flink.table.catalog.ObjectPath;

/** A store of one {@link RecordingHotTable}. */
public final class RecordingHotStore implements HotStore {

    private final RecordingHotTable table;
    private volatile boolean isClosed;

    public RecordingHotStore(RecordingHotTable table) {
        this.table = table;
    }

    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public HotTable openTable(ObjectPath path, String tableId) {
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
