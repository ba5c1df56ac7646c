package io.thermocline.hotstore.filter;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.filter.RowPredicate.And;
import io.thermocline.hotstore.filter.RowPredicate.Compare;
import io.thermocline.hotstore.filter.RowPredicate.In;
import io.thermocline.hotstore.filter.RowPredicate.IsNull;
import io.thermocline.hotstore.filter.RowPredicate.Op;
import io.thermocline.hotstore.filter.RowPredicate.Or;
import io.thermocline.hotstore.key.KeyColumnEncoder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Evaluates a {@link RowPredicate} on rows, with Flink SQL's comparisons: strings and byte strings
 * by unsigned bytes, NaN unequal to everything, -0.0 equal to 0.0. Thread-safe.
 */
public final class RowMatcher {

    private final Predicate<RowData> root;

    private RowMatcher(Predicate<RowData> root) {
        this.root = root;
    }

    /**
     * Prepares a predicate for rows of a type.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT} for a column that the rows do not have, or
     *     a literal of another type than its column; {@code UNSUPPORTED_TYPE} for a comparison of a
     *     column without order
     */
    public static RowMatcher of(RowPredicate predicate, RowType rowType) {
        return new RowMatcher(bind(predicate, rowType));
    }

    /** Whether the predicate is TRUE for the row. */
    public boolean matches(RowData row) {
        return root.test(row);
    }

    private static Predicate<RowData> bind(RowPredicate predicate, RowType rowType) {
        if (predicate instanceof And and) {
            return and.children().stream()
                    .map(child -> bind(child, rowType))
                    .reduce(row -> true, Predicate::and);
        }
        if (predicate instanceof Or or) {
            return or.children().stream()
                    .map(child -> bind(child, rowType))
                    .reduce(row -> false, Predicate::or);
        }
        if (predicate instanceof IsNull isNull) {
            int position = PredicateColumns.position(rowType, isNull.column());
            return isNull.negated()
                    ? row -> !row.isNullAt(position)
                    : row -> row.isNullAt(position);
        }
        if (predicate instanceof In in) {
            return comparison(in.column(), Op.EQ, in.literals(), rowType);
        }
        Compare compare = (Compare) predicate;
        return comparison(compare.column(), compare.op(), List.of(compare.literal()), rowType);
    }

    private static Predicate<RowData> comparison(
            String column, Op op, List<Object> literals, RowType rowType) {
        int position = PredicateColumns.position(rowType, column);
        LogicalType type = rowType.getTypeAt(position);
        PredicateColumns.checkLiterals(column, type, literals);
        Predicate<RowData> notNull =
                switch (type.getTypeRoot()) {
                    case BOOLEAN ->
                            exact(row -> row.getBoolean(position) ? 1 : 0, op, longs(literals));
                    case TINYINT -> exact(row -> row.getByte(position), op, longs(literals));
                    case SMALLINT -> exact(row -> row.getShort(position), op, longs(literals));
                    case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE ->
                            exact(row -> row.getInt(position), op, longs(literals));
                    case BIGINT -> exact(row -> row.getLong(position), op, longs(literals));
                    case FLOAT -> floats(position, op, literals);
                    case DOUBLE -> doubles(position, op, literals);
                    case BINARY, VARBINARY -> binaries(position, op, literals);
                    default -> objects(column, position, type, op, literals);
                };
        return row -> !row.isNullAt(position) && notNull.test(row);
    }

    private static long[] longs(List<Object> literals) {
        return literals.stream()
                .mapToLong(
                        literal ->
                                literal instanceof Boolean flag
                                        ? (flag ? 1 : 0)
                                        : ((Number) literal).longValue())
                .sorted()
                .toArray();
    }

    private static Predicate<RowData> exact(ToLongFunction<RowData> field, Op op, long[] literals) {
        if (literals.length != 1) {
            return row -> Arrays.binarySearch(literals, field.applyAsLong(row)) >= 0;
        }
        long literal = literals[0];
        return row -> holds(op, Long.compare(field.applyAsLong(row), literal));
    }

    private static Predicate<RowData> floats(int position, Op op, List<Object> literals) {
        double[] numbers = literals.stream().mapToDouble(l -> (Float) l).toArray();
        return row -> anyHolds(op, row.getFloat(position), numbers);
    }

    private static Predicate<RowData> doubles(int position, Op op, List<Object> literals) {
        double[] numbers = literals.stream().mapToDouble(l -> (Double) l).toArray();
        return row -> anyHolds(op, row.getDouble(position), numbers);
    }

    private static boolean anyHolds(Op op, double value, double[] literals) {
        for (double literal : literals) {
            boolean holds =
                    switch (op) {
                        case EQ -> value == literal;
                        case NE -> value != literal;
                        case LT -> value < literal;
                        case LE -> value <= literal;
                        case GT -> value > literal;
                        case GE -> value >= literal;
                    };
            if (holds) {
                return true;
            }
        }
        return false;
    }

    private static Predicate<RowData> binaries(int position, Op op, List<Object> literals) {
        return row -> {
            byte[] value = row.getBinary(position);
            for (Object literal : literals) {
                if (holds(op, Arrays.compareUnsigned(value, (byte[]) literal))) {
                    return true;
                }
            }
            return false;
        };
    }

    private static Predicate<RowData> objects(
            String column, int position, LogicalType type, Op op, List<Object> literals) {
        if (!KeyColumnEncoder.supports(type)) {
            throw new HotStoreException(
                    ErrorCode.UNSUPPORTED_TYPE,
                    "a filter compares column '"
                            + column
                            + "' of type "
                            + type.asSummaryString()
                            + ", which has no order");
        }
        RowData.FieldGetter getter = RowData.createFieldGetter(type, position);
        return row -> {
            Object value = getter.getFieldOrNull(row);
            for (Object literal : literals) {
                if (holds(op, compare(value, literal))) {
                    return true;
                }
            }
            return false;
        };
    }

    @SuppressWarnings("unchecked")
    private static int compare(Object value, Object literal) {
        return ((Comparable<Object>) value).compareTo(literal);
    }

    private static boolean holds(Op op, int order) {
        return switch (op) {
            case EQ -> order == 0;
            case NE -> order != 0;
            case LT -> order < 0;
            case LE -> order <= 0;
            case GT -> order > 0;
            case GE -> order >= 0;
        };
    }
}
