package io.thermocline.hotstore.format;

import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.filter.ZoneMap;
import io.thermocline.hotstore.filter.ZoneMap.ColumnRange;
import io.thermocline.hotstore.format.FrameGroupHeader.Body;
import io.thermocline.hotstore.format.FrameGroupHeader.Chunk;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes a verified header of format version 1 or 2 apart. */
final class HeaderParser {

    final String where;
    final int headerBytes;
    final int bodyBytes;
    final GroupOrigin origin;
    final long baseOffset;
    final long firstCommitTimestamp;
    final long commitTimestamp;
    final int recordCount;
    final @Nullable ControlType controlType;
    final ZoneMap zoneMap;
    final Body body;

    private final ByteBuffer header;

    HeaderParser(ByteBuffer header, String where) {
        this.header = header;
        this.where = where;
        this.headerBytes = header.limit();
        require(headerBytes >= FrameFormat.FIXED_BYTES, "its header is too short");
        boolean marked =
                header.getShort(FrameFormat.VERSION_POSITION) == FrameFormat.MARKED_VERSION;
        header.position(FrameFormat.VERSION_POSITION + Short.BYTES);
        int kind = header.get();
        int flags = header.get();
        require(kind == FrameFormat.KIND_DATA || kind == FrameFormat.KIND_CONTROL, "kind " + kind);
        int known = FrameFormat.KNOWN_FLAGS | (marked ? FrameFormat.FLAG_MARK : 0);
        require((flags & ~known) == 0, "it has unknown flags " + flags);
        require(!marked || has(flags, FrameFormat.FLAG_MARK), "it has no mark, flags " + flags);
        this.bodyBytes = header.getInt(FrameFormat.BODY_LENGTH_POSITION);
        require(
                bodyBytes >= 0 && bodyBytes <= FrameFormat.MAX_BODY_BYTES,
                "its body length is " + bodyBytes);
        header.position(FrameFormat.PREFIX_BYTES);
        UUID tableId = FrameFormat.getUuid(header);
        int bucket = header.getInt();
        int schemaVersion = header.getInt();
        this.baseOffset = header.getLong();
        this.firstCommitTimestamp = header.getLong();
        this.commitTimestamp = header.getLong();
        this.recordCount = header.getInt();
        require(
                recordCount >= 0 && recordCount <= FrameFormat.MAX_RECORDS,
                "its record count is " + recordCount);
        // Each buffer says by its lengths whether it is compressed.
        header.get();
        int controlNumber = header.get();
        int columnCount = header.getShort() & 0xFFFF;
        try {
            this.origin =
                    new GroupOrigin(
                            tableId,
                            bucket,
                            schemaVersion,
                            has(flags, FrameFormat.FLAG_WRITER)
                                    ? new GroupOrigin.Writer(
                                            FrameFormat.getUuid(header),
                                            header.getLong(),
                                            header.getLong())
                                    : null,
                            has(flags, FrameFormat.FLAG_STAGING_ID)
                                    ? FrameFormat.getUuid(header)
                                    : null,
                            has(flags, FrameFormat.FLAG_INPUT_POSITION)
                                    ? (Long) header.getLong()
                                    : null,
                            marked
                                    ? new LakeMark(
                                            header.getLong(), header.getLong(), header.getLong())
                                    : null);
            List<byte[]> partitions = has(flags, FrameFormat.FLAG_PARTITIONS) ? partitions() : null;
            this.controlType =
                    kind == FrameFormat.KIND_CONTROL
                            ? ControlType.ofNumber(controlNumber, where)
                            : null;
            List<ColumnRange> ranges = new ArrayList<>(columnCount);
            this.body = parseBody(flags, columnCount, ranges);
            this.zoneMap = new ZoneMap(recordCount, ranges, partitions);
        } catch (BufferUnderflowException e) {
            throw FrameFormat.corrupt(where, "its header ends too early");
        }
        require(!header.hasRemaining(), "its header is too long");
        require(bodyLengthOfChunks() == bodyBytes, "its parts do not add up to its length");
    }

    private static boolean has(int flags, int flag) {
        return (flags & flag) != 0;
    }

    private void require(boolean condition, String reason) {
        if (!condition) {
            throw FrameFormat.corrupt(where, reason);
        }
    }

    private List<byte[]> partitions() {
        int count = header.getShort() & 0xFFFF;
        List<byte[]> partitions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            partitions.add(bytes(header.getShort() & 0xFFFF));
        }
        return partitions;
    }

    private byte[] bytes(int length) {
        require(length <= header.remaining(), "its header ends too early");
        byte[] bytes = new byte[length];
        header.get(bytes);
        return bytes;
    }

    private Body parseBody(int flags, int columnCount, List<ColumnRange> ranges) {
        if (controlType != null) {
            return new Body(-1, null, null, List.of(), chunk());
        }
        int oneRowKind = -1;
        Chunk rowKinds = null;
        if (has(flags, FrameFormat.FLAG_ONE_ROW_KIND)) {
            oneRowKind = header.get();
        } else {
            rowKinds = chunk();
        }
        Chunk timestamps = has(flags, FrameFormat.FLAG_RECORD_TIMESTAMPS) ? chunk() : null;
        List<Chunk> columns = new ArrayList<>(columnCount);
        for (int column = 0; column < columnCount; column++) {
            columns.add(chunk());
            ranges.add(range());
        }
        return new Body(oneRowKind, rowKinds, timestamps, columns, null);
    }

    private Chunk chunk() {
        Chunk chunk = new Chunk(header.getInt(), header.getInt());
        require(
                chunk.length() >= 0 && chunk.length() <= bodyBytes,
                "a part of it has length " + chunk.length());
        return chunk;
    }

    private ColumnRange range() {
        int nullCount = header.getInt();
        int flags = header.get();
        byte[] min = has(flags, FrameFormat.RANGE_HAS_MIN) ? bytes(header.get() & 0xFF) : null;
        byte[] max = has(flags, FrameFormat.RANGE_HAS_MAX) ? bytes(header.get() & 0xFF) : null;
        return new ColumnRange(nullCount, min, max, has(flags, FrameFormat.RANGE_EXACT));
    }

    private long bodyLengthOfChunks() {
        long length = lengthOf(body.rowKinds()) + lengthOf(body.timestamps());
        for (Chunk column : body.columns()) {
            length += column.length();
        }
        return length + lengthOf(body.payload());
    }

    private static long lengthOf(@Nullable Chunk chunk) {
        return chunk == null ? 0 : chunk.length();
    }
}
