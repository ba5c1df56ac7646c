package io.thermocline.hotstore.arrow;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/**
 * Rows in Arrow vectors with a row kind each, readable as Flink rows without decoding. Owns its
 * memory. Not thread-safe.
 */
public interface RowBatch extends AutoCloseable {

    /** Columns of the batch. */
    RowType rowType();

    int rowCount();

    RowKind rowKind(int row);

    /**
     * Row {@code row} as a view onto the vectors, with its row kind set. A new object per call;
     * valid until {@link #close()}.
     */
    RowData row(int row);

    /** The vectors, one per column in order, without the row kinds. Owned by this batch. */
    VectorSchemaRoot vectors();

    /** Bytes held by the vectors. */
    long sizeBytes();

    @Override
    void close();
}
