package io.thermocline.unionread.reader;

import io.thermocline.hotstore.HotTable;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.UnionScan;
import java.util.function.Supplier;

/** What the unit readers of one task share: the table, the key sets, and the end. Thread-safe. */
public final class ReadContext implements AutoCloseable {

    private final LogicalTable table;
    private final UnionScan scan;
    private final Supplier<HotTable> hot;
    private final SpillSettings spill;
    private final TailKeySets keySets;
    private volatile boolean closed;

    /**
     * @param hot gives the hot table; not asked while only the lake is read
     * @param spill bounds of each key set
     */
    public ReadContext(
            LogicalTable table, UnionScan scan, Supplier<HotTable> hot, SpillSettings spill) {
        this.table = table;
        this.scan = scan;
        this.hot = hot;
        this.spill = spill;
        this.keySets = new TailKeySets(this);
    }

    LogicalTable table() {
        return table;
    }

    UnionScan scan() {
        return scan;
    }

    HotTable hotTable() {
        return hot.get();
    }

    SpillSettings spill() {
        return spill;
    }

    TailKeySets keySets() {
        return keySets;
    }

    boolean isClosed() {
        return closed;
    }

    /** Makes long work of readers end soon. Does not close the hot table. */
    @Override
    public void close() {
        closed = true;
        keySets.close();
    }
}
