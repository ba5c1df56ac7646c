package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.local.keyindex.StoredRow;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.RowData.FieldGetter;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.data.writer.BinaryWriter;
import org.apache.flink.table.runtime.typeutils.InternalSerializers;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/**
 * Turns rows into values of the key index. Writes the same bytes as Flink's own row serializer, but
 * numbers and texts without an object in between. Not thread-safe.
 */
final class StoredRowEncoder {

    private final int schemaVersion;
    private final FieldWriter[] writers;
    private final BinaryRowData row;
    private final BinaryRowWriter writer;

    StoredRowEncoder(RowType rowType, int schemaVersion) {
        this.schemaVersion = schemaVersion;
        this.writers = new FieldWriter[rowType.getFieldCount()];
        for (int column = 0; column < writers.length; column++) {
            writers[column] = fieldWriter(rowType.getTypeAt(column), column);
        }
        this.row = new BinaryRowData(writers.length);
        this.writer = new BinaryRowWriter(row);
    }

    /** Writes one field that is not null. */
    private interface FieldWriter {
        void write(BinaryRowWriter writer, RowData source);
    }

    // What Flink's own serializer calls is deprecated for others, without another way.
    @SuppressWarnings("deprecation")
    private static FieldWriter fieldWriter(LogicalType type, int column) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN ->
                    (writer, source) -> writer.writeBoolean(column, source.getBoolean(column));
            case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE ->
                    (writer, source) -> writer.writeInt(column, source.getInt(column));
            case BIGINT -> (writer, source) -> writer.writeLong(column, source.getLong(column));
            case FLOAT -> (writer, source) -> writer.writeFloat(column, source.getFloat(column));
            case DOUBLE -> (writer, source) -> writer.writeDouble(column, source.getDouble(column));
            case CHAR, VARCHAR ->
                    (writer, source) -> writer.writeString(column, source.getString(column));
            default -> {
                FieldGetter getter = RowData.createFieldGetter(type, column);
                TypeSerializer<?> serializer = InternalSerializers.create(type);
                yield (writer, source) ->
                        BinaryWriter.write(
                                writer, column, getter.getFieldOrNull(source), type, serializer);
            }
        };
    }

    /** The value of a row, whatever its row kind, with the offset 0. */
    byte[] encode(RowData source) {
        writer.reset();
        // The row kind is part of the bytes, but not of the row.
        writer.writeRowKind(RowKind.INSERT);
        for (int column = 0; column < writers.length; column++) {
            if (source.isNullAt(column)) {
                writer.setNullAt(column);
            } else {
                writers[column].write(writer, source);
            }
        }
        writer.complete();
        return StoredRow.encode(schemaVersion, 0, row);
    }
}
