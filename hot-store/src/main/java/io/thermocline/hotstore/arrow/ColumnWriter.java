package io.thermocline.hotstore.arrow;

import org.apache.flink.table.data.RowData;

/**
 * Copies values of one column into a vector. Indexes grow by one; an index may be written again
 * after a row that failed half-way.
 */
abstract class ColumnWriter {

    /** Writes field {@code pos} of {@code source} at {@code index}. */
    final void write(RowData source, int pos, int index) {
        if (source.isNullAt(pos)) {
            writeNull(index);
        } else {
            writeValue(source, pos, index);
        }
    }

    abstract void writeNull(int index);

    /** The field is not null. */
    abstract void writeValue(RowData source, int pos, int index);

    /** Bytes of one value, without those that {@link #variableBytes} counts. */
    abstract long fixedBytes();

    /** Bytes of variable length that were written since this writer was made. */
    long variableBytes() {
        return 0;
    }
}
