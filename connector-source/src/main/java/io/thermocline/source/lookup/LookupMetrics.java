package io.thermocline.source.lookup;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.table.data.RowData;

/**
 * Counters of a lookup function; answers may be counted in any thread.
 *
 * @param lookups keys asked for
 * @param misses keys without a row
 * @param errors keys without an answer
 */
record LookupMetrics(Counter lookups, Counter misses, Counter errors) {

    /** Counts for nobody. */
    static final LookupMetrics NONE =
            new LookupMetrics(
                    new ThreadSafeSimpleCounter(),
                    new ThreadSafeSimpleCounter(),
                    new ThreadSafeSimpleCounter());

    static LookupMetrics register(MetricGroup group) {
        return new LookupMetrics(
                group.counter("numLookups", new ThreadSafeSimpleCounter()),
                group.counter("numLookupMisses", new ThreadSafeSimpleCounter()),
                group.counter("numLookupErrors", new ThreadSafeSimpleCounter()));
    }

    CompletableFuture<Collection<RowData>> counted(CompletableFuture<Collection<RowData>> answer) {
        lookups.inc();
        return answer.whenComplete(
                (rows, failure) -> {
                    if (failure != null) {
                        errors.inc();
                    } else if (rows.isEmpty()) {
                        misses.inc();
                    }
                });
    }
}
