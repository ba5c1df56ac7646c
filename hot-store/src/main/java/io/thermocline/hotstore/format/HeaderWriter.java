package io.thermocline.hotstore.format;

import io.thermocline.hotstore.filter.ZoneMap;
import io.thermocline.hotstore.filter.ZoneMap.ColumnRange;
import io.thermocline.hotstore.format.FrameGroupHeader.Body;
import io.thermocline.hotstore.format.FrameGroupHeader.Chunk;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lays out a header, of format version 2 if it has a mark and 1 otherwise. Its length does not
 * depend on the body's, so that the body can be written behind it first. Offsets, timestamps and
 * checksum are filled in by {@link EncodedGroup}.
 */
record HeaderWriter(
        GroupOrigin origin,
        @Nullable ControlType controlType,
        Compression compression,
        ZoneMap zoneMap,
        boolean oneRowKind,
        boolean recordTimestamps) {

    private static final int UUID_BYTES = 16;
    private static final int CHUNK_BYTES = 8;

    int length() {
        long length = FrameFormat.FIXED_BYTES;
        if (origin.writer() != null) {
            length += UUID_BYTES + 2 * Long.BYTES;
        }
        if (origin.stagingId() != null) {
            length += UUID_BYTES;
        }
        if (origin.inputPosition() != null) {
            length += Long.BYTES;
        }
        if (origin.mark() != null) {
            length += 3 * Long.BYTES;
        }
        if (zoneMap.partitions() != null) {
            length += Short.BYTES;
            for (byte[] partition : zoneMap.partitions()) {
                length += Short.BYTES + partition.length;
            }
        }
        if (controlType != null) {
            return Math.toIntExact(length + CHUNK_BYTES);
        }
        length += oneRowKind ? 1 : CHUNK_BYTES;
        length += recordTimestamps ? CHUNK_BYTES : 0;
        for (ColumnRange range : zoneMap.columns()) {
            length += CHUNK_BYTES + Integer.BYTES + 1;
            length += range.min() == null ? 0 : 1 + range.min().length;
            length += range.max() == null ? 0 : 1 + range.max().length;
        }
        return Math.toIntExact(length);
    }

    /** Writes the header; its offsets, timestamps and checksum stay zero. */
    void write(ByteBuffer target, int bodyBytes, Body body) {
        target.putInt(FrameFormat.MAGIC);
        target.putShort(
                (short) (origin.mark() == null ? FrameFormat.VERSION : FrameFormat.MARKED_VERSION));
        target.put((byte) (controlType == null ? FrameFormat.KIND_DATA : FrameFormat.KIND_CONTROL));
        target.put((byte) flags());
        target.putInt(length());
        target.putInt(bodyBytes);
        target.putInt(0);
        FrameFormat.putUuid(target, origin.tableId());
        target.putInt(origin.bucket());
        target.putInt(origin.schemaVersion());
        target.putLong(0);
        target.putLong(0);
        target.putLong(0);
        target.putInt(zoneMap.recordCount());
        target.put((byte) compression.number());
        target.put((byte) (controlType == null ? 0 : controlType.number()));
        target.putShort((short) zoneMap.columns().size());
        writeOrigin(target);
        writePartitions(target, zoneMap.partitions());
        writeBody(target, body);
    }

    private int flags() {
        int flags = 0;
        flags |= origin.writer() == null ? 0 : FrameFormat.FLAG_WRITER;
        flags |= origin.stagingId() == null ? 0 : FrameFormat.FLAG_STAGING_ID;
        flags |= origin.inputPosition() == null ? 0 : FrameFormat.FLAG_INPUT_POSITION;
        flags |= origin.mark() == null ? 0 : FrameFormat.FLAG_MARK;
        flags |= zoneMap.partitions() == null ? 0 : FrameFormat.FLAG_PARTITIONS;
        flags |= oneRowKind ? FrameFormat.FLAG_ONE_ROW_KIND : 0;
        flags |= recordTimestamps ? FrameFormat.FLAG_RECORD_TIMESTAMPS : 0;
        return flags;
    }

    private void writeOrigin(ByteBuffer target) {
        GroupOrigin.Writer writer = origin.writer();
        if (writer != null) {
            FrameFormat.putUuid(target, writer.id());
            target.putLong(writer.epoch());
            target.putLong(writer.sequence());
        }
        if (origin.stagingId() != null) {
            FrameFormat.putUuid(target, origin.stagingId());
        }
        if (origin.inputPosition() != null) {
            target.putLong(origin.inputPosition());
        }
        if (origin.mark() != null) {
            target.putLong(origin.mark().snapshotId());
            target.putLong(origin.mark().sequence());
            target.putLong(origin.mark().commitMillis());
        }
    }

    private static void writePartitions(ByteBuffer target, @Nullable List<byte[]> partitions) {
        if (partitions != null) {
            target.putShort((short) partitions.size());
            for (byte[] partition : partitions) {
                target.putShort((short) partition.length);
                target.put(partition);
            }
        }
    }

    private void writeBody(ByteBuffer target, Body body) {
        if (body.payload() != null) {
            writeChunk(target, body.payload());
            return;
        }
        if (body.rowKinds() == null) {
            target.put((byte) body.oneRowKind());
        } else {
            writeChunk(target, body.rowKinds());
        }
        if (body.timestamps() != null) {
            writeChunk(target, body.timestamps());
        }
        for (int column = 0; column < body.columns().size(); column++) {
            writeChunk(target, body.columns().get(column));
            writeRange(target, zoneMap.columns().get(column));
        }
    }

    private static void writeChunk(ByteBuffer target, Chunk chunk) {
        target.putInt(chunk.length());
        target.putInt(chunk.crc());
    }

    private static void writeRange(ByteBuffer target, ColumnRange range) {
        target.putInt(range.nullCount());
        int flags = range.min() == null ? 0 : FrameFormat.RANGE_HAS_MIN;
        flags |= range.max() == null ? 0 : FrameFormat.RANGE_HAS_MAX;
        flags |= range.exact() ? FrameFormat.RANGE_EXACT : 0;
        target.put((byte) flags);
        writeBound(target, range.min());
        writeBound(target, range.max());
    }

    private static void writeBound(ByteBuffer target, byte @Nullable [] bound) {
        if (bound != null) {
            target.put((byte) bound.length);
            target.put(bound);
        }
    }
}
