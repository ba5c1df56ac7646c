package io.thermocline.hotstore.filter;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.List;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeUtils;

/** Finds the columns of predicates and checks their literals. */
final class PredicateColumns {

    private PredicateColumns() {}

    static int position(RowType rowType, String column) {
        int position = rowType.getFieldIndex(column);
        if (position < 0) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a filter names column '"
                            + column
                            + "', which is not one of "
                            + rowType.getFieldNames());
        }
        return position;
    }

    static void checkLiterals(String column, LogicalType type, List<Object> literals) {
        Class<?> expected = LogicalTypeUtils.toInternalConversionClass(type);
        for (Object literal : literals) {
            if (!expected.isInstance(literal)) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "a filter on column '"
                                + column
                                + "' of type "
                                + type.asSummaryString()
                                + " needs a literal of class "
                                + expected.getName()
                                + ", not "
                                + (literal == null ? "null" : literal.getClass().getName()));
            }
        }
    }
}
