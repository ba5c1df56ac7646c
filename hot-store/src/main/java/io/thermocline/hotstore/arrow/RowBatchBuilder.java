package io.thermocline.hotstore.arrow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * Builds {@link RowBatch}es row by row: every value is copied, so the caller may reuse its rows.
 * Not thread-safe.
 */
public final class RowBatchBuilder implements AutoCloseable {

    /**
     * @param rowType columns of the batches
     * @param allocator where the vectors live; the batches built must be closed before it
     */
    public RowBatchBuilder(RowType rowType, BufferAllocator allocator) {
        throw new UnsupportedOperationException("skeleton");
    }

    /** Appends a row with its row kind. */
    public void append(RowData row) {
        throw new UnsupportedOperationException("skeleton");
    }

    public int rowCount() {
        throw new UnsupportedOperationException("skeleton");
    }

    /** Approximate bytes of the rows appended since the last {@link #finish()}. */
    public long sizeBytes() {
        throw new UnsupportedOperationException("skeleton");
    }

    /** Hands out the rows as a batch and starts a new one. */
    public RowBatch finish() {
        throw new UnsupportedOperationException("skeleton");
    }

    @Override
    public void close() {}
}
