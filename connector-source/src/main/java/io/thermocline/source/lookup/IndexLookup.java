package io.thermocline.source.lookup;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.LookupResult;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.lake.BucketFunction;
import io.thermocline.source.ReadFailures;
import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.LogicalTable;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * Looks rows up in the key index. Requests come from one thread; their answers may be completed in
 * another.
 */
final class IndexLookup implements AutoCloseable {

    private final LookupKeys keys;
    private final List<String> projection;
    private final HotConnection connection;
    private final KeyEncoder keyEncoder;
    private final boolean bucketKnown;
    private final BucketFunction bucketFunction;
    private final ProjectedRowData bucketKey;
    private final ColumnEquality filter;
    private LookupMetrics metrics = LookupMetrics.NONE;

    /**
     * @param projection columns of the rows found
     * @param producedType the same columns with their types
     */
    IndexLookup(
            LogicalTable table, LookupKeys keys, List<String> projection, RowType producedType) {
        HotTableSpec spec = table.spec();
        this.keys = keys;
        this.projection = projection;
        this.connection = new HotConnection(table);
        this.keyEncoder =
                keys.wholeKey()
                        ? KeyEncoder.forRows(spec, keys.columns())
                        : KeyEncoder.forPrefix(spec, keys.columns(), keys.prefixLength());
        Set<String> columns = new HashSet<>(keys.columns());
        this.bucketKnown = columns.containsAll(spec.bucketKeys());
        this.bucketFunction = table.lake().bucketFunction();
        this.bucketKey =
                ProjectedRowData.from(
                        bucketKnown
                                ? spec.bucketKeys().stream()
                                        .mapToInt(keys.columns()::indexOf)
                                        .toArray()
                                : new int[0]);
        this.filter = new ColumnEquality(keys.columns(), producedType, keys.filterColumns());
    }

    /** Connects, so that a wrong set-up fails when the task starts. */
    void open(MetricGroup group) {
        metrics = LookupMetrics.register(group);
        try {
            connection.get();
        } catch (RuntimeException e) {
            throw ReadFailures.forFlink(e);
        }
    }

    /** Rows with this key; never throws, every failure completes the future. */
    CompletableFuture<Collection<RowData>> lookup(RowData key) {
        try {
            int bucket =
                    bucketKnown
                            ? bucketFunction.bucket(bucketKey.replaceRow(key))
                            : LookupRequest.ALL_BUCKETS;
            LookupRequest request =
                    new LookupRequest(
                            new int[] {bucket},
                            List.of(keyEncoder.encode(key)),
                            !keys.wholeKey(),
                            projection);
            // copied now: the caller may reuse its key row before the answer comes
            List<BinaryRowData> wanted = filter.valuesOf(key);
            return metrics.counted(
                    connection.get().lookup(request).thenApply(result -> filter(result, wanted)));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        connection.close();
    }

    private Collection<RowData> filter(LookupResult result, List<BinaryRowData> wanted) {
        List<RowData> rows = result.rows().get(0);
        return wanted.isEmpty()
                ? rows
                : rows.stream().filter(row -> filter.matches(row, wanted)).toList();
    }
}
