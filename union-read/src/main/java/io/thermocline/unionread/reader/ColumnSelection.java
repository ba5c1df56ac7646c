package io.thermocline.unionread.reader;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * Which columns are read to hand out the wanted ones: the wanted ones first, then those that are
 * only needed on the way (keys).
 */
final class ColumnSelection {

    private final List<String> readColumns;
    private final RowType readType;
    private final RowType wantedType;
    private final int[] wantedPositions;

    private ColumnSelection(RowType table, List<String> wanted, List<String> readColumns) {
        this.readColumns = readColumns;
        this.readType = typeOf(table, readColumns);
        this.wantedType = typeOf(table, wanted);
        this.wantedPositions = wanted.stream().mapToInt(readColumns::indexOf).toArray();
    }

    /**
     * @param table all columns
     * @param wanted columns to hand out, in order
     * @param needed columns that must be read, too
     */
    static ColumnSelection of(RowType table, List<String> wanted, Collection<String> needed) {
        LinkedHashSet<String> read = new LinkedHashSet<>(wanted);
        read.addAll(needed);
        return new ColumnSelection(table, wanted, List.copyOf(read));
    }

    List<String> readColumns() {
        return readColumns;
    }

    RowType readType() {
        return readType;
    }

    RowType wantedType() {
        return wantedType;
    }

    /** A read row, reduced to the wanted columns; a view. */
    RowData select(RowData row) {
        if (wantedPositions.length == readColumns.size()) {
            return row;
        }
        return ProjectedRowData.from(wantedPositions).replaceRow(row);
    }

    private static RowType typeOf(RowType table, List<String> names) {
        List<RowType.RowField> fields = new ArrayList<>();
        for (String name : names) {
            int index = table.getFieldIndex(name);
            if (index < 0) {
                throw new IllegalArgumentException(
                        "no column '" + name + "' among " + table.getFieldNames());
            }
            fields.add(table.getFields().get(index));
        }
        return new RowType(fields);
    }
}
