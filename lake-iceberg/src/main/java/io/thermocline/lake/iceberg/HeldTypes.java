package io.thermocline.lake.iceberg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * How Flink's types are held in Iceberg. Most have a counterpart. The others are held under a wider
 * type, and the declared one is kept by field id, wherever the field is nested: TINYINT and
 * SMALLINT as int, CHAR(n) and VARCHAR(n) as string, BINARY(n) and VARBINARY(n) as binary, times
 * and timestamps with microseconds, and timestamps of more than six digits, which Iceberg cannot
 * hold in the whole range of Flink's, as text.
 */
final class HeldTypes {

    /** Digits after the second that an Iceberg timestamp has. */
    private static final int MAX_PRECISION = 6;

    private int lastId;

    private HeldTypes(int lastId) {
        this.lastId = lastId;
    }

    /** Whether a timestamp is held as text. */
    static boolean isText(LogicalType type) {
        LogicalTypeRoot root = type.getTypeRoot();
        return (root == LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE
                        || root == LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE)
                && LogicalTypeChecks.getPrecision(type) > MAX_PRECISION;
    }

    /**
     * The Iceberg schema of a table's physical columns; the primary key are its identifier fields.
     */
    static Schema toSchema(List<Column> columns, List<String> primaryKey) {
        HeldTypes types = new HeldTypes(columns.size());
        List<Types.NestedField> fields = new ArrayList<>();
        Set<Integer> identifiers = new LinkedHashSet<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            int id = i + 1;
            LogicalType type = column.getDataType().getLogicalType();
            fields.add(types.field(id, column.getName(), type, column.getComment().orElse(null)));
            if (primaryKey.contains(column.getName())) {
                identifiers.add(id);
            }
        }
        return new Schema(fields, identifiers);
    }

    private Types.NestedField field(int id, String name, LogicalType type, String comment) {
        return type.isNullable()
                ? Types.NestedField.optional(id, name, held(type), comment)
                : Types.NestedField.required(id, name, held(type), comment);
    }

    private Type held(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> Types.BooleanType.get();
            case TINYINT, SMALLINT, INTEGER -> Types.IntegerType.get();
            case BIGINT -> Types.LongType.get();
            case FLOAT -> Types.FloatType.get();
            case DOUBLE -> Types.DoubleType.get();
            case DECIMAL -> {
                DecimalType decimal = (DecimalType) type;
                yield Types.DecimalType.of(decimal.getPrecision(), decimal.getScale());
            }
            case CHAR, VARCHAR -> Types.StringType.get();
            case BINARY, VARBINARY -> Types.BinaryType.get();
            case DATE -> Types.DateType.get();
            case TIME_WITHOUT_TIME_ZONE -> Types.TimeType.get();
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    isText(type) ? Types.StringType.get() : Types.TimestampType.withoutZone();
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    isText(type) ? Types.StringType.get() : Types.TimestampType.withZone();
            case VARIANT -> Types.VariantType.get();
            case ARRAY -> array((ArrayType) type);
            case MAP -> map((MapType) type);
            case ROW -> struct((RowType) type);
            default -> throw new IllegalArgumentException("type " + type + " was not checked");
        };
    }

    private Type array(ArrayType type) {
        int id = ++lastId;
        LogicalType element = type.getElementType();
        return element.isNullable()
                ? Types.ListType.ofOptional(id, held(element))
                : Types.ListType.ofRequired(id, held(element));
    }

    private Type map(MapType type) {
        int keyId = ++lastId;
        int valueId = ++lastId;
        Type key = held(type.getKeyType());
        Type value = held(type.getValueType());
        return type.getValueType().isNullable()
                ? Types.MapType.ofOptional(keyId, valueId, key, value)
                : Types.MapType.ofRequired(keyId, valueId, key, value);
    }

    private Type struct(RowType type) {
        List<Types.NestedField> fields = new ArrayList<>();
        for (RowType.RowField field : type.getFields()) {
            int id = ++lastId;
            fields.add(
                    field(
                            id,
                            field.getName(),
                            field.getType(),
                            field.getDescription().orElse(null)));
        }
        return Types.StructType.of(fields);
    }

    /** The declared types by field id, of those fields that Iceberg would give another type. */
    static Map<Integer, String> declaredTypes(Schema schema, RowType declared) {
        Map<Integer, String> types = new TreeMap<>();
        for (int i = 0; i < declared.getFieldCount(); i++) {
            Types.NestedField field = schema.columns().get(i);
            collect(field.type(), declared.getTypeAt(i), field.fieldId(), false, types);
        }
        return types;
    }

    private static void collect(
            Type type, LogicalType declared, int id, boolean isKey, Map<Integer, String> types) {
        switch (type.typeId()) {
            case STRUCT -> {
                List<Types.NestedField> fields = type.asStructType().fields();
                for (int i = 0; i < fields.size(); i++) {
                    LogicalType child = ((RowType) declared).getTypeAt(i);
                    collect(fields.get(i).type(), child, fields.get(i).fieldId(), false, types);
                }
            }
            case LIST -> {
                Types.ListType list = type.asListType();
                LogicalType element = ((ArrayType) declared).getElementType();
                collect(list.elementType(), element, list.elementId(), false, types);
            }
            case MAP -> {
                Types.MapType map = type.asMapType();
                MapType declaredMap = (MapType) declared;
                collect(map.keyType(), declaredMap.getKeyType(), map.keyId(), true, types);
                collect(map.valueType(), declaredMap.getValueType(), map.valueId(), false, types);
            }
            default -> {
                LogicalType plain = FlinkSchemaUtil.convert(type);
                // Keys of a map are never null in Iceberg, whatever was declared.
                if (!plain.copy(true).equals(declared.copy(true))
                        || (isKey && declared.isNullable())) {
                    types.put(id, declared.asSerializableString());
                }
            }
        }
    }

    /** The row type as it was declared. */
    static RowType toRowType(Schema schema, Map<Integer, String> declaredTypes) {
        Map<Integer, LogicalType> types = new HashMap<>();
        declaredTypes.forEach(
                (id, type) ->
                        types.put(
                                id,
                                LogicalTypeParser.parse(type, HeldTypes.class.getClassLoader())));
        List<RowType.RowField> fields = new ArrayList<>();
        for (Types.NestedField field : schema.columns()) {
            LogicalType type = declared(field.type(), field.isOptional(), field.fieldId(), types);
            fields.add(new RowType.RowField(field.name(), type));
        }
        return new RowType(false, fields);
    }

    private static LogicalType declared(
            Type type, boolean optional, int id, Map<Integer, LogicalType> types) {
        LogicalType declared =
                switch (type.typeId()) {
                    case STRUCT -> declaredStruct(type.asStructType(), types);
                    case LIST -> {
                        Types.ListType list = type.asListType();
                        yield new ArrayType(
                                declared(
                                        list.elementType(),
                                        list.isElementOptional(),
                                        list.elementId(),
                                        types));
                    }
                    case MAP -> declaredMap(type.asMapType(), types);
                    default -> types.getOrDefault(id, FlinkSchemaUtil.convert(type));
                };
        return declared.copy(optional);
    }

    private static LogicalType declaredStruct(
            Types.StructType struct, Map<Integer, LogicalType> types) {
        List<RowType.RowField> fields = new ArrayList<>();
        for (Types.NestedField field : struct.fields()) {
            LogicalType type = declared(field.type(), field.isOptional(), field.fieldId(), types);
            fields.add(
                    field.doc() == null
                            ? new RowType.RowField(field.name(), type)
                            : new RowType.RowField(field.name(), type, field.doc()));
        }
        return new RowType(fields);
    }

    private static LogicalType declaredMap(Types.MapType map, Map<Integer, LogicalType> types) {
        LogicalType key = types.get(map.keyId());
        return new MapType(
                key != null ? key : declared(map.keyType(), false, map.keyId(), types),
                declared(map.valueType(), map.isValueOptional(), map.valueId(), types));
    }
}
