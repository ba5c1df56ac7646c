package io.thermocline.catalog;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.TieringResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.ObjectPath;

/** A hot store that writes down what it is asked. */
final class RecordingHotStore implements HotStore {

    /** Reaches the one store, or none when it is stopped. */
    static final class Provider implements HotStoreProvider {

        private static final long serialVersionUID = 1L;

        private final transient RecordingHotStore store = new RecordingHotStore();
        private transient ErrorCode failure;

        @Override
        public HotStore connect(WhenStopped whenStopped) {
            store.calls.add("connect " + whenStopped);
            if (failure != null) {
                throw new HotStoreException(failure, "as the test wants it");
            }
            return store;
        }

        void failWith(ErrorCode code) {
            failure = code;
        }

        List<String> calls() {
            return store.calls;
        }
    }

    private final List<String> calls = new ArrayList<>();

    @Override
    public StoreIdentity identity() {
        return new StoreIdentity("store", 0);
    }

    @Override
    public HotTable openTable(ObjectPath path, String tableId) {
        calls.add("open " + path.getFullName() + " " + tableId);
        throw new HotStoreException(ErrorCode.TABLE_NOT_FOUND, path.getFullName());
    }

    @Override
    public void dropTable(String tableId) {
        calls.add("drop " + tableId);
    }

    @Override
    public TieringResult tier(ObjectPath path, String tableId) {
        calls.add("tier " + path.getFullName() + " " + tableId);
        return new TieringResult(
                7, Map.of(0, 1L, 1, 2L), Map.of(0, 11L, 1, 12L), 13, 2, 900, 40L, 0);
    }

    @Override
    public void close() {
        calls.add("close");
    }
}
