package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.TransferPair;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/** A {@link RowBatch} over an Arrow root. */
final class ArrowRowBatch implements RowBatch {

    private static final RowKind[] KINDS = RowKind.values();

    private final RowType rowType;
    private final VectorSchemaRoot vectors;
    private final int rowCount;
    private final VectorizedColumnBatch columns;

    // Null: every row is +I.
    private final byte @Nullable [] rowKinds;

    ArrowRowBatch(RowType rowType, VectorSchemaRoot vectors, byte @Nullable [] rowKinds) {
        this.rowType = rowType;
        this.vectors = vectors;
        this.rowCount = vectors.getRowCount();
        this.rowKinds = rowKinds;
        ColumnVector[] views = new ColumnVector[rowType.getFieldCount()];
        for (int column = 0; column < views.length; column++) {
            views[column] = ColumnViews.of(rowType.getTypeAt(column), vectors.getVector(column));
        }
        this.columns = new VectorizedColumnBatch(views);
        this.columns.setNumRows(rowCount);
    }

    @Override
    public RowType rowType() {
        return rowType;
    }

    @Override
    public int rowCount() {
        return rowCount;
    }

    @Override
    public RowKind rowKind(int row) {
        return KINDS[rowKindValue(row)];
    }

    @Override
    public byte rowKindValue(int row) {
        if (row < 0 || row >= rowCount) {
            throw new IndexOutOfBoundsException("row " + row + " of a batch of " + rowCount);
        }
        return rowKinds == null ? 0 : rowKinds[row];
    }

    @Override
    public boolean isInsertOnly() {
        if (rowKinds != null) {
            for (byte kind : rowKinds) {
                if (kind != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public RowData row(int row) {
        RowKind kind = rowKind(row);
        ColumnarRowData view = new ColumnarRowData(columns, row);
        view.setRowKind(kind);
        return view;
    }

    @Override
    public VectorSchemaRoot vectors() {
        return vectors;
    }

    @Override
    public long sizeBytes() {
        long bytes = rowKinds == null ? 0 : rowKinds.length;
        for (FieldVector vector : vectors.getFieldVectors()) {
            bytes += vector.getBufferSize();
        }
        return bytes;
    }

    @Override
    public RowBatch select(List<String> names) {
        List<RowType.RowField> fields = new ArrayList<>(names.size());
        int[] positions = new int[names.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = rowType.getFieldIndex(names.get(i));
            if (positions[i] < 0) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "column '"
                                + names.get(i)
                                + "' is not in this batch; its columns are "
                                + rowType.getFieldNames());
            }
            fields.add(rowType.getFields().get(positions[i]));
        }
        return new ArrowRowBatch(
                new RowType(rowType.isNullable(), fields), share(positions, 0, rowCount), rowKinds);
    }

    @Override
    public RowBatch slice(int start, int end) {
        if (start < 0 || end < start || end > rowCount) {
            throw new IndexOutOfBoundsException(
                    "rows " + start + " to " + end + " of a batch of " + rowCount);
        }
        int[] positions = new int[rowType.getFieldCount()];
        Arrays.setAll(positions, i -> i);
        byte[] kinds = rowKinds == null ? null : Arrays.copyOfRange(rowKinds, start, end);
        return new ArrowRowBatch(rowType, share(positions, start, end - start), kinds);
    }

    private VectorSchemaRoot share(int[] positions, int start, int length) {
        List<FieldVector> shared = new ArrayList<>(positions.length);
        for (int position : positions) {
            FieldVector vector = vectors.getVector(position);
            TransferPair pair = vector.getTransferPair(vector.getField(), vector.getAllocator());
            pair.splitAndTransfer(start, length);
            shared.add((FieldVector) pair.getTo());
        }
        VectorSchemaRoot root = new VectorSchemaRoot(shared);
        root.setRowCount(length);
        return root;
    }

    @Override
    public RowBatch transferTo(BufferAllocator allocator) {
        List<FieldVector> moved = new ArrayList<>(rowType.getFieldCount());
        for (FieldVector vector : vectors.getFieldVectors()) {
            TransferPair pair = vector.getTransferPair(vector.getField(), allocator);
            pair.transfer();
            moved.add((FieldVector) pair.getTo());
        }
        VectorSchemaRoot root = new VectorSchemaRoot(moved);
        root.setRowCount(rowCount);
        close();
        return new ArrowRowBatch(rowType, root, rowKinds);
    }

    @Override
    public void close() {
        vectors.close();
    }
}
