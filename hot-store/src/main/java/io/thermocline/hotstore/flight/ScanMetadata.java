package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.LakeMark;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Application metadata of a message on a scan stream, little-endian: i64 next offset, then, if the
 * message has rows: i64 base offset, i32 number of runs, and per run of equal commit timestamps i32
 * rows, i64 milliseconds; then, if the rows were taken from the lake: i64 snapshot id, i64
 * sequence.
 *
 * @param nextOffset the reader's position after this message
 * @param baseOffset offset of the first row; -1 without rows
 * @param commitTimestamps one per row
 * @param mark of the rows; null if they have none
 */
record ScanMetadata(
        long nextOffset, long baseOffset, long[] commitTimestamps, @Nullable LakeMark mark) {

    private static final long[] NO_ROWS = {};
    private static final int RUN_BYTES = Integer.BYTES + Long.BYTES;
    private static final int MARK_BYTES = 3 * Long.BYTES;

    static ScanMetadata position(long nextOffset) {
        return new ScanMetadata(nextOffset, -1, NO_ROWS, null);
    }

    ArrowBuf write(BufferAllocator allocator) {
        return WireBuffers.copy(allocator, toBytes());
    }

    byte[] toBytes() {
        if (commitTimestamps.length == 0) {
            return little(Long.BYTES).putLong(nextOffset).array();
        }
        int runs = 1;
        for (int i = 1; i < commitTimestamps.length; i++) {
            runs += commitTimestamps[i] == commitTimestamps[i - 1] ? 0 : 1;
        }
        ByteBuffer out =
                little(
                        2 * Long.BYTES
                                + Integer.BYTES
                                + runs * RUN_BYTES
                                + (mark == null ? 0 : MARK_BYTES));
        out.putLong(nextOffset).putLong(baseOffset).putInt(runs);
        int start = 0;
        for (int i = 1; i <= commitTimestamps.length; i++) {
            if (i == commitTimestamps.length || commitTimestamps[i] != commitTimestamps[start]) {
                out.putInt(i - start).putLong(commitTimestamps[start]);
                start = i;
            }
        }
        if (mark != null) {
            out.putLong(mark.snapshotId()).putLong(mark.sequence()).putLong(mark.commitMillis());
        }
        return out.array();
    }

    static ScanMetadata read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long nextOffset = in.getLong();
        if (!in.hasRemaining()) {
            return position(nextOffset);
        }
        long baseOffset = in.getLong();
        int runs = in.getInt();
        int rows = 0;
        for (int run = 0; run < runs; run++) {
            rows += in.getInt(in.position() + run * RUN_BYTES);
        }
        long[] timestamps = new long[rows];
        int row = 0;
        for (int run = 0; run < runs; run++) {
            int end = row + in.getInt();
            long timestamp = in.getLong();
            while (row < end) {
                timestamps[row++] = timestamp;
            }
        }
        LakeMark mark =
                in.hasRemaining() ? new LakeMark(in.getLong(), in.getLong(), in.getLong()) : null;
        return new ScanMetadata(nextOffset, baseOffset, timestamps, mark);
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
