package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import java.util.concurrent.ConcurrentHashMap;

/** Tables that the service has open, by table id. Thread-safe. */
final class OpenTables {

    private final HotStore store;
    private final ConcurrentHashMap<String, HotTable> tables = new ConcurrentHashMap<>();

    OpenTables(HotStore store) {
        this.store = store;
    }

    /** The table, opened if it is not. */
    HotTable get(TableAddress address) {
        // computeIfAbsent may wait for another table's opening, which asks the lake
        HotTable table = tables.get(address.tableId());
        return table != null
                ? table
                : tables.computeIfAbsent(
                        address.tableId(), id -> store.openTable(address.path(), id));
    }

    /** Opens the table anew, so that a changed definition is seen. */
    HotTableSpec open(TableAddress address) {
        return tables.compute(
                        address.tableId(),
                        (id, present) -> {
                            HotTable opened = store.openTable(address.path(), id);
                            if (present != null && present.spec().equals(opened.spec())) {
                                opened.close();
                                return present;
                            }
                            return opened;
                        })
                .spec();
    }

    void drop(String tableId) {
        HotTable table = tables.remove(tableId);
        if (table != null) {
            table.close();
        }
        store.dropTable(tableId);
    }

    void close() {
        tables.values().forEach(HotTable::close);
        tables.clear();
    }
}
