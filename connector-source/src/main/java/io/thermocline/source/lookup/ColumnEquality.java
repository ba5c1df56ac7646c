package io.thermocline.source.lookup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** Equality of columns as SQL sees it: NULL equals nothing, 0.0 equals -0.0. Thread-safe. */
final class ColumnEquality {

    private final List<Column> columns = new ArrayList<>();

    private record Column(
            LogicalType type,
            RowData.FieldGetter keyGetter,
            RowData.FieldGetter rowGetter,
            RowData.FieldGetter valueGetter) {}

    /**
     * @param keyColumns columns of the key rows
     * @param rowType columns of the rows found
     * @param names columns to compare
     */
    ColumnEquality(List<String> keyColumns, RowType rowType, List<String> names) {
        for (String name : names) {
            int position = rowType.getFieldIndex(name);
            LogicalType type = rowType.getTypeAt(position);
            columns.add(
                    new Column(
                            type,
                            RowData.createFieldGetter(type, keyColumns.indexOf(name)),
                            RowData.createFieldGetter(type, position),
                            RowData.createFieldGetter(type, 0)));
        }
    }

    /** The values of a key row to compare with: copies, one row each, safe to keep. */
    List<BinaryRowData> valuesOf(RowData key) {
        List<BinaryRowData> values = new ArrayList<>(columns.size());
        for (Column column : columns) {
            values.add(toBinary(column.type, column.keyGetter.getFieldOrNull(key)));
        }
        return values;
    }

    /** Whether a row has these values. */
    boolean matches(RowData row, List<BinaryRowData> values) {
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Object actual = column.rowGetter.getFieldOrNull(row);
            Object wanted = column.valueGetter.getFieldOrNull(values.get(i));
            if (actual == null || wanted == null || !equal(column.type, actual, wanted)) {
                return false;
            }
        }
        return true;
    }

    private static boolean equal(LogicalType type, Object actual, Object wanted) {
        return switch (type.getTypeRoot()) {
            case FLOAT -> (float) actual == (float) wanted;
            case DOUBLE -> (double) actual == (double) wanted;
            case BINARY, VARBINARY -> Arrays.equals((byte[]) actual, (byte[]) wanted);
            case ARRAY, MAP, MULTISET, ROW -> toBinary(type, actual).equals(toBinary(type, wanted));
            default -> actual.equals(wanted);
        };
    }

    private static BinaryRowData toBinary(LogicalType type, Object value) {
        return new RowDataSerializer(type).toBinaryRow(GenericRowData.of(value)).copy();
    }
}
