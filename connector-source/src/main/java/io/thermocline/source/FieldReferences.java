package io.thermocline.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.types.logical.RowType;

/** Makes predicates refer to a table's columns, whatever projection they were written on. */
final class FieldReferences {

    private FieldReferences() {}

    /**
     * Predicates whose field references point into {@code rowType}; those that speak of anything
     * but its columns are left out.
     */
    static List<ResolvedExpression> into(RowType rowType, List<ResolvedExpression> predicates) {
        return predicates.stream()
                .map(predicate -> rewrite(rowType, predicate))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<ResolvedExpression> rewrite(
            RowType rowType, ResolvedExpression expression) {
        if (expression instanceof FieldReferenceExpression field) {
            int index = rowType.getFieldIndex(field.getName());
            return index < 0
                    ? Optional.empty()
                    : Optional.of(
                            new FieldReferenceExpression(
                                    field.getName(), field.getOutputDataType(), 0, index));
        }
        if (expression instanceof CallExpression call) {
            List<ResolvedExpression> arguments = new ArrayList<>();
            for (ResolvedExpression argument : call.getResolvedChildren()) {
                Optional<ResolvedExpression> rewritten = rewrite(rowType, argument);
                if (rewritten.isEmpty()) {
                    return Optional.empty();
                }
                arguments.add(rewritten.get());
            }
            return Optional.of(call.replaceArgs(arguments, call.getOutputDataType()));
        }
        return expression instanceof ValueLiteralExpression
                ? Optional.of(expression)
                : Optional.empty();
    }
}
