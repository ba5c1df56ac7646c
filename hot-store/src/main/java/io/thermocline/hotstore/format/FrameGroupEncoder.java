package io.thermocline.hotstore.format;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.arrow.ArrowTypes;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.filter.ZoneMap;
import io.thermocline.hotstore.filter.ZoneMap.ColumnRange;
import io.thermocline.hotstore.format.FrameGroupHeader.Body;
import io.thermocline.hotstore.format.FrameGroupHeader.Chunk;
import io.thermocline.hotstore.key.PartitionEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/** Writes frame groups of one schema version of a table. Thread-safe. */
public final class FrameGroupEncoder {

    private static final long[] NO_TIMESTAMPS = {};
    private static final int LENGTHS_BYTES = 2 * Integer.BYTES;

    private final RowType rowType;
    private final @Nullable PartitionEncoder partitionEncoder;
    private final Compression compression;
    private final BufferAllocator allocator;

    /**
     * @param rowType columns of the schema version
     * @param partitionKeys names of the table's partition columns
     * @param compression of the buffers
     * @param allocator where encoded groups live
     */
    public FrameGroupEncoder(
            RowType rowType,
            List<String> partitionKeys,
            Compression compression,
            BufferAllocator allocator) {
        this.rowType = rowType;
        this.partitionEncoder =
                partitionKeys.isEmpty() ? null : new PartitionEncoder(rowType, partitionKeys);
        this.compression = compression;
        this.allocator = allocator;
    }

    /**
     * Encodes rows, which may be none, with one commit timestamp for all, given when the group is
     * sealed. Does not close the batch.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT} if the batch has other columns or is too
     *     large
     */
    public EncodedGroup encode(GroupOrigin origin, RowBatch rows) {
        return encodeRows(origin, rows, NO_TIMESTAMPS);
    }

    /**
     * Encodes rows that were committed before, each with its commit timestamp.
     *
     * @param commitTimestamps per row, milliseconds since the epoch, never decreasing
     * @throws HotStoreException {@code INVALID_ARGUMENT} if the batch has other columns or is too
     *     large
     */
    public EncodedGroup encode(GroupOrigin origin, RowBatch rows, long[] commitTimestamps) {
        if (commitTimestamps.length != rows.rowCount() || commitTimestamps.length == 0) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    commitTimestamps.length
                            + " commit timestamps for "
                            + rows.rowCount()
                            + " rows");
        }
        for (int row = 1; row < commitTimestamps.length; row++) {
            if (commitTimestamps[row] < commitTimestamps[row - 1]) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "commit timestamp "
                                + commitTimestamps[row]
                                + " of row "
                                + row
                                + " is lower than the one before it, "
                                + commitTimestamps[row - 1]);
            }
        }
        return encodeRows(origin, rows, commitTimestamps);
    }

    /** Encodes a control record. */
    public static EncodedGroup encodeControl(
            GroupOrigin origin, ControlType type, byte[] payload, BufferAllocator allocator) {
        HeaderWriter header =
                new HeaderWriter(
                        origin,
                        type,
                        Compression.NONE,
                        new ZoneMap(1, List.of(), null),
                        false,
                        false);
        checkSize(payload.length);
        int headerBytes = header.length();
        int capacity = headerBytes + LENGTHS_BYTES + payload.length;
        ArrowBuf memory = allocator.buffer(capacity);
        ByteBuffer target = memory.nioBuffer(0, capacity).order(ByteOrder.LITTLE_ENDIAN);
        target.position(headerBytes);
        target.putInt(payload.length).putInt(payload.length).put(payload);
        Chunk chunk = chunk(target, headerBytes);
        return finish(header, target, memory, new Body(-1, null, null, List.of(), chunk), null);
    }

    private EncodedGroup encodeRows(GroupOrigin origin, RowBatch rows, long[] timestamps) {
        checkColumns(rows);
        byte oneRowKind = oneRowKind(rows);
        HeaderWriter header =
                new HeaderWriter(
                        origin,
                        null,
                        compression,
                        zoneMap(rows),
                        oneRowKind >= 0,
                        timestamps.length > 0);
        List<ColumnBuffers> columns = new ArrayList<>();
        if (rows.rowCount() > 0) {
            for (FieldVector vector : rows.vectors().getFieldVectors()) {
                columns.add(ColumnBuffers.of(vector));
            }
        }
        int headerBytes = header.length();
        if (headerBytes > FrameFormat.MAX_HEADER_BYTES) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a table with "
                            + rowType.getFieldCount()
                            + " columns needs frame group headers of "
                            + headerBytes
                            + " bytes; the limit is "
                            + FrameFormat.MAX_HEADER_BYTES);
        }
        int capacity = headerBytes + bodyBound(rows, oneRowKind, timestamps, columns);
        ArrowBuf memory = allocator.buffer(capacity);
        try {
            ByteBuffer target = memory.nioBuffer(0, capacity).order(ByteOrder.LITTLE_ENDIAN);
            target.position(headerBytes);
            Chunk rowKinds = oneRowKind >= 0 ? null : writeRowKinds(rows, target);
            Chunk times = timestamps.length == 0 ? null : writeTimestamps(timestamps, target);
            List<Chunk> chunks = new ArrayList<>(columns.size());
            for (ColumnBuffers column : columns) {
                int start = target.position();
                column.write(target, compression);
                chunks.add(chunk(target, start));
            }
            Body body = new Body(oneRowKind, rowKinds, times, chunks, null);
            return finish(header, target, memory, body, timestamps);
        } catch (RuntimeException failure) {
            memory.close();
            throw failure;
        }
    }

    private void checkColumns(RowBatch rows) {
        if (rows.rowType() != rowType && !hasColumnsOfTable(rows.rowType())) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a batch with the columns "
                            + rows.rowType().asSummaryString()
                            + " was given for a table with the columns "
                            + rowType.asSummaryString());
        }
        if (rows.rowCount() > FrameFormat.MAX_RECORDS) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a batch has "
                            + rows.rowCount()
                            + " rows; the limit is "
                            + FrameFormat.MAX_RECORDS
                            + ". Write smaller batches.");
        }
    }

    private boolean hasColumnsOfTable(RowType given) {
        return given.getFieldNames().equals(rowType.getFieldNames())
                && ArrowTypes.haveSameLayout(given, rowType);
    }

    /** The row kind of every row; 0 if there are no rows; -1 if there are several kinds. */
    private static byte oneRowKind(RowBatch rows) {
        if (rows.rowCount() == 0) {
            return 0;
        }
        byte first = rows.rowKindValue(0);
        for (int row = 1; row < rows.rowCount(); row++) {
            if (rows.rowKindValue(row) != first) {
                return -1;
            }
        }
        return first;
    }

    private ZoneMap zoneMap(RowBatch rows) {
        List<ColumnRange> ranges = new ArrayList<>();
        if (rows.rowCount() > 0) {
            for (int column = 0; column < rowType.getFieldCount(); column++) {
                ranges.add(ColumnRanges.of(rows, column));
            }
        }
        List<byte[]> partitions =
                partitionEncoder == null ? null : ColumnRanges.partitions(rows, partitionEncoder);
        return new ZoneMap(rows.rowCount(), ranges, partitions);
    }

    private int bodyBound(
            RowBatch rows, byte oneRowKind, long[] timestamps, List<ColumnBuffers> columns) {
        long raw = 0;
        long bound = 0;
        if (oneRowKind < 0) {
            raw += rows.rowCount();
            bound += LENGTHS_BYTES + BufferCodec.storeBound(rows.rowCount(), compression);
        }
        if (timestamps.length > 0) {
            long bytes = (long) timestamps.length * Long.BYTES;
            raw += bytes;
            bound += LENGTHS_BYTES + BufferCodec.storeBound(bytes, compression);
        }
        for (ColumnBuffers column : columns) {
            raw += column.rawBytes();
            bound += column.storeBound(compression);
        }
        checkSize(raw);
        return Math.toIntExact(bound);
    }

    // Half of the bound: lengths and incompressible buffers add a little to the raw bytes.
    private static void checkSize(long rawBytes) {
        int limit = FrameFormat.MAX_BODY_BYTES / 2;
        if (rawBytes > limit) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a batch has "
                            + rawBytes
                            + " bytes; the limit is "
                            + limit
                            + ". Write smaller batches.");
        }
    }

    private Chunk writeRowKinds(RowBatch rows, ByteBuffer target) {
        ByteBuffer kinds = ByteBuffer.allocateDirect(rows.rowCount());
        for (int row = 0; row < rows.rowCount(); row++) {
            kinds.put(rows.rowKindValue(row));
        }
        return writeSingle(kinds.flip(), target);
    }

    private Chunk writeTimestamps(long[] timestamps, ByteBuffer target) {
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(timestamps.length * Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(timestamps);
        return writeSingle(bytes, target);
    }

    private Chunk writeSingle(ByteBuffer raw, ByteBuffer target) {
        int start = target.position();
        target.putInt(raw.remaining());
        int storedLengthPosition = target.position();
        target.putInt(0);
        target.putInt(storedLengthPosition, BufferCodec.store(raw, target, compression));
        return chunk(target, start);
    }

    private static Chunk chunk(ByteBuffer target, int start) {
        int length = target.position() - start;
        return new Chunk(length, FrameFormat.crc(target.slice(start, length)));
    }

    private static EncodedGroup finish(
            HeaderWriter header,
            ByteBuffer target,
            ArrowBuf memory,
            Body body,
            long @Nullable [] timestamps) {
        int totalBytes = target.position();
        int headerBytes = header.length();
        header.write(target.rewind(), totalBytes - headerBytes, body);
        return new EncodedGroup(
                memory,
                headerBytes,
                totalBytes,
                header.zoneMap().recordCount(),
                timestamps == null ? NO_TIMESTAMPS : timestamps);
    }
}
