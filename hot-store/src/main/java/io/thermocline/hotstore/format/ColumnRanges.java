package io.thermocline.hotstore.format;

import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.filter.ZoneMap.ColumnRange;
import io.thermocline.hotstore.key.KeyColumnEncoder;
import io.thermocline.hotstore.key.PartitionEncoder;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.apache.arrow.vector.FieldVector;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/** Finds the value ranges and partitions of a batch. */
final class ColumnRanges {

    /** More bytes of a value than any bound keeps. */
    private static final int VALUE_PREFIX_BYTES = 2 * FrameFormat.MAX_BOUND_BYTES;

    private ColumnRanges() {}

    /** The range of a column. */
    static ColumnRange of(RowBatch rows, int column) {
        FieldVector vector = rows.vectors().getVector(column);
        LogicalType type = rows.rowType().getTypeAt(column);
        int nullCount = vector.getNullCount();
        if (nullCount == rows.rowCount()) {
            return ColumnRange.unbounded(nullCount);
        }
        ColumnExtremes extremes = ColumnExtremes.of(type, vector, rows.rowCount());
        if (extremes == null) {
            return ColumnRange.unbounded(nullCount);
        }
        int minRow = extremes.minRow();
        int maxRow = extremes.maxRow();
        byte[] min = encode(rows.row(minRow), column, type);
        byte[] max = minRow == maxRow ? min : encode(rows.row(maxRow), column, type);
        boolean exact =
                min.length <= FrameFormat.MAX_BOUND_BYTES
                        && max.length <= FrameFormat.MAX_BOUND_BYTES;
        return new ColumnRange(nullCount, shortenedDown(min), shortenedUp(max), exact);
    }

    private static byte[] encode(RowData row, int column, LogicalType type) {
        KeyColumnEncoder encoder = KeyColumnEncoder.of(type, "");
        return switch (type.getTypeRoot()) {
            case CHAR, VARCHAR -> {
                byte[] value = prefix(row.getString(column).toBytes());
                yield encoder.encodeField(GenericRowData.of(StringData.fromBytes(value)), 0);
            }
            case BINARY, VARBINARY ->
                    encoder.encodeField(GenericRowData.of(prefix(row.getBinary(column))), 0);
            default -> encoder.encodeField(row, column);
        };
    }

    private static byte[] prefix(byte[] value) {
        return value.length <= VALUE_PREFIX_BYTES
                ? value
                : Arrays.copyOf(value, VALUE_PREFIX_BYTES);
    }

    /** A prefix is not above the whole. */
    private static byte[] shortenedDown(byte[] bound) {
        return bound.length <= FrameFormat.MAX_BOUND_BYTES
                ? bound
                : Arrays.copyOf(bound, FrameFormat.MAX_BOUND_BYTES);
    }

    /** The smallest byte string above everything that starts with the prefix; null if none is. */
    static byte @Nullable [] shortenedUp(byte[] bound) {
        if (bound.length <= FrameFormat.MAX_BOUND_BYTES) {
            return bound;
        }
        int length = FrameFormat.MAX_BOUND_BYTES;
        while (length > 0 && bound[length - 1] == (byte) 0xFF) {
            length--;
        }
        if (length == 0) {
            return null;
        }
        byte[] above = Arrays.copyOf(bound, length);
        above[length - 1]++;
        return above;
    }

    /** The partitions of the rows in byte order; null if they are too many to list. */
    static @Nullable List<byte[]> partitions(RowBatch rows, PartitionEncoder encoder) {
        TreeSet<byte[]> partitions = new TreeSet<>(Arrays::compareUnsigned);
        int bytes = 0;
        byte[] previous = null;
        for (int row = 0; row < rows.rowCount(); row++) {
            byte[] partition = encoder.encode(rows.row(row));
            // Rows of one partition tend to come together.
            if (Arrays.equals(partition, previous)) {
                continue;
            }
            previous = partition;
            if (partitions.add(partition)) {
                bytes += partition.length;
                if (partitions.size() > FrameFormat.MAX_LISTED_PARTITIONS
                        || bytes > FrameFormat.MAX_PARTITION_BYTES) {
                    return null;
                }
            }
        }
        return List.copyOf(partitions);
    }
}
