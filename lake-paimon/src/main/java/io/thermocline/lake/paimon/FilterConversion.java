package io.thermocline.lake.paimon;

import java.util.List;
import java.util.Optional;
import java.util.Set;
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
import org.apache.paimon.flink.PredicateConverter;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;

/**
 * Conversion with Paimon's own converter of those predicates for which Paimon decides as Flink
 * does. Left out are comparisons of floating-point columns (Paimon orders -0.0 before 0.0), of
 * binary columns, of a decimal column with a literal of a higher scale (it would be rounded), and
 * BETWEEN, which Flink's planner writes as two comparisons anyway.
 */
final class FilterConversion {

    private static final Set<FunctionDefinition> COMPARISONS =
            Set.of(
                    BuiltInFunctionDefinitions.EQUALS,
                    BuiltInFunctionDefinitions.NOT_EQUALS,
                    BuiltInFunctionDefinitions.GREATER_THAN,
                    BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL,
                    BuiltInFunctionDefinitions.LESS_THAN,
                    BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL,
                    BuiltInFunctionDefinitions.IN,
                    BuiltInFunctionDefinitions.LIKE);

    private FilterConversion() {}

    static Optional<Predicate> convert(RowType rowType, List<ResolvedExpression> conjunction) {
        List<Predicate> converted =
                conjunction.stream()
                        .filter(FilterConversion::isSafe)
                        .map(expression -> PredicateConverter.convert(rowType, expression))
                        .flatMap(Optional::stream)
                        .toList();
        return converted.isEmpty()
                ? Optional.empty()
                : Optional.of(PredicateBuilder.and(converted));
    }

    private static boolean isSafe(Expression expression) {
        if (!(expression instanceof CallExpression call)) {
            return false;
        }
        FunctionDefinition function = call.getFunctionDefinition();
        if (function == BuiltInFunctionDefinitions.AND
                || function == BuiltInFunctionDefinitions.OR) {
            return call.getChildren().stream().allMatch(FilterConversion::isSafe);
        }
        if (function == BuiltInFunctionDefinitions.IS_NULL
                || function == BuiltInFunctionDefinitions.IS_NOT_NULL) {
            return call.getChildren().get(0) instanceof FieldReferenceExpression;
        }
        return COMPARISONS.contains(function) && isSafeComparison(call.getChildren());
    }

    private static boolean isSafeComparison(List<Expression> operands) {
        Optional<LogicalType> column =
                operands.stream()
                        .filter(FieldReferenceExpression.class::isInstance)
                        .map(operand -> type((FieldReferenceExpression) operand))
                        .findFirst();
        return column.isPresent()
                && isComparable(column.get())
                && operands.stream()
                        .filter(ValueLiteralExpression.class::isInstance)
                        .map(operand -> type((ValueLiteralExpression) operand))
                        .allMatch(literal -> isExact(column.get(), literal));
    }

    private static boolean isComparable(LogicalType column) {
        return switch (column.getTypeRoot()) {
            case FLOAT, DOUBLE, BINARY, VARBINARY -> false;
            default -> true;
        };
    }

    private static boolean isExact(LogicalType column, LogicalType literal) {
        if (!(column instanceof DecimalType decimal)) {
            return true;
        }
        return literal.getTypeRoot() == LogicalTypeRoot.NULL
                || (literal instanceof DecimalType value
                        && value.getScale() <= decimal.getScale()
                        && value.getPrecision() - value.getScale()
                                <= decimal.getPrecision() - decimal.getScale());
    }

    private static LogicalType type(ResolvedExpression expression) {
        return expression.getOutputDataType().getLogicalType();
    }
}
