package io.thermocline.hotstore.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.ArrowBuf;

/**
 * A frame group ready to be written, but for what only the commit knows: its base offset and its
 * commit timestamp. {@link #seal} fills them in and costs no more than a checksum of the header.
 * Owns its memory. Not thread-safe.
 */
public final class EncodedGroup implements AutoCloseable {

    private final ArrowBuf memory;
    private final int headerBytes;
    private final int totalBytes;
    private final int recordCount;
    private final long[] recordTimestamps;
    private boolean sealed;
    private boolean closed;

    EncodedGroup(
            ArrowBuf memory,
            int headerBytes,
            int totalBytes,
            int recordCount,
            long[] recordTimestamps) {
        this.memory = memory;
        this.headerBytes = headerBytes;
        this.totalBytes = totalBytes;
        this.recordCount = recordCount;
        this.recordTimestamps = recordTimestamps;
    }

    /** Number of offsets that the group takes. */
    public int recordCount() {
        return recordCount;
    }

    /** Bytes of the whole group. */
    public int totalBytes() {
        return totalBytes;
    }

    /**
     * Fills in where the group stands in the changelog. May be called again with other values, as
     * long as the bytes were not written.
     *
     * @param baseOffset offset of its first record
     * @param commitTimestamp commit timestamp of every record, milliseconds since the epoch
     * @throws IllegalStateException if the group has a timestamp per record
     */
    public void seal(long baseOffset, long commitTimestamp) {
        if (recordTimestamps.length > 0) {
            throw new IllegalStateException("the records of this group have their own timestamps");
        }
        seal(baseOffset, commitTimestamp, commitTimestamp);
    }

    /**
     * Fills in the base offset of a group that has a commit timestamp per record.
     *
     * @throws IllegalStateException if it has none
     */
    public void seal(long baseOffset) {
        if (recordTimestamps.length == 0) {
            throw new IllegalStateException("the records of this group have no timestamps");
        }
        seal(baseOffset, recordTimestamps[0], recordTimestamps[recordTimestamps.length - 1]);
    }

    private void seal(long baseOffset, long firstTimestamp, long lastTimestamp) {
        ByteBuffer header = memory.nioBuffer(0, headerBytes).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(FrameFormat.BASE_OFFSET_POSITION, baseOffset);
        header.putLong(FrameFormat.FIRST_TIMESTAMP_POSITION, firstTimestamp);
        header.putLong(FrameFormat.LAST_TIMESTAMP_POSITION, lastTimestamp);
        header.putInt(FrameFormat.CRC_POSITION, FrameFormat.headerCrc(header));
        sealed = true;
    }

    /**
     * The bytes to write, as a view of this group's memory: a direct buffer, valid until {@link
     * #close()}.
     *
     * @throws IllegalStateException if the group is not sealed
     */
    public ByteBuffer bytes() {
        if (!sealed) {
            throw new IllegalStateException("a frame group must be sealed before it is written");
        }
        return memory.nioBuffer(0, totalBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Gives the memory back. Closing twice does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            memory.close();
        }
    }
}
