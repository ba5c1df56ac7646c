package io.thermocline.hotstore.arrow;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.VariantType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.variant.Variant;
import org.apache.flink.types.variant.VariantBuilder;

/** Random rows of any type, with many extreme values. Equal seeds give equal rows. */
public final class RandomRows {

    private static final int NULL_ONE_IN = 6;
    private static final int EXTREME_ONE_IN = 4;
    private static final long MIN_SQL_MILLIS = -62_135_596_800_000L;
    private static final long MAX_SQL_MILLIS = 253_402_300_799_999L;
    private static final int VARIANT_DEPTH = 2;
    private static final int MILLIS_PER_DAY = 86_400_000;

    private final Random random;

    public RandomRows(long seed) {
        this.random = new Random(seed);
    }

    /** Every type that can be part of a primary key. */
    public static List<LogicalType> keyTypes() {
        List<LogicalType> types =
                new ArrayList<>(
                        List.of(
                                new BooleanType(),
                                new TinyIntType(),
                                new SmallIntType(),
                                new IntType(),
                                new BigIntType(),
                                new FloatType(),
                                new DoubleType(),
                                new DecimalType(9, 3),
                                new DecimalType(18, 0),
                                new DecimalType(38, 10),
                                new CharType(5),
                                new VarCharType(20),
                                VarCharType.STRING_TYPE,
                                new BinaryType(4),
                                new VarBinaryType(VarBinaryType.MAX_LENGTH),
                                new DateType(),
                                new TimeType(0),
                                new TimeType(3)));
        for (int precision = 0; precision <= 9; precision++) {
            types.add(new TimestampType(precision));
            types.add(new LocalZonedTimestampType(precision));
        }
        return types;
    }

    /** A column of every type, nested ones included. */
    public static RowType allTypes() {
        List<LogicalType> types = new ArrayList<>(keyTypes());
        types.add(new ArrayType(new IntType()));
        types.add(new ArrayType(VarCharType.STRING_TYPE));
        types.add(new ArrayType(new TimestampType(9)));
        types.add(new ArrayType(new ArrayType(new DecimalType(30, 2))));
        types.add(new MapType(VarCharType.STRING_TYPE.copy(false), new DoubleType()));
        types.add(new MapType(new IntType(false), new ArrayType(new BooleanType())));
        RowType inner = RowType.of(new BigIntType(), VarCharType.STRING_TYPE);
        types.add(inner);
        types.add(new ArrayType(inner));
        types.add(new MapType(new DateType(false), inner));
        types.add(RowType.of(inner, new TimestampType(9), new ArrayType(new BooleanType())));
        types.add(new VariantType());
        types.add(new VariantType(false));
        types.add(new ArrayType(new VariantType()));
        types.add(new MapType(VarCharType.STRING_TYPE.copy(false), new VariantType()));
        types.add(new ArrayType(RowType.of(new VariantType(), new IntType(), new VariantType())));
        return rowType(types);
    }

    public static RowType rowType(List<LogicalType> types) {
        String[] names = new String[types.size()];
        for (int column = 0; column < names.length; column++) {
            names[column] = "c" + column;
        }
        return RowType.of(types.toArray(new LogicalType[0]), names);
    }

    /** A row with a random row kind. */
    public GenericRowData row(RowType type) {
        GenericRowData row = fields(type);
        row.setRowKind(RowKind.values()[random.nextInt(4)]);
        return row;
    }

    public List<RowData> rows(RowType type, int count) {
        List<RowData> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            rows.add(row(type));
        }
        return rows;
    }

    private GenericRowData fields(RowType type) {
        GenericRowData row = new GenericRowData(type.getFieldCount());
        for (int field = 0; field < type.getFieldCount(); field++) {
            row.setField(field, value(type.getTypeAt(field)));
        }
        return row;
    }

    /** A value in Flink's internal form; null sometimes, where the type allows it. */
    public Object value(LogicalType type) {
        if (type.isNullable() && random.nextInt(NULL_ONE_IN) == 0) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) bounded(Byte.MIN_VALUE, Byte.MAX_VALUE);
            case SMALLINT -> (short) bounded(Short.MIN_VALUE, Short.MAX_VALUE);
            case INTEGER, DATE -> (int) bounded(Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> bounded(Long.MIN_VALUE, Long.MAX_VALUE);
            case FLOAT -> (float) floating();
            case DOUBLE -> floating();
            case DECIMAL -> decimal((DecimalType) type);
            case CHAR, VARCHAR -> StringData.fromString(string(type));
            case BINARY, VARBINARY -> bytes(type);
            case TIME_WITHOUT_TIME_ZONE -> (int) bounded(0, MILLIS_PER_DAY - 1);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    timestamp(LogicalTypeChecks.getPrecision(type));
            case VARIANT -> variant();
            case ARRAY -> array(((ArrayType) type).getElementType(), size());
            case MAP -> map((MapType) type);
            case ROW -> fields((RowType) type);
            default -> throw new IllegalArgumentException(type.asSummaryString());
        };
    }

    private Variant variant() {
        // A field taken alone is a part of the bytes of its object.
        return random.nextInt(6) == 0
                ? object(VARIANT_DEPTH).getField("a")
                : variant(VARIANT_DEPTH);
    }

    private Variant variant(int depth) {
        VariantBuilder builder = Variant.newBuilder();
        return switch (random.nextInt(depth > 0 ? 11 : 9)) {
            case 0 -> builder.ofNull();
            case 1 -> builder.of(random.nextBoolean());
            case 2 -> builder.of((byte) random.nextInt());
            case 3 -> builder.of(random.nextLong());
            case 4 -> builder.of(floating());
            case 5 -> builder.of(new BigDecimal(new BigInteger(100, random), 10));
            case 6 -> builder.of(string(VarCharType.STRING_TYPE));
            case 7 -> builder.of(LocalDate.ofEpochDay(random.nextInt(100_000) - 40_000));
            case 8 -> builder.of(Instant.ofEpochSecond(random.nextInt(), 123_456_000));
            case 9 -> {
                VariantBuilder.VariantArrayBuilder array = builder.array();
                for (int i = size(); i > 0; i--) {
                    array.add(variant(depth - 1));
                }
                yield array.build();
            }
            default -> object(depth);
        };
    }

    /** An object with a field "a". */
    private Variant object(int depth) {
        VariantBuilder.VariantObjectBuilder object = Variant.newBuilder().object();
        for (int i = size(); i > 0; i--) {
            object.add("field" + i, variant(depth - 1));
        }
        return object.add("a", variant(depth - 1)).build();
    }

    private int size() {
        return random.nextInt(4);
    }

    private long bounded(long min, long max) {
        if (random.nextInt(EXTREME_ONE_IN) == 0) {
            long[] extremes = {min, max, 0, Math.max(min, -1), 1};
            return extremes[random.nextInt(extremes.length)];
        }
        if (min == Long.MIN_VALUE) {
            return random.nextLong();
        }
        return min + Math.floorMod(random.nextLong(), max - min + 1);
    }

    private double floating() {
        double[] extremes = {
            0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1, -1
        };
        return random.nextInt(EXTREME_ONE_IN) == 0
                ? extremes[random.nextInt(extremes.length)]
                : random.nextGaussian() * 1e6;
    }

    private DecimalData decimal(DecimalType type) {
        BigInteger limit = BigInteger.TEN.pow(type.getPrecision());
        BigInteger unscaled =
                random.nextInt(EXTREME_ONE_IN) == 0
                        ? limit.subtract(BigInteger.ONE)
                        : new BigInteger(128, random).mod(limit);
        if (random.nextBoolean()) {
            unscaled = unscaled.negate();
        }
        return DecimalData.fromBigDecimal(
                new BigDecimal(unscaled, type.getScale()), type.getPrecision(), type.getScale());
    }

    private String string(LogicalType type) {
        int length = Math.min(LogicalTypeChecks.getLength(type), random.nextInt(12));
        StringBuilder text = new StringBuilder();
        String alphabet = "ab\0\u0001 zé€\uFFFDÿ";
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private byte[] bytes(LogicalType type) {
        byte[] bytes = new byte[Math.min(LogicalTypeChecks.getLength(type), random.nextInt(12))];
        byte[] alphabet = {0, 1, -1, 127, -128, 65};
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = alphabet[random.nextInt(alphabet.length)];
        }
        return bytes;
    }

    private TimestampData timestamp(int precision) {
        long millis = bounded(MIN_SQL_MILLIS, MAX_SQL_MILLIS);
        if (precision < 3) {
            long unit = (long) Math.pow(10, 3 - precision);
            millis = Math.floorDiv(millis, unit) * unit;
        }
        int unit = (int) Math.pow(10, 9 - Math.max(3, precision));
        int nanos = random.nextInt(1_000_000) / unit * unit;
        return TimestampData.fromEpochMillis(millis, nanos);
    }

    private GenericArrayData array(LogicalType elementType, int size) {
        Object[] elements = new Object[size];
        for (int i = 0; i < size; i++) {
            elements[i] = value(elementType);
        }
        return new GenericArrayData(elements);
    }

    private GenericMapData map(MapType type) {
        Map<Object, Object> entries = new LinkedHashMap<>();
        int size = size();
        for (int i = 0; i < size; i++) {
            entries.put(value(type.getKeyType()), value(type.getValueType()));
        }
        return new GenericMapData(entries);
    }
}
