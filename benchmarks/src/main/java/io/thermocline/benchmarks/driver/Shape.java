package io.thermocline.benchmarks.driver;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The two kinds of rows. A row is a pure function of its key and a version, half of its values
 * random and half repetitive, so that every system stores and reads the same bytes.
 */
public enum Shape {

    /** {@code k, i1, i2, i3, l1, l2, d1, d2, s1, s2}: 84 bytes of values. */
    NARROW(10),

    /** {@code k}, 19 INT, 15 BIGINT, 15 DOUBLE, 10 STRING: 484 bytes of values. */
    WIDE(60);

    /** Column of the key, a BIGINT. */
    public static final int KEY = 0;

    /** Column of {@link #NARROW} that latency measurements number their rows in. */
    public static final int NUMBER = 3;

    /** Column of {@link #NARROW} that latency measurements put a time in. */
    public static final int TIME = 4;

    private static final String[] NARROW_NAMES = {
        "k", "i1", "i2", "i3", "l1", "l2", "d1", "d2", "s1", "s2"
    };
    private static final long BASE_MILLIS = 1_700_000_000_000L;
    private static final int CATEGORIES = 1000;
    private static final byte[][] CATEGORY = new byte[CATEGORIES][];
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    static {
        for (int i = 0; i < CATEGORIES; i++) {
            CATEGORY[i] =
                    String.format(Locale.ROOT, "category-%07d", i)
                            .getBytes(StandardCharsets.US_ASCII);
        }
    }

    private final int columnCount;

    Shape(int columnCount) {
        this.columnCount = columnCount;
    }

    public int columnCount() {
        return columnCount;
    }

    /** Name of a column. */
    public String name(int column) {
        if (this == NARROW) {
            return NARROW_NAMES[column];
        }
        return column == KEY ? "k" : "c" + column;
    }

    /** Type of a column. */
    public ColumnKind kind(int column) {
        if (this == NARROW) {
            return switch (NARROW_NAMES[column].charAt(0)) {
                case 'i' -> ColumnKind.INT;
                case 'd' -> ColumnKind.DOUBLE;
                case 's' -> ColumnKind.STRING;
                default -> ColumnKind.BIGINT;
            };
        }
        if (column == KEY) {
            return ColumnKind.BIGINT;
        }
        return column < 20
                ? ColumnKind.INT
                : column < 35
                        ? ColumnKind.BIGINT
                        : column < 50 ? ColumnKind.DOUBLE : ColumnKind.STRING;
    }

    /** Bytes of the values of a row. */
    public int rawBytes() {
        int bytes = 0;
        for (int column = 0; column < columnCount; column++) {
            bytes +=
                    switch (kind(column)) {
                        case INT -> Integer.BYTES;
                        case BIGINT, DOUBLE -> Long.BYTES;
                        case STRING -> 16;
                    };
        }
        return bytes;
    }

    /** Fills in the row of a key in a version. */
    public void fill(BenchRow row, long key, long version) {
        if (this == NARROW) {
            fillNarrow(row, key, version);
        } else {
            fillWide(row, key, version);
        }
    }

    private static void fillNarrow(BenchRow row, long key, long version) {
        long random = mix(key * 31 + version * 0x9e37);
        long other = mix(random);
        row.setInteger(KEY, key);
        row.setInteger(1, random & 127);
        row.setInteger(2, (random >>> 8) % 10_000);
        row.setInteger(NUMBER, (int) other);
        row.setInteger(TIME, BASE_MILLIS + key + version);
        row.setInteger(5, other >>> 24);
        row.setReal(6, ((random >>> 20) % 1_000_000) / 100.0);
        row.setReal(7, (other >>> 11) * 0x1.0p-53);
        row.setText(8, hex(mix(other)));
        row.setText(9, category(random));
    }

    private static void fillWide(BenchRow row, long key, long version) {
        long random = mix(key + version * 0x9e37);
        row.setInteger(KEY, key);
        for (int column = 1; column < 60; column++) {
            random = mix(random);
            switch (WIDE.kind(column)) {
                case INT ->
                        row.setInteger(column, column % 3 == 0 ? (int) random : random & 0x3fff);
                case BIGINT ->
                        row.setInteger(column, column % 3 == 0 ? BASE_MILLIS + key : random >>> 24);
                case DOUBLE ->
                        row.setReal(
                                column,
                                column % 2 == 0
                                        ? (random >>> 11) * 0x1.0p-53
                                        : ((random >>> 20) % 1_000_000) / 100.0);
                case STRING ->
                        row.setText(column, column % 2 == 0 ? hex(random) : category(random));
            }
        }
    }

    /** A random 64-bit number of a number. */
    public static long mix(long number) {
        long z = number + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    private static byte[] hex(long value) {
        byte[] digits = new byte[16];
        long rest = value;
        for (int i = 0; i < digits.length; i++) {
            digits[i] = HEX[(int) (rest & 15)];
            rest >>>= 4;
        }
        return digits;
    }

    private static byte[] category(long random) {
        return CATEGORY[(int) Long.remainderUnsigned(random, CATEGORIES)];
    }
}
