package io.thermocline.e2e.sql;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.apache.flink.types.Row;

/** One spelling for every value, so that rows can be compared as text. */
final class RowText {

    private RowText() {}

    /** Fields separated by {@code |}, without the row kind. */
    static String of(Row row) {
        StringJoiner text = new StringJoiner("|");
        for (int i = 0; i < row.getArity(); i++) {
            text.add(ofValue(row.getField(i)));
        }
        return text.toString();
    }

    static List<String> of(List<Row> rows) {
        return rows.stream().map(RowText::of).toList();
    }

    /** A value in the form that Flink's API gives it. */
    static String ofValue(Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof byte[] bytes) {
            return "x'" + HexFormat.of().formatHex(bytes) + "'";
        }
        if (value instanceof Object[] array) {
            List<String> elements = new ArrayList<>();
            for (Object element : array) {
                elements.add(ofValue(element));
            }
            return elements.toString();
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, String> entries = new TreeMap<>();
            map.forEach((k, v) -> entries.put(ofValue(k), ofValue(v)));
            return entries.toString();
        }
        if (value instanceof Row row) {
            return "(" + of(row) + ")";
        }
        return value.toString();
    }
}
