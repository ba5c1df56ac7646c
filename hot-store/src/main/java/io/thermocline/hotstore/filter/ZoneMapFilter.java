package io.thermocline.hotstore.filter;

import io.thermocline.hotstore.filter.RowPredicate.And;
import io.thermocline.hotstore.filter.RowPredicate.Compare;
import io.thermocline.hotstore.filter.RowPredicate.In;
import io.thermocline.hotstore.filter.RowPredicate.IsNull;
import io.thermocline.hotstore.filter.RowPredicate.Op;
import io.thermocline.hotstore.filter.RowPredicate.Or;
import io.thermocline.hotstore.filter.ZoneMap.ColumnRange;
import io.thermocline.hotstore.key.KeyColumnEncoder;
import io.thermocline.hotstore.key.PartitionEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/**
 * Decides from a zone map whether a row of a frame group may match a predicate. Answers "yes"
 * whenever it does not know. Thread-safe.
 *
 * <p>Predicates have no NOT, so "may be TRUE" of a conjunction or disjunction follows from its
 * children alone; NULL counts as not TRUE everywhere.
 */
public final class ZoneMapFilter {

    private final Node root;
    private final int[] partitionPositions;
    private final PartitionEncoder partitionEncoder;

    private ZoneMapFilter(Node root, RowType groupType, List<String> partitionKeys) {
        this.root = root;
        this.partitionPositions =
                partitionKeys.stream().mapToInt(groupType::getFieldIndex).toArray();
        this.partitionEncoder = new PartitionEncoder(groupType, partitionKeys);
    }

    /**
     * Prepares a predicate for the groups of one schema version.
     *
     * @param tableType columns of the table now; the predicate's literals have these types
     * @param groupType columns of the groups' schema version; one that is missing is NULL in every
     *     row
     * @param partitionKeys names of the table's partition columns
     * @throws io.thermocline.hotstore.HotStoreException {@code INVALID_ARGUMENT} for a column that
     *     the table does not have, or a literal of another type than its column
     */
    public static ZoneMapFilter of(
            RowPredicate predicate,
            RowType tableType,
            RowType groupType,
            List<String> partitionKeys) {
        Node root = new Binder(tableType, groupType).bind(predicate);
        return new ZoneMapFilter(root, groupType, partitionKeys);
    }

    /** Whether a row of the group may match. False means: none does. */
    public boolean mayMatch(ZoneMap zoneMap) {
        if (zoneMap.recordCount() == 0) {
            return false;
        }
        List<byte[]> partitions = zoneMap.partitions();
        if (partitions == null || partitionPositions.length == 0) {
            return root.mayMatch(zoneMap.columns(), zoneMap.recordCount());
        }
        List<ColumnRange> ranges = new ArrayList<>(zoneMap.columns());
        for (byte[] partition : partitions) {
            byte[][] values = partitionEncoder.split(partition);
            for (int i = 0; i < values.length; i++) {
                int nullCount = values[i] == null ? zoneMap.recordCount() : 0;
                ranges.set(
                        partitionPositions[i],
                        new ColumnRange(nullCount, values[i], values[i], values[i] != null));
            }
            if (root.mayMatch(ranges, zoneMap.recordCount())) {
                return true;
            }
        }
        return false;
    }

    private interface Node {
        boolean mayMatch(List<ColumnRange> ranges, int recordCount);
    }

    private record Binder(RowType tableType, RowType groupType) {

        Node bind(RowPredicate predicate) {
            if (predicate instanceof And and) {
                List<Node> children = and.children().stream().map(this::bind).toList();
                return (ranges, count) -> {
                    for (Node child : children) {
                        if (!child.mayMatch(ranges, count)) {
                            return false;
                        }
                    }
                    return true;
                };
            }
            if (predicate instanceof Or or) {
                List<Node> children = or.children().stream().map(this::bind).toList();
                return (ranges, count) -> {
                    for (Node child : children) {
                        if (child.mayMatch(ranges, count)) {
                            return true;
                        }
                    }
                    return false;
                };
            }
            if (predicate instanceof IsNull isNull) {
                return bindIsNull(isNull);
            }
            if (predicate instanceof In in) {
                return bindComparison(in.column(), Op.EQ, in.literals());
            }
            Compare compare = (Compare) predicate;
            return bindComparison(compare.column(), compare.op(), List.of(compare.literal()));
        }

        private Node bindIsNull(IsNull isNull) {
            PredicateColumns.position(tableType, isNull.column());
            int position = groupType.getFieldIndex(isNull.column());
            if (position < 0) {
                return (ranges, count) -> !isNull.negated();
            }
            return isNull.negated()
                    ? (ranges, count) -> ranges.get(position).nullCount() < count
                    : (ranges, count) -> ranges.get(position).nullCount() > 0;
        }

        private Node bindComparison(String column, Op op, List<Object> literals) {
            LogicalType type = tableType.getTypeAt(PredicateColumns.position(tableType, column));
            PredicateColumns.checkLiterals(column, type, literals);
            int position = groupType.getFieldIndex(column);
            if (position < 0) {
                return (ranges, count) -> false;
            }
            if (!type.copy(true).equals(groupType.getTypeAt(position).copy(true))
                    || !KeyColumnEncoder.supports(type)) {
                return (ranges, count) -> ranges.get(position).nullCount() < count;
            }
            KeyColumnEncoder encoder = KeyColumnEncoder.of(type, column);
            List<Bound> bounds = new ArrayList<>(literals.size());
            for (Object literal : literals) {
                bounds.add(new Bound(op, encoder.encodeValue(literal), isNaN(literal)));
            }
            return (ranges, count) -> {
                ColumnRange range = ranges.get(position);
                return range.nullCount() < count && anyMayMatch(bounds, range);
            };
        }

        private static boolean anyMayMatch(List<Bound> bounds, ColumnRange range) {
            for (Bound bound : bounds) {
                if (bound.mayMatch(range)) {
                    return true;
                }
            }
            return false;
        }

        private static boolean isNaN(Object literal) {
            return (literal instanceof Double number && number.isNaN())
                    || (literal instanceof Float real && real.isNaN());
        }
    }

    /** A comparison with an encoded literal. */
    private record Bound(Op op, byte[] literal, boolean isNaN) {

        boolean mayMatch(ColumnRange range) {
            return switch (op) {
                case EQ -> atMost(range.min(), 0) && atLeast(range.max(), 0);
                case LT -> atMost(range.min(), -1);
                case LE -> atMost(range.min(), 0);
                case GT -> atLeast(range.max(), 1);
                case GE -> atLeast(range.max(), 0);
                // NaN <> NaN holds, although both have one encoding.
                case NE ->
                        isNaN
                                || !range.exact()
                                || !Arrays.equals(range.min(), literal)
                                || !Arrays.equals(range.max(), literal);
            };
        }

        private boolean atMost(byte @Nullable [] bound, int order) {
            return bound == null || Integer.signum(Arrays.compareUnsigned(bound, literal)) <= order;
        }

        private boolean atLeast(byte @Nullable [] bound, int order) {
            return bound == null || Integer.signum(Arrays.compareUnsigned(bound, literal)) >= order;
        }
    }
}
