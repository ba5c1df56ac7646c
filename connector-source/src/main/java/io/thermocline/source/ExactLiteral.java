package io.thermocline.source;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Optional;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/** Literals as internal values of a column's type, where no value is changed by that. */
final class ExactLiteral {

    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final int NANO_DIGITS = 9;

    private ExactLiteral() {}

    /**
     * The literal's value as the column would hold it; empty if it is NULL or does not fit exactly.
     */
    static Optional<Object> of(ValueLiteralExpression literal, LogicalType column) {
        if (literal.isNull()) {
            return Optional.empty();
        }
        LogicalType type = literal.getOutputDataType().getLogicalType();
        return switch (column.getTypeRoot()) {
            case BOOLEAN -> literal.getValueAs(Boolean.class).map(value -> value);
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                    type.is(LogicalTypeFamily.INTEGER_NUMERIC)
                            ? literal.getValueAs(BigDecimal.class)
                                    .flatMap(value -> integer(value, column))
                            : Optional.empty();
            case FLOAT ->
                    type.is(column.getTypeRoot())
                            ? literal.getValueAs(Float.class)
                                    .filter(value -> !value.isNaN())
                                    .map(value -> value)
                            : Optional.empty();
            case DOUBLE ->
                    type.is(column.getTypeRoot())
                            ? literal.getValueAs(Double.class)
                                    .filter(value -> !value.isNaN())
                                    .map(value -> value)
                            : Optional.empty();
            case DECIMAL ->
                    type.is(LogicalTypeFamily.EXACT_NUMERIC)
                            ? literal.getValueAs(BigDecimal.class)
                                    .flatMap(value -> decimal(value, (DecimalType) column))
                            : Optional.empty();
            case VARCHAR ->
                    type.is(LogicalTypeFamily.CHARACTER_STRING)
                            ? literal.getValueAs(String.class).map(StringData::fromString)
                            : Optional.empty();
            case DATE -> literal.getValueAs(LocalDate.class).map(value -> (int) value.toEpochDay());
            case TIME_WITHOUT_TIME_ZONE ->
                    literal.getValueAs(LocalTime.class).flatMap(ExactLiteral::time);
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    literal.getValueAs(LocalDateTime.class)
                            .filter(value -> fits(value.getNano(), column))
                            .map(TimestampData::fromLocalDateTime);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    type.is(column.getTypeRoot())
                            ? literal.getValueAs(Instant.class)
                                    .filter(value -> fits(value.getNano(), column))
                                    .map(TimestampData::fromInstant)
                            : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static Optional<Object> integer(BigDecimal value, LogicalType column) {
        try {
            return Optional.of(
                    switch (column.getTypeRoot()) {
                        case TINYINT -> (Object) value.byteValueExact();
                        case SMALLINT -> (Object) value.shortValueExact();
                        case INTEGER -> (Object) value.intValueExact();
                        default -> (Object) value.longValueExact();
                    });
        } catch (ArithmeticException e) {
            // out of the column's range: the comparison is left to Flink
            return Optional.empty();
        }
    }

    private static Optional<Object> decimal(BigDecimal value, DecimalType column) {
        BigDecimal plain = value.stripTrailingZeros();
        boolean fits =
                plain.scale() <= column.getScale()
                        && plain.precision() - plain.scale()
                                <= column.getPrecision() - column.getScale();
        return fits
                ? Optional.ofNullable(
                        DecimalData.fromBigDecimal(value, column.getPrecision(), column.getScale()))
                : Optional.empty();
    }

    private static Optional<Object> time(LocalTime value) {
        return value.getNano() % NANOS_PER_MILLI == 0
                ? Optional.of((int) (value.toNanoOfDay() / NANOS_PER_MILLI))
                : Optional.empty();
    }

    private static boolean fits(int nanos, LogicalType column) {
        int unit = 1;
        for (int digit = LogicalTypeChecks.getPrecision(column); digit < NANO_DIGITS; digit++) {
            unit *= 10;
        }
        return nanos % unit == 0;
    }
}
