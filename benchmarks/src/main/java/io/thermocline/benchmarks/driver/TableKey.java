package io.thermocline.benchmarks.driver;

import java.util.List;

/** The primary keys that tables have. */
public enum TableKey {
    /** None: a log. */
    NONE,
    /** Column {@link Shape#KEY}. */
    SIMPLE,
    /**
     * Columns {@link Shape#KEY}, which alone decides the bucket, and {@link Shape#NUMBER}: each
     * value of the first has {@link #ROWS_PER_PREFIX} rows.
     */
    COMPOSITE;

    /** Rows that a lookup by the first column of {@link #COMPOSITE} finds. */
    public static final int ROWS_PER_PREFIX = 10;

    /** Whether there is a key. */
    public boolean exists() {
        return this != NONE;
    }

    /** Numbers of the columns of the primary key. */
    public List<Integer> columns() {
        return switch (this) {
            case NONE -> List.of();
            case SIMPLE -> List.of(Shape.KEY);
            case COMPOSITE -> List.of(Shape.KEY, Shape.NUMBER);
        };
    }

    /** Names of the columns of the primary key. */
    public List<String> columnNames(Shape shape) {
        return columns().stream().map(shape::name).toList();
    }

    /** Names of the columns that decide the bucket. */
    public List<String> bucketColumnNames(Shape shape) {
        return exists() ? List.of(shape.name(Shape.KEY)) : List.of();
    }

    /** Fills in the n-th row of a table, in a version. */
    public void fill(Shape shape, BenchRow row, long number, long version) {
        shape.fill(row, number, version);
        if (this == COMPOSITE) {
            row.setInteger(Shape.KEY, number / ROWS_PER_PREFIX);
            row.setInteger(Shape.NUMBER, number % ROWS_PER_PREFIX);
        }
    }
}
