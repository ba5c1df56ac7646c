package io.thermocline.hotserver;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * The store as the server offers it: before a table is used for the first time its changelog is
 * checked against what the lake says is tiered, and tables in use are known by id. Thread-safe.
 */
final class ServedStore implements HotStore {

    private final HotStore store;
    private final LakeCatalog lake;
    private final ConcurrentHashMap<String, HotTable> tables = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Boolean> checked = new ConcurrentHashMap<>();

    ServedStore(HotStore store, LakeCatalog lake) {
        this.store = store;
        this.lake = lake;
    }

    @Override
    public StoreIdentity identity() {
        return store.identity();
    }

    @Override
    public HotTable openTable(ObjectPath path, String tableId) {
        HotTable table = store.openTable(path, tableId);
        boolean usable = false;
        try {
            checkAgainstLake(table);
            usable = true;
        } finally {
            if (!usable) {
                table.close();
            }
        }
        // one handle of the server's own, with the newest definition
        HotTable before = tables.put(tableId, store.openTable(path, tableId));
        if (before != null) {
            before.close();
        }
        return table;
    }

    /** Brings a table's definition up to date with the lake: it may have another name. */
    void refresh(HotTable table) {
        openTable(table.spec().path(), table.spec().tableId()).close();
    }

    /** A lost or older hot directory shows as a changelog that ends below what the lake holds. */
    private void checkAgainstLake(HotTable table) {
        HotTableSpec spec = table.spec();
        checked.computeIfAbsent(
                spec.tableId(),
                id -> {
                    try {
                        LakeTable lakeTable = lake.table(spec.path());
                        lakeTable
                                .latestSnapshot()
                                .map(LakeSnapshot::tieredState)
                                .filter(state -> state.tableId().equals(id))
                                .ifPresent(state -> table.reportTieredOffsets(state.offsets()));
                        return true;
                    } catch (LakeException e) {
                        throw LakeAccess.failed("read the tiered state of " + spec.path(), e);
                    }
                });
    }

    /** Tables that were opened and not dropped since. The handles stay this object's. */
    Collection<HotTable> tables() {
        return List.copyOf(tables.values());
    }

    @Override
    public void dropTable(String tableId) {
        HotTable table = tables.remove(tableId);
        if (table != null) {
            table.close();
        }
        checked.remove(tableId);
        store.dropTable(tableId);
    }

    @Override
    public TieringResult tier(ObjectPath path, String tableId) {
        return store.tier(path, tableId);
    }

    @Override
    public void close() {
        tables.values().forEach(HotTable::close);
        tables.clear();
        store.close();
    }
}
