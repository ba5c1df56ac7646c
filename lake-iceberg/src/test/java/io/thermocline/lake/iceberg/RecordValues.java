package io.thermocline.lake.iceberg;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.util.ByteBuffers;

/** Rows of Iceberg's generic readers in the words of the conformance suite's row values. */
final class RecordValues {

    private RecordValues() {}

    static List<String> of(StructLike record, RowType declared) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < declared.getFieldCount(); i++) {
            values.add(value(record.get(i, Object.class), declared.getTypeAt(i)));
        }
        return values;
    }

    private static String value(Object value, LogicalType type) {
        if (value == null) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BINARY, VARBINARY ->
                    HexFormat.of().formatHex(ByteBuffers.toByteArray((ByteBuffer) value));
            case DECIMAL -> ((BigDecimal) value).toPlainString();
            case DATE -> String.valueOf(((LocalDate) value).toEpochDay());
            case TIME_WITHOUT_TIME_ZONE ->
                    String.valueOf(((LocalTime) value).toNanoOfDay() / 1_000_000);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    timestamp(value).toString();
            case ARRAY -> elements((List<?>) value, ((ArrayType) type).getElementType()).toString();
            case MAP -> map((Map<?, ?>) value, (MapType) type).toString();
            case ROW -> of((StructLike) value, (RowType) type).toString();
            default -> value.toString();
        };
    }

    private static LocalDateTime timestamp(Object value) {
        if (value instanceof OffsetDateTime instant) {
            return instant.toLocalDateTime();
        }
        if (value instanceof LocalDateTime local) {
            return local;
        }
        return LocalDateTime.parse(value.toString().replace(' ', 'T').replace("Z", ""));
    }

    private static List<String> elements(List<?> elements, LogicalType type) {
        List<String> values = new ArrayList<>();
        elements.forEach(element -> values.add(value(element, type)));
        return values;
    }

    private static Map<String, String> map(Map<?, ?> map, MapType type) {
        Map<String, String> values = new TreeMap<>();
        map.forEach(
                (key, value) ->
                        values.put(
                                value(key, type.getKeyType()), value(value, type.getValueType())));
        return values;
    }
}
