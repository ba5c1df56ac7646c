package io.thermocline.source.lookup;

import io.thermocline.unionread.LogicalTable;
import java.io.Serializable;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.RowType;

/**
 * What the lookup functions of a query need; travels in job graphs.
 *
 * @param table the table
 * @param keys lookup columns and their use
 * @param producedType columns of the rows found
 */
public record LookupSpec(LogicalTable table, LookupKeys keys, RowType producedType)
        implements Serializable {

    /**
     * @param table the table
     * @param producedType columns of the rows wanted
     * @param keyPaths lookup columns as paths into {@code producedType}
     * @throws ValidationException if the table cannot be looked up by them
     */
    public static LookupSpec of(LogicalTable table, RowType producedType, int[][] keyPaths) {
        String[] columns = new String[keyPaths.length];
        for (int i = 0; i < keyPaths.length; i++) {
            if (keyPaths[i].length != 1) {
                throw new ValidationException(
                        "Cannot look up rows of table "
                                + table.spec().path().getFullName()
                                + " by a field within column '"
                                + producedType.getFieldNames().get(keyPaths[i][0])
                                + "': only whole columns can be lookup keys.");
            }
            columns[i] = producedType.getFieldNames().get(keyPaths[i][0]);
        }
        return new LookupSpec(table, LookupKeys.of(table.spec(), List.of(columns)), producedType);
    }

    IndexLookup newLookup() {
        return new IndexLookup(table, keys, producedType.getFieldNames(), producedType);
    }
}
