package io.thermocline.source;

import io.thermocline.hotstore.filter.RowPredicate;
import io.thermocline.hotstore.filter.RowPredicate.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;

/**
 * Converts predicates into the form by which the hot store skips frame groups. What cannot be
 * converted exactly is left out: a skipped group is never looked at again, a group too many is only
 * read.
 */
final class ChangelogPredicates {

    private final RowType rowType;
    private final Set<String> columns;

    /**
     * @param rowType columns of the table
     * @param columns columns that predicates may speak of; others are left out
     */
    ChangelogPredicates(RowType rowType, Set<String> columns) {
        this.rowType = rowType;
        this.columns = Set.copyOf(columns);
    }

    /** Converts what can be converted of a conjunction. */
    Optional<RowPredicate> convert(List<ResolvedExpression> conjunction) {
        List<RowPredicate> converted = new ArrayList<>();
        for (ResolvedExpression predicate : conjunction) {
            convert(predicate).ifPresent(converted::add);
        }
        return allOf(converted);
    }

    private Optional<RowPredicate> convert(ResolvedExpression predicate) {
        if (predicate instanceof FieldReferenceExpression field) {
            return booleanColumn(field, true);
        }
        if (!(predicate instanceof CallExpression call)) {
            return Optional.empty();
        }
        FunctionDefinition function = call.getFunctionDefinition();
        List<ResolvedExpression> arguments = call.getResolvedChildren();
        if (function == BuiltInFunctionDefinitions.AND) {
            return convert(arguments);
        }
        if (function == BuiltInFunctionDefinitions.OR) {
            return convertOr(arguments);
        }
        if (function == BuiltInFunctionDefinitions.NOT
                && arguments.get(0) instanceof FieldReferenceExpression field) {
            return booleanColumn(field, false);
        }
        if (function == BuiltInFunctionDefinitions.IS_NULL) {
            return isNull(arguments.get(0), false);
        }
        if (function == BuiltInFunctionDefinitions.IS_NOT_NULL) {
            return isNull(arguments.get(0), true);
        }
        if (function == BuiltInFunctionDefinitions.IN) {
            return in(arguments);
        }
        if (function == BuiltInFunctionDefinitions.BETWEEN) {
            List<RowPredicate> bounds = new ArrayList<>();
            compare(arguments.get(0), Op.GE, arguments.get(1)).ifPresent(bounds::add);
            compare(arguments.get(0), Op.LE, arguments.get(2)).ifPresent(bounds::add);
            return allOf(bounds);
        }
        Op op = opOf(function);
        return op == null ? Optional.empty() : compare(arguments.get(0), op, arguments.get(1));
    }

    private Optional<RowPredicate> convertOr(List<ResolvedExpression> arguments) {
        List<RowPredicate> children = new ArrayList<>();
        for (ResolvedExpression argument : arguments) {
            Optional<RowPredicate> child = convert(argument);
            if (child.isEmpty()) {
                return Optional.empty();
            }
            children.add(child.get());
        }
        return Optional.of(new RowPredicate.Or(children));
    }

    private Optional<RowPredicate> booleanColumn(FieldReferenceExpression field, boolean value) {
        return usableType(field)
                .filter(type -> type.is(LogicalTypeRoot.BOOLEAN))
                .map(type -> new RowPredicate.Compare(field.getName(), Op.EQ, value));
    }

    private Optional<RowPredicate> isNull(ResolvedExpression argument, boolean negated) {
        return usableType(argument).map(type -> new RowPredicate.IsNull(nameOf(argument), negated));
    }

    private Optional<RowPredicate> in(List<ResolvedExpression> arguments) {
        Optional<LogicalType> type = usableType(arguments.get(0));
        if (type.isEmpty()) {
            return Optional.empty();
        }
        List<Object> literals = new ArrayList<>();
        for (ResolvedExpression argument : arguments.subList(1, arguments.size())) {
            if (argument instanceof ValueLiteralExpression literal && literal.isNull()) {
                // "x IN (…, NULL)" is TRUE for the other values only
                continue;
            }
            Optional<Object> value = literal(argument, type.get());
            if (value.isEmpty()) {
                return Optional.empty();
            }
            literals.add(value.get());
        }
        return literals.isEmpty()
                ? Optional.empty()
                : Optional.of(new RowPredicate.In(nameOf(arguments.get(0)), literals));
    }

    private Optional<RowPredicate> compare(
            ResolvedExpression left, Op op, ResolvedExpression right) {
        if (left instanceof ValueLiteralExpression) {
            return compareColumn(right, mirrored(op), left);
        }
        return compareColumn(left, op, right);
    }

    private Optional<RowPredicate> compareColumn(
            ResolvedExpression column, Op op, ResolvedExpression literal) {
        return usableType(column)
                .flatMap(type -> literal(literal, type))
                .map(value -> new RowPredicate.Compare(nameOf(column), op, value));
    }

    private static Optional<Object> literal(ResolvedExpression expression, LogicalType type) {
        return expression instanceof ValueLiteralExpression literal
                ? ExactLiteral.of(literal, type)
                : Optional.empty();
    }

    private Optional<LogicalType> usableType(ResolvedExpression expression) {
        if (expression instanceof FieldReferenceExpression field
                && columns.contains(field.getName())) {
            int index = rowType.getFieldIndex(field.getName());
            return index < 0 ? Optional.empty() : Optional.of(rowType.getTypeAt(index));
        }
        return Optional.empty();
    }

    private static String nameOf(ResolvedExpression column) {
        return ((FieldReferenceExpression) column).getName();
    }

    private static Optional<RowPredicate> allOf(List<RowPredicate> predicates) {
        return switch (predicates.size()) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(predicates.get(0));
            default -> Optional.of(new RowPredicate.And(predicates));
        };
    }

    private static Op opOf(FunctionDefinition function) {
        if (function == BuiltInFunctionDefinitions.EQUALS) {
            return Op.EQ;
        }
        if (function == BuiltInFunctionDefinitions.NOT_EQUALS) {
            return Op.NE;
        }
        if (function == BuiltInFunctionDefinitions.LESS_THAN) {
            return Op.LT;
        }
        if (function == BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL) {
            return Op.LE;
        }
        if (function == BuiltInFunctionDefinitions.GREATER_THAN) {
            return Op.GT;
        }
        return function == BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL ? Op.GE : null;
    }

    private static Op mirrored(Op op) {
        return switch (op) {
            case EQ -> Op.EQ;
            case NE -> Op.NE;
            case LT -> Op.GT;
            case LE -> Op.GE;
            case GT -> Op.LT;
            case GE -> Op.LE;
        };
    }
}
