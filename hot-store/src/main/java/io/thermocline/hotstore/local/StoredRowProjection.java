package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.local.keyindex.StoredRow;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.types.logical.RowType;

/** The wanted columns of rows of the key index. Thread-safe. */
final class StoredRowProjection {

    private final HotTableSpec spec;
    private final List<String> columns;
    private final RowType rowType;
    private final int[] positions;
    private final boolean wholeRow;

    private StoredRowProjection(HotTableSpec spec, List<String> columns, int[] positions) {
        this.spec = spec;
        this.columns = List.copyOf(columns);
        this.positions = positions;
        List<RowType.RowField> fields = new ArrayList<>();
        boolean inOrder = positions.length == spec.rowType().getFieldCount();
        for (int i = 0; i < positions.length; i++) {
            fields.add(spec.rowType().getFields().get(positions[i]));
            inOrder &= positions[i] == i;
        }
        this.rowType = new RowType(false, fields);
        this.wholeRow = inOrder;
    }

    /**
     * @throws HotStoreException {@code INVALID_ARGUMENT} for a column that the table does not have
     */
    static StoredRowProjection of(HotTableSpec spec, List<String> columns) {
        int[] positions = new int[columns.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = spec.rowType().getFieldIndex(columns.get(i));
            if (positions[i] < 0) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "table "
                                + spec.path()
                                + " has no column '"
                                + columns.get(i)
                                + "'; its columns are "
                                + spec.rowType().getFieldNames());
            }
        }
        return new StoredRowProjection(spec, columns, positions);
    }

    /** Names of the columns, in the order wanted. */
    List<String> columns() {
        return columns;
    }

    /** Columns of the projected rows. */
    RowType rowType() {
        return rowType;
    }

    /** The row of a value, as a view onto it. */
    RowData project(byte[] value) {
        BinaryRowData row = StoredRow.row(value, spec.rowType().getFieldCount());
        return wholeRow ? row : ProjectedRowData.from(positions).replaceRow(row);
    }
}
