package io.thermocline.hotstore.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.jspecify.annotations.Nullable;

/**
 * Rows that hold the lowest and the highest value of a column, in the order of its key encoding.
 *
 * @param minRow a row with the lowest value
 * @param maxRow a row with the highest value
 */
record ColumnExtremes(int minRow, int maxRow) {

    /**
     * Finds them.
     *
     * @param rowCount number of rows, of which at least one is not null
     * @return null for a type without an order
     */
    static @Nullable ColumnExtremes of(LogicalType type, FieldVector vector, int rowCount) {
        if (vector.getNullCount() == 0) {
            ColumnExtremes found = ofPlain(type, vector, rowCount);
            if (found != null) {
                return found;
            }
        }
        return ofAny(type, vector, rowCount);
    }

    /** Without nulls, of types that are an array of numbers: no call per value. */
    private static @Nullable ColumnExtremes ofPlain(
            LogicalType type, FieldVector vector, int rowCount) {
        return switch (type.getTypeRoot()) {
            case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE ->
                    ints(values(vector, rowCount * Integer.BYTES).asIntBuffer(), rowCount);
            case BIGINT -> longs(values(vector, rowCount * Long.BYTES).asLongBuffer(), rowCount);
            case DOUBLE ->
                    doubles(values(vector, rowCount * Double.BYTES).asDoubleBuffer(), rowCount);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    LogicalTypeChecks.getPrecision(type) <= ColumnOrder.MAX_FLAT_TIMESTAMP_PRECISION
                            ? longs(values(vector, rowCount * Long.BYTES).asLongBuffer(), rowCount)
                            : null;
            default -> null;
        };
    }

    private static ByteBuffer values(FieldVector vector, int bytes) {
        return vector.getDataBuffer().nioBuffer(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ColumnExtremes ints(IntBuffer values, int count) {
        int min = values.get(0);
        int max = min;
        for (int row = 1; row < count; row++) {
            int value = values.get(row);
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        int minRow = 0;
        while (values.get(minRow) != min) {
            minRow++;
        }
        int maxRow = 0;
        while (values.get(maxRow) != max) {
            maxRow++;
        }
        return new ColumnExtremes(minRow, maxRow);
    }

    private static ColumnExtremes longs(LongBuffer values, int count) {
        long min = values.get(0);
        long max = min;
        for (int row = 1; row < count; row++) {
            long value = values.get(row);
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        int minRow = 0;
        while (values.get(minRow) != min) {
            minRow++;
        }
        int maxRow = 0;
        while (values.get(maxRow) != max) {
            maxRow++;
        }
        return new ColumnExtremes(minRow, maxRow);
    }

    /** Null if there is a NaN, which is not compared as numbers are. */
    private static @Nullable ColumnExtremes doubles(DoubleBuffer values, int count) {
        int minRow = 0;
        int maxRow = 0;
        double min = values.get(0);
        double max = min;
        for (int row = 0; row < count; row++) {
            double value = values.get(row);
            if (value < min) {
                min = value;
                minRow = row;
            } else if (value > max) {
                max = value;
                maxRow = row;
            } else if (Double.isNaN(value)) {
                return null;
            }
        }
        return new ColumnExtremes(minRow, maxRow);
    }

    private static @Nullable ColumnExtremes ofAny(
            LogicalType type, FieldVector vector, int rowCount) {
        ColumnOrder order = ColumnOrder.of(type, vector);
        if (order == null) {
            return null;
        }
        int minRow = -1;
        int maxRow = -1;
        boolean hasNulls = vector.getNullCount() > 0;
        ArrowBuf validity = vector.getValidityBuffer();
        for (int row = 0; row < rowCount; row++) {
            if (hasNulls && (validity.getByte(row >> 3) & (1 << (row & 7))) == 0) {
                continue;
            }
            if (minRow < 0) {
                minRow = row;
                maxRow = row;
            } else if (order.compare(row, minRow) < 0) {
                minRow = row;
            } else if (order.compare(row, maxRow) > 0) {
                maxRow = row;
            }
        }
        return new ColumnExtremes(minRow, maxRow);
    }
}
