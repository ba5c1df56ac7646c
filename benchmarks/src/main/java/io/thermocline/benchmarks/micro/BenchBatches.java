package io.thermocline.benchmarks.micro;

import io.thermocline.benchmarks.driver.BenchRow;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.flink.BenchRows;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import java.util.function.LongUnaryOperator;
import org.apache.arrow.memory.BufferAllocator;

/** Batches of the benchmarks' rows. */
final class BenchBatches {

    private BenchBatches() {}

    /**
     * @param keyOf key of the n-th row
     * @param version of the rows
     */
    static RowBatch of(
            Shape shape,
            TableKey key,
            int rows,
            LongUnaryOperator keyOf,
            long version,
            BufferAllocator allocator) {
        BenchRow row = new BenchRow(shape);
        try (RowBatchBuilder builder =
                new RowBatchBuilder(BenchRows.rowType(shape, key), allocator)) {
            for (int i = 0; i < rows; i++) {
                shape.fill(row, keyOf.applyAsLong(i), version);
                builder.append(BenchRows.toRowData(shape, row));
            }
            return builder.finish();
        }
    }
}
