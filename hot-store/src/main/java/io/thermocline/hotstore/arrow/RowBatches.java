package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/** Makes {@link RowBatch}es from what is there already. */
public final class RowBatches {

    private static final int ROW_KINDS = RowKind.values().length;

    private RowBatches() {}

    /**
     * Wraps vectors, for example those that came over the network. The batch takes ownership of
     * them, also when this method fails.
     *
     * @param rowType columns; {@link ArrowTypes#schemaOf} of it must have the types of the vectors
     * @param vectors one vector per column
     * @param rowKinds row kind numbers (0 +I, 1 -U, 2 +U, 3 -D), one per row; null: all +I. Not
     *     copied
     * @throws HotStoreException {@code INVALID_ARGUMENT} if they do not fit together
     */
    public static RowBatch wrap(
            RowType rowType, VectorSchemaRoot vectors, byte @Nullable [] rowKinds) {
        try {
            checkSchema(rowType, vectors);
            checkRowKinds(vectors.getRowCount(), rowKinds);
            return new ArrowRowBatch(rowType, vectors, rowKinds);
        } catch (RuntimeException failure) {
            vectors.close();
            throw failure;
        }
    }

    /** Copies rows with their row kinds. */
    public static RowBatch of(
            RowType rowType, List<? extends RowData> rows, BufferAllocator allocator) {
        try (RowBatchBuilder builder = new RowBatchBuilder(rowType, allocator)) {
            for (RowData row : rows) {
                builder.append(row);
            }
            return builder.finish();
        }
    }

    private static void checkSchema(RowType rowType, VectorSchemaRoot vectors) {
        var expected = ArrowTypes.schemaOf(rowType).getFields();
        var actual = vectors.getSchema().getFields();
        if (expected.size() != actual.size()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a batch of " + actual.size() + " vectors cannot hold " + rowType);
        }
        for (int column = 0; column < expected.size(); column++) {
            if (!ArrowTypes.haveSameLayout(expected.get(column), actual.get(column))) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "column '"
                                + rowType.getFieldNames().get(column)
                                + "' needs the Arrow type "
                                + expected.get(column)
                                + ", but the batch has "
                                + actual.get(column));
            }
        }
    }

    private static void checkRowKinds(int rowCount, byte @Nullable [] rowKinds) {
        if (rowKinds == null) {
            return;
        }
        if (rowKinds.length != rowCount) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    rowKinds.length + " row kinds for a batch of " + rowCount + " rows");
        }
        for (int row = 0; row < rowCount; row++) {
            if (rowKinds[row] < 0 || rowKinds[row] >= ROW_KINDS) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "row " + row + " has the unknown row kind number " + rowKinds[row]);
            }
        }
    }
}
