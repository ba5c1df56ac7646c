package io.thermocline.benchmarks.flink;

import io.thermocline.benchmarks.driver.BenchRow;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;

/** The benchmarks' rows as Flink's rows. */
public final class BenchRows {

    /** Last character of every text, which reading touches. */
    private static final int LAST_CHARACTER = 15;

    private BenchRows() {}

    /** Columns of a shape; those of the primary key are NOT NULL. */
    public static RowType rowType(Shape shape, TableKey key) {
        List<RowType.RowField> fields = new ArrayList<>();
        for (int column = 0; column < shape.columnCount(); column++) {
            boolean nullable = !key.columns().contains(column);
            fields.add(new RowType.RowField(shape.name(column), type(shape, column, nullable)));
        }
        return new RowType(false, fields);
    }

    private static LogicalType type(Shape shape, int column, boolean nullable) {
        return switch (shape.kind(column)) {
            case INT -> new IntType(nullable);
            case BIGINT -> new BigIntType(nullable);
            case DOUBLE -> new DoubleType(nullable);
            case STRING -> new VarCharType(nullable, VarCharType.MAX_LENGTH);
        };
    }

    /** A new row with the values of {@code row}. */
    public static GenericRowData toRowData(Shape shape, BenchRow row) {
        GenericRowData result = new GenericRowData(shape.columnCount());
        for (int column = 0; column < shape.columnCount(); column++) {
            result.setField(
                    column,
                    switch (shape.kind(column)) {
                        case INT -> (Object) (int) row.integer(column);
                        case BIGINT -> (Object) row.integer(column);
                        case DOUBLE -> (Object) row.real(column);
                        case STRING -> StringData.fromBytes(row.text(column));
                    });
        }
        return result;
    }

    /**
     * Touches every value of a row.
     *
     * @param columns columns of the shape that the row has, in its order
     * @return their sum, as every system's reader makes it
     */
    public static long touch(Shape shape, int[] columns, RowData row) {
        long sum = 0;
        for (int i = 0; i < columns.length; i++) {
            sum +=
                    switch (shape.kind(columns[i])) {
                        case INT -> row.getInt(i);
                        case BIGINT -> row.getLong(i);
                        case DOUBLE -> (long) row.getDouble(i);
                        case STRING ->
                                ((org.apache.flink.table.data.binary.BinaryStringData)
                                                row.getString(i))
                                        .byteAt(LAST_CHARACTER);
                    };
        }
        return sum;
    }
}
