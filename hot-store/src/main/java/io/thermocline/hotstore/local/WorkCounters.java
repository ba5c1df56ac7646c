package io.thermocline.hotstore.local;

import io.thermocline.hotstore.LookupResult;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.table.data.RowData;

/** Counts what clients make a table do. Thread-safe. */
final class WorkCounters {

    private final LongAdder appendedRows = new LongAdder();
    private final LongAdder appendedBytes = new LongAdder();
    private final LongAdder failedAppends = new LongAdder();
    private final LongAdder lookups = new LongAdder();
    private final LongAdder lookupMisses = new LongAdder();

    void appended(int rows, long bytes) {
        appendedRows.add(rows);
        appendedBytes.add(bytes);
    }

    void appendFailed() {
        failedAppends.increment();
    }

    void lookedUp(LookupResult result) {
        lookups.add(result.rows().size());
        int misses = 0;
        for (List<RowData> rows : result.rows()) {
            misses += rows.isEmpty() ? 1 : 0;
        }
        lookupMisses.add(misses);
    }

    TableFigures.Work sum() {
        return new TableFigures.Work(
                appendedRows.sum(),
                appendedBytes.sum(),
                failedAppends.sum(),
                lookups.sum(),
                lookupMisses.sum());
    }
}
