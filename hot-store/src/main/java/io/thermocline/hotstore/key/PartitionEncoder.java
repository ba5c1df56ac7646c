package io.thermocline.hotstore.key;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the partition of a row: for each partition column the byte 0 for NULL, or the byte 1 and
 * the column's key encoding. Equal partitions have equal bytes. Thread-safe.
 */
public final class PartitionEncoder {

    private static final int NULL = 0;
    private static final int NOT_NULL = 1;

    private final int[] positions;
    private final KeyColumnEncoder[] encoders;

    /**
     * @param rowType columns of the rows
     * @param partitionKeys names of the partition columns, all of them in {@code rowType}
     */
    public PartitionEncoder(RowType rowType, List<String> partitionKeys) {
        this.positions = partitionKeys.stream().mapToInt(rowType::getFieldIndex).toArray();
        this.encoders = new KeyColumnEncoder[positions.length];
        for (int i = 0; i < positions.length; i++) {
            encoders[i] =
                    KeyColumnEncoder.of(rowType.getTypeAt(positions[i]), partitionKeys.get(i));
        }
    }

    /** Encodes the partition of a row. */
    public byte[] encode(RowData row) {
        KeyOutput output = new KeyOutput(Long.BYTES * (positions.length + 1));
        for (int i = 0; i < positions.length; i++) {
            if (row.isNullAt(positions[i])) {
                output.writeByte(NULL);
            } else {
                output.writeByte(NOT_NULL);
                encoders[i].encode(row, positions[i], output);
            }
        }
        return output.toBytes();
    }

    /** The encoding of each column alone, as {@link KeyColumnEncoder} gives it; null for NULL. */
    public @Nullable byte[][] split(byte[] partition) {
        byte[][] values = new byte[positions.length][];
        int index = 0;
        for (int i = 0; i < positions.length; i++) {
            boolean isNull = partition[index++] == NULL;
            if (!isNull) {
                int end = encoders[i].skip(partition, index);
                values[i] = Arrays.copyOfRange(partition, index, end);
                index = end;
            }
        }
        return values;
    }
}
