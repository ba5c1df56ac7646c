package io.thermocline.benchmarks.driver;

/** Types of the columns that benchmarks use. */
public enum ColumnKind {
    /** 32-bit integer. */
    INT,
    /** 64-bit integer. */
    BIGINT,
    /** Double precision number. */
    DOUBLE,
    /** Text of 16 ASCII characters. */
    STRING
}
