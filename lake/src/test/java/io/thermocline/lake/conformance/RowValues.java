package io.thermocline.lake.conformance;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.variant.BinaryVariant;

/** Rows as plain values, so that rows of any implementation can be compared. */
public final class RowValues {

    private RowValues() {}

    /** Field values as strings, in order; null for NULL. Independent of the row object. */
    public static List<String> of(RowData row, RowType type) {
        List<String> values = new ArrayList<>();
        for (int field = 0; field < type.getFieldCount(); field++) {
            Object value =
                    RowData.createFieldGetter(type.getTypeAt(field), field).getFieldOrNull(row);
            values.add(value(value, type.getTypeAt(field)));
        }
        return values;
    }

    /** A value of Flink's internal form as a string; null for NULL. */
    public static String value(Object value, LogicalType type) {
        if (value == null) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BINARY, VARBINARY -> HexFormat.of().formatHex((byte[]) value);
            case VARIANT -> variant((BinaryVariant) value);
            case ARRAY ->
                    elements((ArrayData) value, ((ArrayType) type).getElementType()).toString();
            case MAP -> map((MapData) value, (MapType) type).toString();
            case ROW -> of((RowData) value, (RowType) type).toString();
            default -> value.toString();
        };
    }

    private static String variant(BinaryVariant variant) {
        return HexFormat.of().formatHex(variant.getMetadata())
                + "/"
                + HexFormat.of().formatHex(variant.getValue());
    }

    private static List<String> elements(ArrayData array, LogicalType type) {
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            elements.add(value(getter.getElementOrNull(array, i), type));
        }
        return elements;
    }

    private static Map<String, String> map(MapData map, MapType type) {
        List<String> keys = elements(map.keyArray(), type.getKeyType());
        List<String> values = elements(map.valueArray(), type.getValueType());
        Map<String, String> entries = new TreeMap<>();
        for (int i = 0; i < keys.size(); i++) {
            entries.put(keys.get(i), values.get(i));
        }
        return entries;
    }
}
