package io.thermocline.unionread.verify;

import java.time.LocalDate;
import java.time.LocalTime;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** Rows as text that names them to a reader. */
final class ValueText {

    /** Longest text of a row. */
    static final int MAX_LENGTH = 200;

    private final RowType type;
    private final RowData.FieldGetter[] getters;

    ValueText(RowType type) {
        this.type = type;
        this.getters = new RowData.FieldGetter[type.getFieldCount()];
        for (int i = 0; i < getters.length; i++) {
            getters[i] = RowData.createFieldGetter(type.getTypeAt(i), i);
        }
    }

    /** {@code a=1, b=x}, cut where it becomes too long. */
    String of(RowData row, String separator) {
        StringJoiner text = new StringJoiner(separator);
        List<String> names = type.getFieldNames();
        for (int i = 0; i < getters.length && text.length() <= MAX_LENGTH; i++) {
            text.add(names.get(i) + "=" + value(getters[i].getFieldOrNull(row), type.getTypeAt(i)));
        }
        return text.length() <= MAX_LENGTH
                ? text.toString()
                : text.toString().substring(0, MAX_LENGTH) + "…";
    }

    private static String value(Object value, LogicalType type) {
        if (value == null) {
            return "NULL";
        }
        return switch (type.getTypeRoot()) {
            case DATE -> LocalDate.ofEpochDay((int) value).toString();
            case TIME_WITHOUT_TIME_ZONE ->
                    LocalTime.ofNanoOfDay((int) value * 1_000_000L).toString();
            case BINARY, VARBINARY -> "x'" + HexFormat.of().formatHex((byte[]) value) + "'";
            case ARRAY, MAP, MULTISET, ROW -> "…";
            default -> value.toString();
        };
    }
}
