package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.jspecify.annotations.Nullable;

/**
 * How Flink's types are held in Arrow (see {@code docs/format.md}, "Types").
 *
 * <p>Top-level columns are nullable in Arrow whatever the table says: deletes by key carry NULL in
 * every other column.
 */
public final class ArrowTypes {

    /** Child of a TIMESTAMP(7..9) struct: milliseconds since the epoch. */
    static final String MILLIS_FIELD = "millisecond";

    /** Child of a TIMESTAMP(7..9) struct: nanoseconds within the millisecond. */
    static final String NANOS_FIELD = "nano_of_millisecond";

    /** Child of a VARIANT struct: version and field names. */
    static final String METADATA_FIELD = "metadata";

    /** Child of a VARIANT struct: types and values. */
    static final String VALUE_FIELD = "value";

    /** Highest precision of a timestamp that is held as a 64-bit count of milliseconds. */
    static final int MAX_MILLIS_PRECISION = 3;

    /** Highest precision of a timestamp that is held as a 64-bit count of microseconds. */
    static final int MAX_MICROS_PRECISION = 6;

    private static final String UTC = "UTC";

    private static final List<Field> VARIANT_CHILDREN =
            List.of(
                    Field.notNullable(METADATA_FIELD, ArrowType.Binary.INSTANCE),
                    Field.notNullable(VALUE_FIELD, ArrowType.Binary.INSTANCE));

    private ArrowTypes() {}

    /**
     * The Arrow schema of rows.
     *
     * @throws HotStoreException {@code UNSUPPORTED_TYPE} naming column and type
     */
    public static Schema schemaOf(RowType rowType) {
        List<Field> fields = new ArrayList<>(rowType.getFieldCount());
        for (RowType.RowField field : rowType.getFields()) {
            fields.add(fieldOf(field.getName(), field.getType().copy(true), field.getName()));
        }
        return new Schema(fields);
    }

    /**
     * Checks that the hot store can hold every column.
     *
     * @throws HotStoreException {@code UNSUPPORTED_TYPE} naming column and type
     */
    public static void validate(RowType rowType) {
        schemaOf(rowType);
    }

    /**
     * Whether values of both types are held in the same way, so that the vectors of one can be read
     * as the other: for example VARCHAR(10) and STRING, or TIMESTAMP(4) and TIMESTAMP(6).
     * Nullability, names and descriptions of nested fields do not matter.
     */
    public static boolean haveSameLayout(LogicalType left, LogicalType right) {
        return left.equals(right) || haveSameLayout(fieldOf("", left, ""), fieldOf("", right, ""));
    }

    static boolean haveSameLayout(Field left, Field right) {
        List<Field> leftChildren = left.getChildren();
        List<Field> rightChildren = right.getChildren();
        if (!left.getType().equals(right.getType())
                || leftChildren.size() != rightChildren.size()) {
            return false;
        }
        for (int child = 0; child < leftChildren.size(); child++) {
            if (!haveSameLayout(leftChildren.get(child), rightChildren.get(child))) {
                return false;
            }
        }
        return true;
    }

    private static Field fieldOf(String name, LogicalType type, String path) {
        return new Field(
                name,
                new FieldType(type.isNullable(), arrowType(type, path), null),
                childrenOf(type, path));
    }

    private static ArrowType arrowType(LogicalType type, String path) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> ArrowType.Bool.INSTANCE;
            case TINYINT -> new ArrowType.Int(Byte.SIZE, true);
            case SMALLINT -> new ArrowType.Int(Short.SIZE, true);
            case INTEGER -> new ArrowType.Int(Integer.SIZE, true);
            case BIGINT -> new ArrowType.Int(Long.SIZE, true);
            case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case DECIMAL -> {
                DecimalType decimal = (DecimalType) type;
                yield new ArrowType.Decimal(decimal.getPrecision(), decimal.getScale(), 128);
            }
            case CHAR, VARCHAR -> ArrowType.Utf8.INSTANCE;
            case BINARY, VARBINARY -> ArrowType.Binary.INSTANCE;
            case DATE -> new ArrowType.Date(DateUnit.DAY);
            case TIME_WITHOUT_TIME_ZONE -> new ArrowType.Time(TimeUnit.MILLISECOND, Integer.SIZE);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestampType(type, null);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestampType(type, UTC);
            case ARRAY -> ArrowType.List.INSTANCE;
            case MAP -> new ArrowType.Map(false);
            case ROW, VARIANT -> ArrowType.Struct.INSTANCE;
            default -> throw unsupported(type, path);
        };
    }

    private static ArrowType timestampType(LogicalType type, @Nullable String zone) {
        int precision = LogicalTypeChecks.getPrecision(type);
        if (precision <= MAX_MILLIS_PRECISION) {
            return new ArrowType.Timestamp(TimeUnit.MILLISECOND, zone);
        }
        return precision <= MAX_MICROS_PRECISION
                ? new ArrowType.Timestamp(TimeUnit.MICROSECOND, zone)
                : ArrowType.Struct.INSTANCE;
    }

    private static List<Field> childrenOf(LogicalType type, String path) {
        return switch (type.getTypeRoot()) {
            case ARRAY ->
                    List.of(
                            fieldOf(
                                    "element",
                                    ((ArrayType) type).getElementType(),
                                    path + ".element"));
            case MAP -> List.of(entriesOf((MapType) type, path));
            case ROW -> {
                List<Field> children = new ArrayList<>();
                for (RowType.RowField field : ((RowType) type).getFields()) {
                    children.add(
                            fieldOf(
                                    field.getName(),
                                    field.getType(),
                                    path + "." + field.getName()));
                }
                yield children;
            }
            case VARIANT -> VARIANT_CHILDREN;
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestampChildren(type, null);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestampChildren(type, UTC);
            default -> List.of();
        };
    }

    private static Field entriesOf(MapType type, String path) {
        checkKey(type, type.getKeyType(), path);
        // Arrow allows no NULL key, whatever the key's declared type.
        Field key = fieldOf(MapVector.KEY_NAME, type.getKeyType().copy(false), path + ".key");
        Field value = fieldOf(MapVector.VALUE_NAME, type.getValueType(), path + ".value");
        return new Field(
                MapVector.DATA_VECTOR_NAME,
                new FieldType(false, ArrowType.Struct.INSTANCE, null),
                List.of(key, value));
    }

    /** Keys of a map are compared, but equal VARIANT values may differ in their bytes. */
    private static void checkKey(MapType map, LogicalType keyPart, String path) {
        if (keyPart.is(LogicalTypeRoot.VARIANT)) {
            throw new HotStoreException(
                    ErrorCode.UNSUPPORTED_TYPE,
                    "column '"
                            + path
                            + "' has type "
                            + map.asSummaryString()
                            + ", with VARIANT in the key: values of VARIANT cannot be compared. Use"
                            + " STRING with JSON text in the key.");
        }
        keyPart.getChildren().forEach(child -> checkKey(map, child, path));
    }

    private static List<Field> timestampChildren(LogicalType type, @Nullable String zone) {
        if (LogicalTypeChecks.getPrecision(type) <= MAX_MICROS_PRECISION) {
            return List.of();
        }
        ArrowType millis = new ArrowType.Timestamp(TimeUnit.MILLISECOND, zone);
        ArrowType nanos = new ArrowType.Int(Integer.SIZE, true);
        return List.of(
                new Field(MILLIS_FIELD, new FieldType(false, millis, null), List.of()),
                new Field(NANOS_FIELD, new FieldType(false, nanos, null), List.of()));
    }

    static HotStoreException unsupported(LogicalType type, String path) {
        return new HotStoreException(
                ErrorCode.UNSUPPORTED_TYPE,
                "column '"
                        + path
                        + "' has type "
                        + type.asSummaryString()
                        + ", which the hot store cannot hold. Cast it to a supported type, or leave"
                        + " the column out.");
    }
}
