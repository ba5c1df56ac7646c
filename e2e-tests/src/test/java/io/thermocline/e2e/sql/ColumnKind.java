package io.thermocline.e2e.sql;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.apache.flink.table.types.utils.TypeConversions;
import org.apache.flink.types.Row;
import org.apache.flink.types.variant.Variant;
import org.apache.flink.types.variant.VariantBuilder;

/**
 * A type with a source of values of it.
 *
 * @param ddl the type as in CREATE TABLE
 * @param usableAsKey whether it may be a primary-key column
 * @param usableAsPartition whether it may be a partition column
 * @param random any value, extremes among them; never null
 */
record ColumnKind(
        String ddl,
        boolean usableAsKey,
        boolean usableAsPartition,
        Function<Random, Object> random) {

    private static final long FIRST_SECOND = LocalDate.of(1900, 1, 1).toEpochDay() * 86_400;
    private static final long LAST_SECOND = LocalDate.of(2200, 1, 1).toEpochDay() * 86_400;

    static final List<ColumnKind> ALL =
            List.of(
                    key("INT", r -> oneOf(r, Integer.MIN_VALUE, Integer.MAX_VALUE, r.nextInt())),
                    key("BIGINT", r -> oneOf(r, Long.MIN_VALUE, Long.MAX_VALUE, r.nextLong())),
                    key("STRING", r -> text(r, 12)),
                    key("VARCHAR(20)", r -> text(r, 8)),
                    key("DATE", r -> date(r)),
                    key("TIMESTAMP(3)", r -> timestamp(r, 3)),
                    key("SMALLINT", r -> (short) r.nextInt()),
                    key("TINYINT", r -> (byte) r.nextInt()),
                    onlyKey("DECIMAL(10, 2)", r -> decimal(r, 10, 2)),
                    onlyKey("DECIMAL(30, 5)", r -> decimal(r, 30, 5)),
                    onlyKey("TIMESTAMP(6)", r -> timestamp(r, 6)),
                    onlyKey("TIMESTAMP_LTZ(3)", r -> timestamp(r, 3).toInstant(ZoneOffset.UTC)),
                    onlyKey("VARBINARY(8)", r -> bytes(r, r.nextInt(9))),
                    onlyKey(
                            "DOUBLE",
                            r -> oneOf(r, Double.NEGATIVE_INFINITY, 0.0d, r.nextGaussian())),
                    value("BOOLEAN", Random::nextBoolean),
                    value("FLOAT", r -> oneOf(r, Float.NaN, -0.0f, r.nextFloat() * 1e20f)),
                    value(
                            "DOUBLE",
                            r -> oneOf(r, Double.NEGATIVE_INFINITY, 0.1d, r.nextGaussian())),
                    value("DECIMAL(38, 18)", r -> decimal(r, 38, 18)),
                    value("CHAR(3)", r -> String.valueOf(r.nextInt(900) + 100)),
                    value("BINARY(4)", r -> bytes(r, 4)),
                    value("BYTES", r -> bytes(r, r.nextInt(40))),
                    value("TIME(0)", r -> LocalTime.ofSecondOfDay(r.nextInt(86_400))),
                    value("TIMESTAMP(0)", r -> timestamp(r, 0)),
                    value("TIMESTAMP(9)", r -> timestamp(r, 9)),
                    value("TIMESTAMP_LTZ(6)", r -> timestamp(r, 6).toInstant(ZoneOffset.UTC)),
                    value("ARRAY<INT>", ColumnKind::ints),
                    value("ARRAY<STRING>", ColumnKind::strings),
                    value("VARIANT", r -> variant(r, 2)),
                    value("ARRAY<ROW<x INT, v VARIANT>>", ColumnKind::rowsWithVariants),
                    value("MAP<STRING, VARIANT>", ColumnKind::variants),
                    value("MAP<STRING, BIGINT>", ColumnKind::map),
                    value("ROW<x INT, y STRING, z DECIMAL(5, 1)>", ColumnKind::row),
                    value("ARRAY<ROW<x INT, m MAP<INT, STRING>>>", ColumnKind::rows));

    static List<ColumnKind> keys() {
        return ALL.stream().filter(ColumnKind::usableAsKey).toList();
    }

    static List<ColumnKind> partitions() {
        return ALL.stream().filter(ColumnKind::usableAsPartition).toList();
    }

    DataType dataType() {
        return TypeConversions.fromLogicalToDataType(
                LogicalTypeParser.parse(ddl, ColumnKind.class.getClassLoader()));
    }

    private static ColumnKind key(String ddl, Function<Random, Object> random) {
        return new ColumnKind(ddl, true, true, random);
    }

    private static ColumnKind onlyKey(String ddl, Function<Random, Object> random) {
        return new ColumnKind(ddl, true, false, random);
    }

    private static ColumnKind value(String ddl, Function<Random, Object> random) {
        return new ColumnKind(ddl, false, false, random);
    }

    private static Object oneOf(Random random, Object first, Object second, Object usual) {
        int choice = random.nextInt(8);
        return choice == 0 ? first : choice == 1 ? second : usual;
    }

    private static String text(Random random, int maxLength) {
        String letters = "ab/=%'\"\\ ü漢_.-0";
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(maxLength + 1); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    private static LocalDate date(Random random) {
        return LocalDate.ofEpochDay(random.nextInt(100_000) - 40_000);
    }

    private static LocalDateTime timestamp(Random random, int precision) {
        long second = FIRST_SECOND + (long) (random.nextDouble() * (LAST_SECOND - FIRST_SECOND));
        int unit = (int) Math.pow(10, 9 - precision);
        int nanos = random.nextInt(1_000_000_000) / unit * unit;
        return LocalDateTime.ofEpochSecond(second, nanos, ZoneOffset.UTC);
    }

    private static BigDecimal decimal(Random random, int precision, int scale) {
        int digits = random.nextInt(precision) + 1;
        BigInteger bound = BigInteger.TEN.pow(digits);
        BigInteger unscaled = new BigInteger(bound.bitLength(), random).mod(bound);
        return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), scale);
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Object ints(Random random) {
        Integer[] ints = new Integer[random.nextInt(4)];
        Arrays.setAll(ints, i -> random.nextInt(4) == 0 ? null : (Integer) random.nextInt());
        return ints;
    }

    private static Object strings(Random random) {
        String[] strings = new String[random.nextInt(4)];
        Arrays.setAll(strings, i -> random.nextInt(4) == 0 ? null : text(random, 5));
        return strings;
    }

    private static Object map(Random random) {
        Map<String, Long> map = new HashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            map.put(text(random, 4), random.nextInt(3) == 0 ? null : random.nextLong());
        }
        return map;
    }

    private static Variant variant(Random random, int depth) {
        VariantBuilder builder = Variant.newBuilder();
        switch (random.nextInt(depth > 0 ? 6 : 4)) {
            case 0:
                return builder.ofNull();
            case 1:
                return builder.of(random.nextLong());
            case 2:
                return builder.of(random.nextDouble());
            case 3:
                return builder.of(text(random, 80));
            case 4:
                VariantBuilder.VariantArrayBuilder array = builder.array();
                for (int i = random.nextInt(3); i > 0; i--) {
                    array.add(variant(random, depth - 1));
                }
                return array.build();
            default:
                VariantBuilder.VariantObjectBuilder object = builder.object();
                for (int i = random.nextInt(3); i > 0; i--) {
                    object.add("f" + i, variant(random, depth - 1));
                }
                return object.build();
        }
    }

    private static Object variants(Random random) {
        Map<String, Variant> map = new HashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            map.put(text(random, 4), random.nextInt(3) == 0 ? null : variant(random, 1));
        }
        return map;
    }

    private static Object rowsWithVariants(Random random) {
        Row[] rows = new Row[random.nextInt(3)];
        Arrays.setAll(
                rows,
                i -> Row.of(random.nextInt(), random.nextInt(4) == 0 ? null : variant(random, 1)));
        return rows;
    }

    private static Object row(Random random) {
        return Row.of(
                random.nextBoolean() ? random.nextInt() : null,
                random.nextBoolean() ? text(random, 5) : null,
                random.nextBoolean() ? decimal(random, 5, 1) : null);
    }

    private static Object rows(Random random) {
        Row[] rows = new Row[random.nextInt(3)];
        Arrays.setAll(
                rows,
                i ->
                        random.nextInt(4) == 0
                                ? null
                                : Row.of(
                                        random.nextInt(),
                                        Map.of(random.nextInt(), text(random, 3))));
        return rows;
    }
}
