package io.thermocline.lake.iceberg;

import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * Turns values of declared types into those that Iceberg's writers take, and values that its
 * readers give into those of declared types. Only types that are held under a wider one need it;
 * Iceberg's writers themselves narrow TINYINT and SMALLINT.
 */
final class ValueConversion {

    /** Of fixed length for years of four digits, so that the order of texts is that of times. */
    private static final DateTimeFormatter TEXT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSSSSS", Locale.ROOT);

    private static final String UTC = "Z";

    /** Which way values go. */
    private enum Way {
        INTO_LAKE,
        OUT_OF_LAKE
    }

    private final Way way;

    private ValueConversion(Way way) {
        this.way = way;
    }

    /** The type that Iceberg's writers are given for a declared one. */
    static LogicalType written(LogicalType declared) {
        return replaced(declared, Way.INTO_LAKE);
    }

    /**
     * Turns rows of a declared type into rows to write; empty if they can be written as they are.
     */
    static Optional<UnaryOperator<Object>> intoLake(LogicalType declared) {
        return new ValueConversion(Way.INTO_LAKE).of(declared);
    }

    /** Turns rows as they are read into rows of a declared type; empty if they are that already. */
    static Optional<UnaryOperator<Object>> outOfLake(LogicalType declared) {
        return new ValueConversion(Way.OUT_OF_LAKE).of(declared);
    }

    private static LogicalType replaced(LogicalType declared, Way way) {
        boolean nullable = declared.isNullable();
        return switch (declared.getTypeRoot()) {
            case TINYINT, SMALLINT -> way == Way.INTO_LAKE ? declared : new IntType(nullable);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    HeldTypes.isText(declared)
                            ? new VarCharType(nullable, VarCharType.MAX_LENGTH)
                            : declared;
            case ARRAY ->
                    new ArrayType(nullable, replaced(((ArrayType) declared).getElementType(), way));
            case MAP ->
                    new MapType(
                            nullable,
                            replaced(((MapType) declared).getKeyType(), way),
                            replaced(((MapType) declared).getValueType(), way));
            case ROW -> {
                List<RowType.RowField> fields = new ArrayList<>();
                for (RowType.RowField field : ((RowType) declared).getFields()) {
                    fields.add(
                            new RowType.RowField(field.getName(), replaced(field.getType(), way)));
                }
                yield new RowType(nullable, fields);
            }
            default -> declared;
        };
    }

    private LogicalType source(LogicalType declared) {
        return way == Way.INTO_LAKE ? declared : replaced(declared, way);
    }

    private Optional<UnaryOperator<Object>> of(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case TINYINT ->
                    way == Way.INTO_LAKE
                            ? Optional.empty()
                            : Optional.of(value -> ((Integer) value).byteValue());
            case SMALLINT ->
                    way == Way.INTO_LAKE
                            ? Optional.empty()
                            : Optional.of(value -> ((Integer) value).shortValue());
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestamp(type);
            case ARRAY -> array((ArrayType) type);
            case MAP -> map((MapType) type);
            case ROW -> row((RowType) type);
            default -> Optional.empty();
        };
    }

    private Optional<UnaryOperator<Object>> timestamp(LogicalType type) {
        if (!HeldTypes.isText(type)) {
            return Optional.empty();
        }
        String zone =
                type.getTypeRoot() == LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE ? UTC : "";
        if (way == Way.INTO_LAKE) {
            return Optional.of(
                    value ->
                            StringData.fromString(
                                    TEXT.format(((TimestampData) value).toLocalDateTime()) + zone));
        }
        return Optional.of(
                value -> {
                    String text = value.toString();
                    String local = text.substring(0, text.length() - zone.length());
                    return TimestampData.fromLocalDateTime(LocalDateTime.parse(local, TEXT));
                });
    }

    private Optional<UnaryOperator<Object>> array(ArrayType type) {
        LogicalType elementType = type.getElementType();
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(source(elementType));
        return of(elementType)
                .map(
                        element ->
                                value ->
                                        new GenericArrayData(
                                                elements((ArrayData) value, getter, element)));
    }

    private static Object[] elements(
            ArrayData array, ArrayData.ElementGetter getter, UnaryOperator<Object> conversion) {
        Object[] elements = new Object[array.size()];
        for (int i = 0; i < elements.length; i++) {
            Object element = getter.getElementOrNull(array, i);
            elements[i] = element == null ? null : conversion.apply(element);
        }
        return elements;
    }

    private Optional<UnaryOperator<Object>> map(MapType type) {
        Optional<UnaryOperator<Object>> key = of(type.getKeyType());
        Optional<UnaryOperator<Object>> value = of(type.getValueType());
        if (key.isEmpty() && value.isEmpty()) {
            return Optional.empty();
        }
        ArrayData.ElementGetter keys = ArrayData.createElementGetter(source(type.getKeyType()));
        ArrayData.ElementGetter values = ArrayData.createElementGetter(source(type.getValueType()));
        UnaryOperator<Object> ofKey = key.orElse(UnaryOperator.identity());
        UnaryOperator<Object> ofValue = value.orElse(UnaryOperator.identity());
        return Optional.of(
                map -> {
                    Object[] keyArray = elements(((MapData) map).keyArray(), keys, ofKey);
                    Object[] valueArray = elements(((MapData) map).valueArray(), values, ofValue);
                    Map<Object, Object> converted = new HashMap<>();
                    for (int i = 0; i < keyArray.length; i++) {
                        converted.put(keyArray[i], valueArray[i]);
                    }
                    return new GenericMapData(converted);
                });
    }

    private Optional<UnaryOperator<Object>> row(RowType type) {
        int count = type.getFieldCount();
        RowData.FieldGetter[] getters = new RowData.FieldGetter[count];
        List<UnaryOperator<Object>> conversions = new ArrayList<>();
        boolean needed = false;
        for (int i = 0; i < count; i++) {
            getters[i] = RowData.createFieldGetter(source(type.getTypeAt(i)), i);
            Optional<UnaryOperator<Object>> conversion = of(type.getTypeAt(i));
            needed |= conversion.isPresent();
            conversions.add(conversion.orElse(UnaryOperator.identity()));
        }
        if (!needed) {
            return Optional.empty();
        }
        return Optional.of(
                value -> {
                    RowData row = (RowData) value;
                    GenericRowData converted = new GenericRowData(row.getRowKind(), count);
                    for (int i = 0; i < count; i++) {
                        Object field = getters[i].getFieldOrNull(row);
                        converted.setField(
                                i, field == null ? null : conversions.get(i).apply(field));
                    }
                    return converted;
                });
    }
}
