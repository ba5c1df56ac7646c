package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.Arrays;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Builds {@link RowBatch}es row by row: every value is copied, so the caller may reuse its rows.
 * Not thread-safe.
 */
public final class RowBatchBuilder implements AutoCloseable {

    private static final int MIN_INITIAL_ROWS = 16;
    private static final int MAX_INITIAL_ROWS = 4096;

    private final RowType rowType;
    private final BufferAllocator allocator;
    private final Schema schema;
    private final int[] notNullColumns;

    private @Nullable VectorSchemaRoot root;
    private ColumnWriter[] writers = new ColumnWriter[0];
    private byte[] rowKinds;
    private boolean insertOnly = true;
    private int rowCount;
    private int initialRows = MIN_INITIAL_ROWS;
    private long fixedBytesPerRow;
    private long copiedBytes;

    /**
     * @param rowType columns of the batches
     * @param allocator where the vectors live; the batches built must be closed before it
     * @throws HotStoreException {@code UNSUPPORTED_TYPE} naming column and type
     */
    public RowBatchBuilder(RowType rowType, BufferAllocator allocator) {
        this.rowType = rowType;
        this.allocator = allocator;
        this.schema = ArrowTypes.schemaOf(rowType);
        this.rowKinds = new byte[MIN_INITIAL_ROWS];
        this.notNullColumns = notNullColumns(rowType);
    }

    private static int[] notNullColumns(RowType rowType) {
        int[] columns = new int[rowType.getFieldCount()];
        int count = 0;
        for (int column = 0; column < columns.length; column++) {
            if (!rowType.getTypeAt(column).isNullable()) {
                columns[count++] = column;
            }
        }
        return Arrays.copyOf(columns, count);
    }

    /**
     * Appends a row with its row kind. A row that is refused leaves no trace.
     *
     * @throws HotStoreException {@code NULL_IN_NOT_NULL_COLUMN} for a +I or +U row (deletes may
     *     carry the key only); {@code INVALID_ARGUMENT} for a value that the column's type cannot
     *     hold
     */
    public void append(RowData row) {
        if (row.getArity() != rowType.getFieldCount()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a row of " + row.getArity() + " fields does not fit the columns " + rowType);
        }
        RowKind kind = row.getRowKind();
        if (kind == RowKind.INSERT || kind == RowKind.UPDATE_AFTER) {
            checkNotNull(row);
        }
        if (root == null) {
            start();
        }
        for (int column = 0; column < writers.length; column++) {
            writers[column].write(row, column, rowCount);
        }
        added(kind);
    }

    /**
     * Appends a row of a batch that has the same columns, with another row kind. Its columns are
     * copied from vector to vector where that is possible.
     */
    public void append(RowBatch source, int row, RowKind kind) {
        if (root == null) {
            start();
        }
        RowData view = null;
        for (int column = 0; column < writers.length; column++) {
            FieldVector from = source.vectors().getVector(column);
            FieldVector to = root.getVector(column);
            if (from instanceof BaseFixedWidthVector && to instanceof BaseFixedWidthVector) {
                to.copyFromSafe(row, rowCount, from);
            } else if (from instanceof BaseVariableWidthVector texts
                    && to instanceof BaseVariableWidthVector) {
                to.copyFromSafe(row, rowCount, from);
                copiedBytes += texts.isNull(row) ? 0 : texts.getValueLength(row);
            } else {
                view = view == null ? source.row(row) : view;
                writers[column].write(view, column, rowCount);
            }
        }
        added(kind);
    }

    private void added(RowKind kind) {
        if (rowCount == rowKinds.length) {
            rowKinds = Arrays.copyOf(rowKinds, rowCount * 2);
        }
        rowKinds[rowCount++] = kind.toByteValue();
        insertOnly &= kind == RowKind.INSERT;
    }

    private void checkNotNull(RowData row) {
        for (int column : notNullColumns) {
            if (row.isNullAt(column)) {
                throw new HotStoreException(
                        ErrorCode.NULL_IN_NOT_NULL_COLUMN,
                        "column '"
                                + rowType.getFieldNames().get(column)
                                + "' is declared NOT NULL, but a row has NULL there. Filter such rows"
                                + " out (table.exec.sink.not-null-enforcer=DROP) or give the column a"
                                + " value.");
            }
        }
    }

    private void start() {
        VectorSchemaRoot started = VectorSchemaRoot.create(schema, allocator);
        try {
            writers = new ColumnWriter[rowType.getFieldCount()];
            fixedBytesPerRow = 1;
            for (int column = 0; column < writers.length; column++) {
                FieldVector vector = started.getVector(column);
                vector.setInitialCapacity(initialRows);
                vector.allocateNew();
                LogicalType type = rowType.getTypeAt(column);
                writers[column] =
                        ColumnWriters.of(type, vector, rowType.getFieldNames().get(column));
                fixedBytesPerRow += writers[column].fixedBytes();
            }
        } catch (RuntimeException failure) {
            started.close();
            throw failure;
        }
        root = started;
    }

    public int rowCount() {
        return rowCount;
    }

    /** Approximate bytes of the rows appended since the last {@link #finish()}. */
    public long sizeBytes() {
        long bytes = rowCount * fixedBytesPerRow + copiedBytes;
        for (ColumnWriter writer : writers) {
            bytes += writer.variableBytes();
        }
        return bytes;
    }

    /** Hands out the rows as a batch, which may be empty, and starts a new one. */
    public RowBatch finish() {
        if (root == null) {
            start();
        }
        VectorSchemaRoot finished = root;
        finished.setRowCount(rowCount);
        byte[] kinds = insertOnly ? null : Arrays.copyOf(rowKinds, rowCount);
        // The next batch is likely to be as large as this one.
        initialRows = Math.max(MIN_INITIAL_ROWS, Math.min(rowCount, MAX_INITIAL_ROWS));
        reset();
        return new ArrowRowBatch(rowType, finished, kinds);
    }

    private void reset() {
        root = null;
        writers = new ColumnWriter[0];
        rowCount = 0;
        copiedBytes = 0;
        insertOnly = true;
    }

    /** Drops the rows that were not handed out. */
    @Override
    public void close() {
        if (root != null) {
            root.close();
        }
        reset();
    }
}
