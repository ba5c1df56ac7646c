package io.thermocline.hotstore.format;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.filter.ZoneMap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header of a frame group: who wrote it, which offsets it holds, and what is known about its
 * rows. Its checksum was verified. Immutable.
 */
public final class FrameGroupHeader {

    /** Most headers are shorter, so that one read suffices. */
    private static final int READ_AHEAD_BYTES = 4096;

    /** A part of the body with its own checksum. */
    record Chunk(int length, int crc) {}

    /**
     * Where the rows are in the body, in this order.
     *
     * @param oneRowKind row kind number of every row; -1 if {@code rowKinds} holds them
     * @param rowKinds a byte per row; null if there is one kind only
     * @param timestamps commit timestamp per row; null if all have the header's
     * @param columns one per column; none if there are no rows
     * @param payload payload of a control record
     */
    record Body(
            int oneRowKind,
            @Nullable Chunk rowKinds,
            @Nullable Chunk timestamps,
            List<Chunk> columns,
            @Nullable Chunk payload) {}

    private final String where;
    private final int headerBytes;
    private final int bodyBytes;
    private final GroupOrigin origin;
    private final long baseOffset;
    private final long firstCommitTimestamp;
    private final long commitTimestamp;
    private final int recordCount;
    private final @Nullable ControlType controlType;
    private final ZoneMap zoneMap;
    private final Body body;

    FrameGroupHeader(HeaderParser parsed) {
        this.where = parsed.where;
        this.headerBytes = parsed.headerBytes;
        this.bodyBytes = parsed.bodyBytes;
        this.origin = parsed.origin;
        this.baseOffset = parsed.baseOffset;
        this.firstCommitTimestamp = parsed.firstCommitTimestamp;
        this.commitTimestamp = parsed.commitTimestamp;
        this.recordCount = parsed.recordCount;
        this.controlType = parsed.controlType;
        this.zoneMap = parsed.zoneMap;
        this.body = parsed.body;
    }

    /**
     * Reads and verifies the header of the frame group that starts at {@code position}. The body is
     * not read, but it is checked to be there in full length.
     *
     * @throws HotStoreException {@code CORRUPT_CHANGELOG} if there is no whole header, or it is
     *     damaged; {@code UNSUPPORTED_FORMAT_VERSION} if it is intact, but of another format
     *     version
     */
    public static FrameGroupHeader read(FrameSource source, long position) {
        String where = "the frame group at byte " + position + " of " + source.name();
        long available = source.size() - position;
        if (available < FrameFormat.PREFIX_BYTES) {
            throw FrameFormat.corrupt(where, "only " + available + " bytes are there");
        }
        ByteBuffer bytes = read(source, position, (int) Math.min(READ_AHEAD_BYTES, available));
        int headerBytes = checkPrefix(bytes, available, where);
        if (headerBytes > bytes.limit()) {
            bytes = read(source, position, headerBytes);
        }
        bytes.limit(headerBytes);
        int crc = FrameFormat.headerCrc(bytes);
        if (crc != bytes.getInt(FrameFormat.CRC_POSITION)) {
            throw FrameFormat.corrupt(where, "the checksum of its header is wrong");
        }
        checkVersion(bytes, where);
        FrameGroupHeader header = new FrameGroupHeader(new HeaderParser(bytes, where));
        if (header.totalBytes() > available) {
            throw FrameFormat.corrupt(
                    where,
                    "it has "
                            + header.totalBytes()
                            + " bytes, of which only "
                            + available
                            + " are there");
        }
        return header;
    }

    private static ByteBuffer read(FrameSource source, long position, int length) {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        source.readFully(position, bytes);
        return bytes.flip();
    }

    private static int checkPrefix(ByteBuffer bytes, long available, String where) {
        int magic = bytes.getInt(0);
        if (magic != FrameFormat.MAGIC) {
            throw FrameFormat.corrupt(
                    where,
                    String.format(
                            "it starts with %08x instead of %08x",
                            Integer.reverseBytes(magic), Integer.reverseBytes(FrameFormat.MAGIC)));
        }
        int headerBytes = bytes.getInt(FrameFormat.HEADER_LENGTH_POSITION);
        if (headerBytes < FrameFormat.PREFIX_BYTES
                || headerBytes > FrameFormat.MAX_HEADER_BYTES
                || headerBytes > available) {
            throw FrameFormat.corrupt(
                    where,
                    "its header length is "
                            + headerBytes
                            + ", with "
                            + available
                            + " bytes there and a limit of "
                            + FrameFormat.MAX_HEADER_BYTES);
        }
        return headerBytes;
    }

    private static void checkVersion(ByteBuffer header, String where) {
        int version = header.getShort(FrameFormat.VERSION_POSITION) & 0xFFFF;
        if (version < FrameFormat.VERSION || version > FrameFormat.MARKED_VERSION) {
            throw new HotStoreException(
                    ErrorCode.UNSUPPORTED_FORMAT_VERSION,
                    where
                            + " has format version "
                            + version
                            + "; this version of Thermocline reads format versions "
                            + FrameFormat.VERSION
                            + " to "
                            + FrameFormat.MARKED_VERSION
                            + ". Use the version that wrote it, or a newer one.");
        }
    }

    /** File and position, for messages. */
    String where() {
        return where;
    }

    Body body() {
        return body;
    }

    /** Length of the header. */
    public int headerBytes() {
        return headerBytes;
    }

    /** Length of header and body: the next group starts this many bytes after this one. */
    public long totalBytes() {
        return (long) headerBytes + bodyBytes;
    }

    public GroupOrigin origin() {
        return origin;
    }

    /**
     * Offset of the first record; of a group without records, the offset that the next one gets.
     */
    public long baseOffset() {
        return baseOffset;
    }

    /** Offset after the last record. */
    public long endOffset() {
        return baseOffset + recordCount;
    }

    /** Commit timestamp of the first record, milliseconds since the epoch. */
    public long firstCommitTimestamp() {
        return firstCommitTimestamp;
    }

    /** Commit timestamp of the last record, milliseconds since the epoch. */
    public long commitTimestamp() {
        return commitTimestamp;
    }

    /** Number of offsets that the group takes: its rows, or one if it is a control record. */
    public int recordCount() {
        return recordCount;
    }

    /** Whether this is a control record. */
    public boolean isControl() {
        return controlType != null;
    }

    /** What a control record says; null if this is not one. */
    public @Nullable ControlType controlType() {
        return controlType;
    }

    /** Value ranges and partitions of the rows; no columns if there are no rows. */
    public ZoneMap zoneMap() {
        return zoneMap;
    }
}
