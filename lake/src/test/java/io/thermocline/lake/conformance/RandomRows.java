package io.thermocline.lake.conformance;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.types.variant.Variant;
import org.apache.flink.types.variant.VariantBuilder;

/** Random rows of any supported type, with nulls and extreme values. */
public final class RandomRows {

    private static final int NULL_PERCENT = 15;
    private static final int EXTREME_PERCENT = 15;
    private static final int MAX_ELEMENTS = 3;
    private static final int VARIANT_DEPTH = 2;
    private static final int MAX_LENGTH = 20;
    private static final long MIN_MILLIS = LocalDate.of(1, 1, 1).toEpochDay() * 86_400_000L;
    private static final long MAX_MILLIS = LocalDate.of(9999, 12, 31).toEpochDay() * 86_400_000L;
    private static final String ALPHABET = "abcXYZ019 _-/=%äß漢😀";

    private final Random random;

    public RandomRows(long seed) {
        this.random = new Random(seed);
    }

    /** A row of kind +I. */
    public GenericRowData row(RowType type) {
        GenericRowData row = new GenericRowData(type.getFieldCount());
        for (int field = 0; field < type.getFieldCount(); field++) {
            row.setField(field, value(type.getTypeAt(field)));
        }
        return row;
    }

    /** A value in Flink's internal form; null only if the type allows it. */
    public Object value(LogicalType type) {
        if (type.isNullable() && random.nextInt(100) < NULL_PERCENT) {
            return null;
        }
        boolean extreme = random.nextInt(100) < EXTREME_PERCENT;
        boolean high = random.nextBoolean();
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> extreme ? pick(high, Byte.MAX_VALUE, Byte.MIN_VALUE) : (byte) small();
            case SMALLINT ->
                    extreme ? pick(high, Short.MAX_VALUE, Short.MIN_VALUE) : (short) small();
            case INTEGER -> extreme ? pick(high, Integer.MAX_VALUE, Integer.MIN_VALUE) : small();
            case BIGINT -> extreme ? pick(high, Long.MAX_VALUE, Long.MIN_VALUE) : (long) small();
            case FLOAT -> extreme ? extremeFloat() : random.nextFloat();
            case DOUBLE -> extreme ? extremeDouble() : random.nextDouble();
            case DECIMAL -> decimal((DecimalType) type, extreme, high);
            case CHAR -> StringData.fromString(text(LogicalTypeChecks.getLength(type), true));
            case VARCHAR -> StringData.fromString(text(length(type), false));
            case BINARY -> bytes(LogicalTypeChecks.getLength(type));
            case VARBINARY -> bytes(random.nextInt(length(type) + 1));
            case DATE ->
                    (int)
                            TimeUnit.MILLISECONDS.toDays(
                                    extreme ? pick(high, MAX_MILLIS, MIN_MILLIS) : millis());
            case TIME_WITHOUT_TIME_ZONE -> time(((TimeType) type).getPrecision());
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    timestamp(((TimestampType) type).getPrecision(), extreme, high);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    timestamp(((LocalZonedTimestampType) type).getPrecision(), extreme, high);
            case VARIANT -> variant();
            case ARRAY -> array(((ArrayType) type).getElementType());
            case MAP -> map((MapType) type);
            case ROW -> row((RowType) type);
            default -> throw new IllegalArgumentException("no random values of type " + type);
        };
    }

    private int small() {
        return random.nextInt(201) - 100;
    }

    private static <T> T pick(boolean first, T a, T b) {
        return first ? a : b;
    }

    private float extremeFloat() {
        float[] values = {
            0.0f, -0.0f, Float.NaN, Float.POSITIVE_INFINITY, Float.MIN_VALUE, -Float.MAX_VALUE
        };
        return values[random.nextInt(values.length)];
    }

    private double extremeDouble() {
        double[] values = {
            0.0, -0.0, Double.NaN, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE
        };
        return values[random.nextInt(values.length)];
    }

    private DecimalData decimal(DecimalType type, boolean extreme, boolean high) {
        BigInteger limit = BigInteger.TEN.pow(type.getPrecision());
        BigInteger unscaled =
                extreme
                        ? limit.subtract(BigInteger.ONE)
                        : new BigInteger(limit.bitLength() - 1, random);
        return DecimalData.fromBigDecimal(
                new BigDecimal(high ? unscaled : unscaled.negate(), type.getScale()),
                type.getPrecision(),
                type.getScale());
    }

    private int length(LogicalType type) {
        return Math.min(LogicalTypeChecks.getLength(type), MAX_LENGTH);
    }

    private String text(int length, boolean exact) {
        int wanted = exact ? length : random.nextInt(length + 1);
        int[] alphabet = ALPHABET.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < wanted; i++) {
            text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
        }
        return text.toString();
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private long millis() {
        return MIN_MILLIS + (long) (random.nextDouble() * (MAX_MILLIS - MIN_MILLIS));
    }

    private int time(int precision) {
        int millis = random.nextInt(86_400_000);
        int unit = (int) Math.pow(10, Math.max(0, 3 - precision));
        return millis / unit * unit;
    }

    private TimestampData timestamp(int precision, boolean extreme, boolean high) {
        long nanosPerUnit = (long) Math.pow(10, 9 - precision);
        long millis = extreme ? pick(high, MAX_MILLIS, MIN_MILLIS) : millis();
        long second = Math.floorDiv(millis, 1000L);
        long nanos = (long) (random.nextDouble() * 1_000_000_000L) / nanosPerUnit * nanosPerUnit;
        return TimestampData.fromEpochMillis(
                second * 1000 + nanos / 1_000_000, (int) (nanos % 1_000_000));
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
            case 4 -> builder.of(extremeDouble());
            case 5 -> builder.of(new BigDecimal(new BigInteger(100, random), 10));
            case 6 -> builder.of(text(MAX_LENGTH, false));
            case 7 -> builder.of(LocalDate.ofEpochDay(random.nextInt(100_000) - 40_000));
            case 8 -> builder.of(Instant.ofEpochSecond(random.nextInt(), 123_456_000));
            case 9 -> {
                VariantBuilder.VariantArrayBuilder array = builder.array();
                for (int i = random.nextInt(MAX_ELEMENTS); i > 0; i--) {
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
        for (int i = random.nextInt(MAX_ELEMENTS); i > 0; i--) {
            object.add("field" + i, variant(depth - 1));
        }
        return object.add("a", variant(depth - 1)).build();
    }

    private GenericArrayData array(LogicalType elementType) {
        Object[] elements = new Object[random.nextInt(MAX_ELEMENTS + 1)];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = value(elementType);
        }
        return new GenericArrayData(elements);
    }

    private GenericMapData map(MapType type) {
        Map<Object, Object> map = new HashMap<>();
        int size = random.nextInt(MAX_ELEMENTS + 1);
        for (int i = 0; i < size; i++) {
            map.put(value(type.getKeyType()), value(type.getValueType()));
        }
        return new GenericMapData(map);
    }
}
