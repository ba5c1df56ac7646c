package io.thermocline.source.lookup;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.key.KeyEncoder;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.ValidationException;

/**
 * How the columns of a lookup are used: the longest possible prefix of the key selects rows in the
 * index, the other columns filter what was found.
 *
 * @param columns lookup columns in the order of the key rows
 * @param prefixLength number of key columns, in index order, that select
 * @param wholeKey whether the prefix is the whole primary key: at most one row each
 * @param filterColumns lookup columns beyond the prefix
 */
record LookupKeys(
        List<String> columns, int prefixLength, boolean wholeKey, List<String> filterColumns)
        implements Serializable {

    LookupKeys {
        columns = List.copyOf(columns);
        filterColumns = List.copyOf(filterColumns);
    }

    /**
     * @param spec the table
     * @param columns columns compared for equality, in the order of the key rows
     * @throws ValidationException if they do not start a prefix of the key
     */
    static LookupKeys of(HotTableSpec spec, List<String> columns) {
        if (!spec.hasPrimaryKey()) {
            throw new ValidationException(
                    "Cannot look up rows of log table "
                            + spec.path().getFullName()
                            + " by "
                            + columns
                            + ": it has no primary key and so no index. Join it as a stream, or"
                            + " create the table with a primary key.");
        }
        List<String> order = KeyEncoder.keyOrder(spec);
        int length = 0;
        while (length < order.size() && columns.contains(order.get(length))) {
            length++;
        }
        if (length == 0) {
            throw new ValidationException(
                    "Cannot look up rows of table "
                            + spec.path().getFullName()
                            + " by "
                            + columns
                            + ": the equality conditions of a lookup join must cover a prefix of its"
                            + " key, one of "
                            + prefixes(order)
                            + " (further columns only filter). Both sides must have the same type.");
        }
        List<String> filters = new ArrayList<>(columns);
        filters.removeAll(order.subList(0, length));
        return new LookupKeys(columns, length, length == order.size(), filters);
    }

    private static List<List<String>> prefixes(List<String> order) {
        List<List<String>> prefixes = new ArrayList<>();
        for (int length = 1; length <= order.size(); length++) {
            prefixes.add(order.subList(0, length));
        }
        return prefixes;
    }
}
