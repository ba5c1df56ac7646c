package io.thermocline.unionread.testing;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.lake.BucketFunction;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.tiering.TieringRound;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.jspecify.annotations.Nullable;

/** A table of a {@link TestWarehouse}, with what tests do to it. */
public final class WarehouseTable {

    private final LogicalTable table;
    private final TestWarehouse warehouse;
    private final UUID writerId = UUID.randomUUID();
    private final Map<Integer, Long> sequences = new HashMap<>();
    private final @Nullable BucketFunction bucketFunction;
    private int nextLogBucket;

    WarehouseTable(LogicalTable table, TestWarehouse warehouse) {
        this.table = table;
        this.warehouse = warehouse;
        this.bucketFunction =
                table.spec().bucketKeys().isEmpty() ? null : table.lake().bucketFunction();
    }

    /** The table as queries get it. */
    public LogicalTable logical() {
        return table;
    }

    /** The hot table; the caller closes it. */
    public HotTable openHot() {
        return warehouse.store().openTable(table.spec().path(), table.spec().tableId());
    }

    /** Writes rows, one batch per bucket, and waits until they can be read. */
    public void write(RowData... rows) {
        HotTableSpec spec = table.spec();
        Map<Integer, RowBatchBuilder> builders = new TreeMap<>();
        for (RowData row : rows) {
            builders.computeIfAbsent(
                            bucketOf(row),
                            bucket -> new RowBatchBuilder(spec.rowType(), ArrowMemory.root()))
                    .append(row);
        }
        try (HotTable hot = openHot()) {
            builders.forEach(
                    (bucket, builder) -> {
                        long sequence = sequences.merge(bucket, 1L, Long::sum) - 1;
                        hot.append(new AppendBatch(bucket, writerId, sequence, builder.finish()))
                                .join();
                        builder.close();
                    });
        }
    }

    /** Tiers everything up to now. */
    public void tier() {
        try (HotTable hot = openHot()) {
            new TieringRound(hot, table.lake(), warehouse.spillDirectory()).run();
        }
    }

    /** The bucket that a row belongs to; of a log table without a bucket key, the next one. */
    private int bucketOf(RowData row) {
        HotTableSpec spec = table.spec();
        if (spec.bucketKeys().isEmpty()) {
            nextLogBucket = (nextLogBucket + 1) % spec.bucketCount();
            return nextLogBucket;
        }
        int[] positions =
                spec.bucketKeys().stream().mapToInt(spec.rowType()::getFieldIndex).toArray();
        return bucketFunction.bucket(ProjectedRowData.from(positions).replaceRow(row));
    }
}
