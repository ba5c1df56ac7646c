package io.thermocline.hotstore.local.keyindex;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * Value of a key: {@code format version (1 byte), 3 zero bytes, schema version (4), offset of the
 * last change (8), BinaryRowData bytes}, little-endian. The row starts at a multiple of 8.
 */
public final class StoredRow {

    static final byte VERSION = 1;

    private static final int SCHEMA_VERSION_AT = 4;
    private static final int OFFSET_AT = 8;
    private static final int HEADER_BYTES = 16;

    private StoredRow() {}

    /**
     * Encodes a value.
     *
     * @param schemaVersion version of the row's columns
     * @param offset of the change that made the row what it is
     */
    public static byte[] encode(int schemaVersion, long offset, BinaryRowData row) {
        byte[] value = new byte[HEADER_BYTES + row.getSizeInBytes()];
        row.getSegments()[0].get(row.getOffset(), value, HEADER_BYTES, row.getSizeInBytes());
        value[0] = VERSION;
        header(value).putInt(SCHEMA_VERSION_AT, schemaVersion).putLong(OFFSET_AT, offset);
        return value;
    }

    public static int schemaVersion(byte[] value) {
        return header(value).getInt(SCHEMA_VERSION_AT);
    }

    /** Offset of the last change. */
    public static long offset(byte[] value) {
        return header(value).getLong(OFFSET_AT);
    }

    /** Sets the offset of the last change in place. */
    public static void setOffset(byte[] value, long offset) {
        header(value).putLong(OFFSET_AT, offset);
    }

    /** The row as a view onto the value. */
    public static BinaryRowData row(byte[] value, int arity) {
        BinaryRowData row = new BinaryRowData(arity);
        MemorySegment segment = MemorySegmentFactory.wrap(value);
        row.pointTo(segment, HEADER_BYTES, value.length - HEADER_BYTES);
        return row;
    }

    /** Whether both values hold the same row, whatever change it comes from. */
    public static boolean isSameRow(byte[] left, byte[] right) {
        return java.util.Arrays.equals(
                        left, HEADER_BYTES, left.length, right, HEADER_BYTES, right.length)
                && schemaVersion(left) == schemaVersion(right);
    }

    private static ByteBuffer header(byte[] value) {
        return ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    }
}
