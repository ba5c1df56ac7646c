package io.thermocline.source;

import io.thermocline.unionread.LogicalTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * A source that takes filters. They are only used to read less: all of them are also given back to
 * the planner, because a source cannot know whether it will be scanned or looked up.
 *
 * <p>Flink's planner turns every predicate of a query into the form that a source gets and back,
 * whether the source uses it or not. In that, CHAR literals lose their trailing spaces and TIME
 * literals their fraction of a second, so that the query itself is another one afterwards. Tables
 * with such columns must not take filters.
 */
final class FilteringTableSource extends ThermoclineTableSource implements SupportsFilterPushDown {

    FilteringTableSource(
            LogicalTable table, DataType physicalRowType, ReadableConfig options, boolean batch) {
        super(table, physicalRowType, options, batch);
    }

    /** Whether literals of the type, and of all types in it, survive the planner's conversion. */
    static boolean keepsLiterals(LogicalType type) {
        return !type.is(LogicalTypeRoot.CHAR)
                && !type.is(LogicalTypeRoot.TIME_WITHOUT_TIME_ZONE)
                && type.getChildren().stream().allMatch(FilteringTableSource::keepsLiterals);
    }

    @Override
    public Result applyFilters(List<ResolvedExpression> conjuncts) {
        filters(conjuncts);
        return Result.of(new ArrayList<>(conjuncts), new ArrayList<>(conjuncts));
    }
}
