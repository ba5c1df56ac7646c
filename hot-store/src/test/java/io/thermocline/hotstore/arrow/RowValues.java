package io.thermocline.hotstore.arrow;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.variant.BinaryVariant;

/** Rows as nested lists with value equality, whatever class holds them. */
public final class RowValues {

    private RowValues() {}

    /** Row kind, then the fields. */
    public static List<Object> of(RowData row, RowType type) {
        List<Object> values = new ArrayList<>();
        values.add(row.getRowKind().shortString());
        values.addAll(fields(row, type));
        return values;
    }

    public static List<List<Object>> of(List<? extends RowData> rows, RowType type) {
        List<List<Object>> values = new ArrayList<>();
        rows.forEach(row -> values.add(of(row, type)));
        return values;
    }

    public static List<List<Object>> of(RowBatch batch) {
        List<List<Object>> values = new ArrayList<>();
        for (int row = 0; row < batch.rowCount(); row++) {
            values.add(of(batch.row(row), batch.rowType()));
        }
        return values;
    }

    private static List<Object> fields(RowData row, RowType type) {
        List<Object> values = new ArrayList<>();
        for (int field = 0; field < type.getFieldCount(); field++) {
            LogicalType fieldType = type.getTypeAt(field);
            values.add(
                    value(
                            fieldType,
                            RowData.createFieldGetter(fieldType, field).getFieldOrNull(row)));
        }
        return values;
    }

    private static Object value(LogicalType type, Object internal) {
        if (internal == null) {
            return null;
        }
        if (internal instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        if (internal instanceof BinaryVariant variant) {
            return List.of(
                    HexFormat.of().formatHex(variant.getMetadata()),
                    HexFormat.of().formatHex(variant.getValue()));
        }
        return switch (type.getTypeRoot()) {
            case ROW -> fields((RowData) internal, (RowType) type);
            case ARRAY -> elements((ArrayData) internal, ((ArrayType) type).getElementType());
            case MAP -> {
                MapData map = (MapData) internal;
                yield List.of(
                        elements(map.keyArray(), ((MapType) type).getKeyType()),
                        elements(map.valueArray(), ((MapType) type).getValueType()));
            }
            default -> internal;
        };
    }

    private static List<Object> elements(ArrayData array, LogicalType type) {
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            values.add(value(type, getter.getElementOrNull(array, i)));
        }
        return values;
    }
}
