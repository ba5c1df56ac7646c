package io.thermocline.lake.iceberg;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.flink.RowDataWrapper;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Types;

/** What is true of every one of some keys, column by column, so that files need not be read. */
final class KeyBounds {

    /** Iceberg compares more values than that one by one with nothing but their bounds. */
    private static final int MAX_VALUES = 200;

    private final RowDataWrapper view;
    private final List<ColumnBounds> columns = new ArrayList<>();

    KeyBounds(Schema keySchema, RowType keyType) {
        this.view = new RowDataWrapper(keyType, keySchema.asStruct());
        keySchema.columns().forEach(column -> columns.add(new ColumnBounds(column)));
    }

    void add(RowData key) {
        view.wrap(key);
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).add(view.get(i, Object.class));
        }
    }

    /** True of every key that was added. */
    Expression expression() {
        Expression all = Expressions.alwaysTrue();
        for (ColumnBounds column : columns) {
            all = Expressions.and(all, column.expression());
        }
        return all;
    }

    /** The values of a column while they are few, afterwards the least and the greatest. */
    private static final class ColumnBounds {

        private final String name;
        private final TreeSet<Object> values;
        private boolean many;

        private ColumnBounds(Types.NestedField column) {
            this.name = column.name();
            Comparator<Object> order = Comparators.forType(column.type().asPrimitiveType());
            this.values = new TreeSet<>(order);
        }

        private void add(Object value) {
            Comparator<? super Object> order = values.comparator();
            if (many
                    && order.compare(values.first(), value) <= 0
                    && order.compare(value, values.last()) <= 0) {
                return;
            }
            values.add(value);
            if (many || values.size() > MAX_VALUES) {
                many = true;
                Object first = values.first();
                Object last = values.last();
                values.clear();
                values.add(first);
                values.add(last);
            }
        }

        private Expression expression() {
            if (values.isEmpty()) {
                return Expressions.alwaysTrue();
            }
            return many
                    ? Expressions.and(
                            Expressions.greaterThanOrEqual(name, values.first()),
                            Expressions.lessThanOrEqual(name, values.last()))
                    : Expressions.in(name, values);
        }
    }
}
