package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.arrow.ArrowTypes;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.TransferPair;
import org.apache.flink.table.types.logical.RowType;

/**
 * Row batches on the wire: the row kinds as a first column, then the columns. No bytes are copied.
 */
final class WireBatch {

    private static final Field ROW_KIND =
            new Field(
                    FlightProtocol.ROW_KIND,
                    FieldType.notNullable(new ArrowType.Int(Byte.SIZE, true)),
                    null);

    private WireBatch() {}

    static Schema schema(RowType rowType) {
        List<Field> fields = new ArrayList<>();
        fields.add(ROW_KIND);
        fields.addAll(ArrowTypes.schemaOf(rowType).getFields());
        return new Schema(fields);
    }

    static VectorSchemaRoot root(RowType rowType, BufferAllocator allocator) {
        return VectorSchemaRoot.create(schema(rowType), allocator);
    }

    /** The columns of a projection, in its order. */
    static RowType project(RowType rowType, List<String> projection) {
        List<RowType.RowField> fields = new ArrayList<>();
        for (String name : projection) {
            int index = rowType.getFieldIndex(name);
            if (index < 0) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "column '"
                                + name
                                + "' does not exist; the table's columns are "
                                + rowType.getFieldNames());
            }
            fields.add(rowType.getFields().get(index));
        }
        return new RowType(false, fields);
    }

    /** Puts the batch into a stream's root, sharing its buffers. */
    static void load(RowBatch batch, VectorSchemaRoot root, BufferAllocator allocator) {
        int rows = batch.rowCount();
        try (TinyIntVector kinds = (TinyIntVector) ROW_KIND.createVector(allocator)) {
            kinds.allocateNew(rows);
            for (int row = 0; row < rows; row++) {
                kinds.set(row, batch.rowKind(row).toByteValue());
            }
            kinds.setValueCount(rows);
            List<FieldVector> vectors = new ArrayList<>();
            vectors.add(kinds);
            vectors.addAll(batch.vectors().getFieldVectors());
            // only a view: closing it would close the batch
            VectorSchemaRoot view = new VectorSchemaRoot(vectors);
            view.setRowCount(rows);
            try (ArrowRecordBatch shared = new VectorUnloader(view).getRecordBatch()) {
                new VectorLoader(root).load(shared);
            }
        }
    }

    /** Takes the batch out of a stream's root: the vectors then belong to the batch. */
    static RowBatch take(VectorSchemaRoot root, RowType rowType, BufferAllocator allocator) {
        if (root.getFieldVectors().isEmpty()
                || !(root.getVector(0) instanceof TinyIntVector kinds)
                || !root.getVector(0).getName().equals(FlightProtocol.ROW_KIND)) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the first column must be "
                            + FlightProtocol.ROW_KIND
                            + " INT8, but the columns are "
                            + root.getSchema());
        }
        int rows = root.getRowCount();
        byte[] rowKinds = new byte[rows];
        for (int row = 0; row < rows; row++) {
            rowKinds[row] = kinds.get(row);
        }
        return RowBatches.wrap(rowType, move(root, 1, allocator), rowKinds);
    }

    /** Takes the columns from {@code first} on out of a stream's root. */
    static VectorSchemaRoot move(VectorSchemaRoot root, int first, BufferAllocator allocator) {
        List<Field> fields = new ArrayList<>();
        List<FieldVector> moved = new ArrayList<>();
        for (FieldVector vector :
                root.getFieldVectors().subList(first, root.getFieldVectors().size())) {
            TransferPair pair = vector.getTransferPair(vector.getField(), allocator);
            pair.transfer();
            fields.add(vector.getField());
            moved.add((FieldVector) pair.getTo());
        }
        return new VectorSchemaRoot(fields, moved, root.getRowCount());
    }
}
