package io.thermocline.hotstore.arrow;

import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/**
 * Rows in Arrow vectors with a row kind each, readable as Flink rows without decoding. Owns its
 * memory. Not thread-safe. Made by {@link RowBatchBuilder} and {@link RowBatches}.
 */
public interface RowBatch extends AutoCloseable {

    /** Columns of the batch. */
    RowType rowType();

    int rowCount();

    RowKind rowKind(int row);

    /** Row kind as its stable number: 0 +I, 1 -U, 2 +U, 3 -D. */
    byte rowKindValue(int row);

    /** Whether every row is +I. */
    boolean isInsertOnly();

    /**
     * Row {@code row} as a view onto the vectors, with its row kind set. A new object per call;
     * valid until {@link #close()}. It has no {@code equals} or {@code hashCode}.
     */
    RowData row(int row);

    /** The vectors, one per column in order, without the row kinds. Owned by this batch. */
    VectorSchemaRoot vectors();

    /** Bytes held by the vectors. */
    long sizeBytes();

    /**
     * A batch of the named columns in the order given. Shares memory with this one; both must be
     * closed.
     *
     * @throws io.thermocline.hotstore.HotStoreException {@code INVALID_ARGUMENT} for a column that
     *     is not there
     */
    RowBatch select(List<String> columns);

    /**
     * A batch of the rows from {@code start} to {@code end} (exclusive). Shares memory with this
     * one where it can; both must be closed.
     */
    RowBatch slice(int start, int end);

    /** Moves the memory to another allocator of the same root. This batch is closed by it. */
    RowBatch transferTo(BufferAllocator allocator);

    /** Gives the memory back. Closing twice does nothing. */
    @Override
    void close();
}
