package io.thermocline.benchmarks.fluss;

import io.thermocline.benchmarks.driver.BenchRow;
import io.thermocline.benchmarks.driver.Shape;
import org.apache.fluss.row.BinaryString;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.row.InternalRow;

/** The benchmarks' rows as Fluss's rows. */
final class FlussRows {

    private static final int LAST_CHARACTER = 15;

    private FlussRows() {}

    static GenericRow of(Shape shape, BenchRow row) {
        GenericRow result = new GenericRow(shape.columnCount());
        for (int column = 0; column < shape.columnCount(); column++) {
            result.setField(
                    column,
                    switch (shape.kind(column)) {
                        case INT -> (Object) (int) row.integer(column);
                        case BIGINT -> (Object) row.integer(column);
                        case DOUBLE -> (Object) row.real(column);
                        case STRING -> BinaryString.fromBytes(row.text(column));
                    });
        }
        return result;
    }

    /** Sum over the values of a row that has the columns. */
    static long touch(Shape shape, int[] columns, InternalRow row) {
        long sum = 0;
        for (int i = 0; i < columns.length; i++) {
            sum +=
                    switch (shape.kind(columns[i])) {
                        case INT -> row.getInt(i);
                        case BIGINT -> row.getLong(i);
                        case DOUBLE -> (long) row.getDouble(i);
                        case STRING -> row.getString(i).byteAt(LAST_CHARACTER);
                    };
        }
        return sum;
    }
}
