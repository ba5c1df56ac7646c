package io.thermocline.hotstore.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.jspecify.annotations.Nullable;

/**
 * Compares two rows by one column, in the order of the column's key encoding, without decoding or
 * allocating. Neither row is null.
 */
interface ColumnOrder {

    int DECIMAL_BYTES = 16;
    int MAX_FLAT_TIMESTAMP_PRECISION = 6;

    int compare(int left, int right);

    /** The order of a type; null if it has none. */
    static @Nullable ColumnOrder of(LogicalType type, FieldVector vector) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> booleans(vector.getDataBuffer());
            case TINYINT -> bytes(vector.getDataBuffer());
            case SMALLINT -> shorts(vector.getDataBuffer());
            case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE -> ints(vector.getDataBuffer());
            case BIGINT -> longs(vector.getDataBuffer());
            case FLOAT -> floats(vector.getDataBuffer());
            case DOUBLE -> doubles(vector.getDataBuffer());
            case DECIMAL -> decimals((DecimalType) type, vector.getDataBuffer());
            case CHAR, VARCHAR, BINARY, VARBINARY ->
                    strings(vector.getOffsetBuffer(), vector.getDataBuffer());
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    LogicalTypeChecks.getPrecision(type) <= MAX_FLAT_TIMESTAMP_PRECISION
                            ? longs(vector.getDataBuffer())
                            : nanos(vector.getChildrenFromFields());
            default -> null;
        };
    }

    private static ColumnOrder booleans(ArrowBuf data) {
        return (left, right) -> Integer.compare(bit(data, left), bit(data, right));
    }

    private static int bit(ArrowBuf data, int row) {
        return (data.getByte(row >> 3) >> (row & 7)) & 1;
    }

    private static ColumnOrder bytes(ArrowBuf data) {
        return (left, right) -> Byte.compare(data.getByte(left), data.getByte(right));
    }

    private static ColumnOrder shorts(ArrowBuf data) {
        return (left, right) ->
                Short.compare(
                        data.getShort((long) left * Short.BYTES),
                        data.getShort((long) right * Short.BYTES));
    }

    private static ColumnOrder ints(ArrowBuf data) {
        return (left, right) ->
                Integer.compare(
                        data.getInt((long) left * Integer.BYTES),
                        data.getInt((long) right * Integer.BYTES));
    }

    private static ColumnOrder longs(ArrowBuf data) {
        return (left, right) ->
                Long.compare(
                        data.getLong((long) left * Long.BYTES),
                        data.getLong((long) right * Long.BYTES));
    }

    // Adding zero turns -0.0 into 0.0; compare puts NaN above infinity.

    private static ColumnOrder floats(ArrowBuf data) {
        return (left, right) ->
                Float.compare(
                        data.getFloat((long) left * Float.BYTES) + 0.0f,
                        data.getFloat((long) right * Float.BYTES) + 0.0f);
    }

    private static ColumnOrder doubles(ArrowBuf data) {
        return (left, right) ->
                Double.compare(
                        data.getDouble((long) left * Double.BYTES) + 0.0,
                        data.getDouble((long) right * Double.BYTES) + 0.0);
    }

    private static ColumnOrder decimals(DecimalType type, ArrowBuf data) {
        if (DecimalData.isCompact(type.getPrecision())) {
            return (left, right) ->
                    Long.compare(
                            data.getLong((long) left * DECIMAL_BYTES),
                            data.getLong((long) right * DECIMAL_BYTES));
        }
        return (left, right) -> {
            long leftStart = (long) left * DECIMAL_BYTES;
            long rightStart = (long) right * DECIMAL_BYTES;
            int high =
                    Long.compare(
                            data.getLong(leftStart + Long.BYTES),
                            data.getLong(rightStart + Long.BYTES));
            return high != 0
                    ? high
                    : Long.compareUnsigned(data.getLong(leftStart), data.getLong(rightStart));
        };
    }

    private static ColumnOrder strings(ArrowBuf offsets, ArrowBuf data) {
        ByteBuffer starts = all(offsets).order(ByteOrder.LITTLE_ENDIAN);
        // Big-endian words compare as their bytes do.
        ByteBuffer bytes = all(data).order(ByteOrder.BIG_ENDIAN);
        return (left, right) -> {
            int leftStart = starts.getInt(left * Integer.BYTES);
            int rightStart = starts.getInt(right * Integer.BYTES);
            int leftLength = starts.getInt((left + 1) * Integer.BYTES) - leftStart;
            int rightLength = starts.getInt((right + 1) * Integer.BYTES) - rightStart;
            int common = Math.min(leftLength, rightLength);
            int at = 0;
            for (; at + Long.BYTES <= common; at += Long.BYTES) {
                long leftWord = bytes.getLong(leftStart + at);
                long rightWord = bytes.getLong(rightStart + at);
                if (leftWord != rightWord) {
                    return Long.compareUnsigned(leftWord, rightWord);
                }
            }
            for (; at < common; at++) {
                int order =
                        Byte.compareUnsigned(bytes.get(leftStart + at), bytes.get(rightStart + at));
                if (order != 0) {
                    return order;
                }
            }
            return Integer.compare(leftLength, rightLength);
        };
    }

    private static ByteBuffer all(ArrowBuf buffer) {
        return buffer.nioBuffer(0, Math.toIntExact(buffer.capacity()));
    }

    private static ColumnOrder nanos(List<FieldVector> children) {
        ColumnOrder millis = longs(children.get(0).getDataBuffer());
        ColumnOrder nanos = ints(children.get(1).getDataBuffer());
        return (left, right) -> {
            int order = millis.compare(left, right);
            return order != 0 ? order : nanos.compare(left, right);
        };
    }
}
