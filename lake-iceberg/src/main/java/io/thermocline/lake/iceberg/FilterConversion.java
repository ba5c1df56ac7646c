package io.thermocline.lake.iceberg;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.Expression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.expressions.Expressions;

/**
 * Conversion of those predicates for which Iceberg decides as Flink does. Left out are comparisons
 * of floating-point columns (Iceberg orders -0.0 before 0.0), of binary columns, of timestamps that
 * are held as text, and with literals that the column's type cannot hold.
 */
final class FilterConversion {

    /** Iceberg's operations for "column op literal". */
    private static final Map<FunctionDefinition, Comparison> COMPARISONS =
            Map.of(
                    BuiltInFunctionDefinitions.EQUALS, Expressions::equal,
                    BuiltInFunctionDefinitions.NOT_EQUALS, Expressions::notEqual,
                    BuiltInFunctionDefinitions.GREATER_THAN, Expressions::greaterThan,
                    BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL,
                            Expressions::greaterThanOrEqual,
                    BuiltInFunctionDefinitions.LESS_THAN, Expressions::lessThan,
                    BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL, Expressions::lessThanOrEqual);

    /** The same comparisons with their operands exchanged. */
    private static final Map<FunctionDefinition, Comparison> REVERSED =
            Map.of(
                    BuiltInFunctionDefinitions.EQUALS, Expressions::equal,
                    BuiltInFunctionDefinitions.NOT_EQUALS, Expressions::notEqual,
                    BuiltInFunctionDefinitions.GREATER_THAN, Expressions::lessThan,
                    BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL, Expressions::lessThanOrEqual,
                    BuiltInFunctionDefinitions.LESS_THAN, Expressions::greaterThan,
                    BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL, Expressions::greaterThanOrEqual);

    @FunctionalInterface
    private interface Comparison {

        org.apache.iceberg.expressions.Expression of(String column, Object literal);
    }

    private final RowType rowType;

    private FilterConversion(RowType rowType) {
        this.rowType = rowType;
    }

    static Optional<org.apache.iceberg.expressions.Expression> convert(
            RowType rowType, List<ResolvedExpression> conjunction) {
        FilterConversion conversion = new FilterConversion(rowType);
        return conjunction.stream()
                .map(conversion::convert)
                .flatMap(Optional::stream)
                .reduce(Expressions::and);
    }

    private Optional<org.apache.iceberg.expressions.Expression> convert(Expression predicate) {
        if (!(predicate instanceof CallExpression call)) {
            return Optional.empty();
        }
        FunctionDefinition function = call.getFunctionDefinition();
        List<Expression> operands = call.getChildren();
        if (function == BuiltInFunctionDefinitions.AND
                || function == BuiltInFunctionDefinitions.OR) {
            return convertAll(operands)
                    .flatMap(
                            all ->
                                    all.stream()
                                            .reduce(
                                                    function == BuiltInFunctionDefinitions.AND
                                                            ? Expressions::and
                                                            : Expressions::or));
        }
        if (function == BuiltInFunctionDefinitions.IS_NULL) {
            return plainColumn(operands.get(0)).map(Expressions::isNull);
        }
        if (function == BuiltInFunctionDefinitions.IS_NOT_NULL) {
            return plainColumn(operands.get(0)).map(Expressions::notNull);
        }
        if (function == BuiltInFunctionDefinitions.IN) {
            return in(operands);
        }
        if (!COMPARISONS.containsKey(function)) {
            return Optional.empty();
        }
        return operands.get(0) instanceof FieldReferenceExpression
                ? compare(COMPARISONS.get(function), operands.get(0), operands.get(1))
                : compare(REVERSED.get(function), operands.get(1), operands.get(0));
    }

    private Optional<List<org.apache.iceberg.expressions.Expression>> convertAll(
            List<Expression> operands) {
        List<org.apache.iceberg.expressions.Expression> all = new ArrayList<>();
        for (Expression operand : operands) {
            Optional<org.apache.iceberg.expressions.Expression> converted = convert(operand);
            if (converted.isEmpty()) {
                return Optional.empty();
            }
            all.add(converted.get());
        }
        return Optional.of(all);
    }

    private Optional<org.apache.iceberg.expressions.Expression> in(List<Expression> operands) {
        Optional<String> column = column(operands.get(0));
        if (column.isEmpty()) {
            return Optional.empty();
        }
        List<Object> literals = new ArrayList<>();
        for (Expression operand : operands.subList(1, operands.size())) {
            Optional<Object> literal = literal(type(column.get()), operand);
            if (literal.isEmpty()) {
                return Optional.empty();
            }
            literals.add(literal.get());
        }
        return Optional.of(Expressions.in(column.get(), literals));
    }

    private Optional<org.apache.iceberg.expressions.Expression> compare(
            Comparison comparison, Expression left, Expression right) {
        return column(left)
                .flatMap(
                        column ->
                                literal(type(column), right)
                                        .map(literal -> comparison.of(column, literal)));
    }

    private Optional<String> column(Expression expression) {
        return expression instanceof FieldReferenceExpression field
                ? Optional.of(rowType.getFieldNames().get(field.getFieldIndex()))
                : Optional.empty();
    }

    /** A column that Iceberg keeps counts of NULL of. */
    private Optional<String> plainColumn(Expression expression) {
        return column(expression)
                .filter(column -> type(column).getChildren().isEmpty())
                .filter(column -> !type(column).is(LogicalTypeRoot.VARIANT));
    }

    private LogicalType type(String column) {
        return rowType.getTypeAt(rowType.getFieldIndex(column));
    }

    /** A literal in Iceberg's form for a column; empty if it cannot be compared exactly. */
    private static Optional<Object> literal(LogicalType column, Expression expression) {
        if (!(expression instanceof ValueLiteralExpression literal) || literal.isNull()) {
            return Optional.empty();
        }
        return switch (column.getTypeRoot()) {
            case BOOLEAN -> literal.getValueAs(Boolean.class).map(value -> value);
            case TINYINT, SMALLINT, INTEGER ->
                    integer(literal, Integer.MIN_VALUE, Integer.MAX_VALUE)
                            .map(BigDecimal::intValueExact);
            case BIGINT ->
                    integer(literal, Long.MIN_VALUE, Long.MAX_VALUE)
                            .map(BigDecimal::longValueExact);
            case DECIMAL -> decimal(literal, (DecimalType) column).map(value -> value);
            case CHAR, VARCHAR -> literal.getValueAs(String.class).map(value -> value);
            case DATE -> literal.getValueAs(LocalDate.class).map(date -> (int) date.toEpochDay());
            case TIME_WITHOUT_TIME_ZONE ->
                    literal.getValueAs(LocalTime.class)
                            .flatMap(time -> micros(0, time.toNanoOfDay()));
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    HeldTypes.isText(column)
                            ? Optional.empty()
                            : literal.getValueAs(LocalDateTime.class)
                                    .map(time -> time.toInstant(ZoneOffset.UTC))
                                    .flatMap(FilterConversion::micros);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    HeldTypes.isText(column)
                            ? Optional.empty()
                            : literal.getValueAs(Instant.class).flatMap(FilterConversion::micros);
            default -> Optional.empty();
        };
    }

    private static Optional<BigDecimal> number(ValueLiteralExpression literal) {
        return switch (literal.getOutputDataType().getLogicalType().getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL ->
                    literal.getValueAs(BigDecimal.class);
            default -> Optional.empty();
        };
    }

    private static Optional<BigDecimal> integer(
            ValueLiteralExpression literal, long least, long greatest) {
        return number(literal)
                .filter(value -> value.stripTrailingZeros().scale() <= 0)
                .filter(value -> value.compareTo(BigDecimal.valueOf(least)) >= 0)
                .filter(value -> value.compareTo(BigDecimal.valueOf(greatest)) <= 0);
    }

    private static Optional<BigDecimal> decimal(ValueLiteralExpression literal, DecimalType type) {
        return number(literal)
                .filter(value -> value.stripTrailingZeros().scale() <= type.getScale())
                .map(value -> value.setScale(type.getScale()))
                .filter(value -> value.precision() <= type.getPrecision());
    }

    private static Optional<Object> micros(Instant instant) {
        return micros(instant.getEpochSecond(), instant.getNano());
    }

    private static Optional<Object> micros(long seconds, long nanos) {
        long perMicro = TimeUnit.MICROSECONDS.toNanos(1);
        if (nanos % perMicro != 0) {
            return Optional.empty();
        }
        return Optional.of(
                Math.addExact(
                        Math.multiplyExact(seconds, TimeUnit.SECONDS.toMicros(1)),
                        nanos / perMicro));
    }
}
