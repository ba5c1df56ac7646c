package io.thermocline.hotstore.arrow;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.VectorAppender;
import org.apache.flink.table.types.logical.RowType;

/**
 * Joins batches into a larger one, column by column. Owns the batches that it was given. Not
 * thread-safe.
 */
public final class RowBatchJoiner implements AutoCloseable {

    private final RowType rowType;
    private final BufferAllocator allocator;
    private final List<RowBatch> parts = new ArrayList<>();
    private int rowCount;
    private long sizeBytes;

    /**
     * @param rowType columns of all batches
     * @param allocator where joined batches live
     */
    public RowBatchJoiner(RowType rowType, BufferAllocator allocator) {
        this.rowType = rowType;
        this.allocator = allocator;
    }

    /** Adds the rows of a batch, which is closed together with this, or becomes the result. */
    public void add(RowBatch part) {
        parts.add(part);
        rowCount += part.rowCount();
        sizeBytes += part.sizeBytes();
    }

    /** Rows added since the last {@link #finish}. */
    public int rowCount() {
        return rowCount;
    }

    /** Bytes of the rows added since the last {@link #finish}. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** Hands out all rows in the order they were added as one batch, and starts a new one. */
    public RowBatch finish() {
        if (parts.size() == 1) {
            RowBatch only = parts.get(0);
            parts.clear();
            close();
            return only;
        }
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowTypes.schemaOf(rowType), allocator);
        try {
            for (int column = 0; column < rowType.getFieldCount(); column++) {
                join(column, root.getVector(column));
            }
            root.setRowCount(rowCount);
            return RowBatches.wrap(rowType, root, rowKinds());
        } catch (RuntimeException failure) {
            root.close();
            throw failure;
        } finally {
            close();
        }
    }

    private void join(int column, FieldVector target) {
        if (target instanceof BaseVariableWidthVector texts) {
            long bytes = 0;
            for (RowBatch part : parts) {
                bytes += part.vectors().getVector(column).getDataBuffer().readableBytes();
            }
            texts.allocateNew(bytes, rowCount);
        } else {
            target.setInitialCapacity(rowCount);
            target.allocateNew();
        }
        VectorAppender appender = new VectorAppender(target);
        for (RowBatch part : parts) {
            part.vectors().getVector(column).accept(appender, null);
        }
    }

    private byte[] rowKinds() {
        byte[] kinds = new byte[rowCount];
        int at = 0;
        for (RowBatch part : parts) {
            for (int row = 0; row < part.rowCount(); row++) {
                kinds[at++] = part.rowKindValue(row);
            }
        }
        return kinds;
    }

    /** Closes what was added and not handed out. */
    @Override
    public void close() {
        parts.forEach(RowBatch::close);
        parts.clear();
        rowCount = 0;
        sizeBytes = 0;
    }
}
