package io.thermocline.hotstore.format;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.format.FrameGroupHeader.Body;
import io.thermocline.hotstore.format.FrameGroupHeader.Chunk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of one frame group: only the parts that are wanted, each verified by its own
 * checksum. Not thread-safe.
 */
public final class FrameGroupReader {

    private static final int VERIFY_BUFFER_BYTES = 64 << 10;

    private final FrameSource source;
    private final FrameGroupHeader header;
    private final long bodyPosition;

    private FrameGroupReader(FrameSource source, long position, FrameGroupHeader header) {
        this.source = source;
        this.header = header;
        this.bodyPosition = position + header.headerBytes();
    }

    /**
     * Reads the header of the group at {@code position}.
     *
     * @throws HotStoreException as {@link FrameGroupHeader#read}
     */
    public static FrameGroupReader open(FrameSource source, long position) {
        return new FrameGroupReader(source, position, FrameGroupHeader.read(source, position));
    }

    public FrameGroupHeader header() {
        return header;
    }

    /** Reads rows of one group; for many groups, make the mapping once. */
    public RowBatch decode(RowType written, RowType wanted, BufferAllocator allocator) {
        return decode(new ColumnMapping(written, wanted), allocator);
    }

    /**
     * Reads rows.
     *
     * @param mapping from the columns of the group's schema version to those of the batch
     * @param allocator where the batch lives
     * @throws HotStoreException {@code CORRUPT_CHANGELOG} if a part that was read is damaged;
     *     {@code INVALID_ARGUMENT} for a control record, or a column whose written type is held in
     *     another way
     */
    public RowBatch decode(ColumnMapping mapping, BufferAllocator allocator) {
        checkReadable(mapping);
        byte[] rowKinds = readRowKinds();
        VectorSchemaRoot root = VectorSchemaRoot.create(mapping.wantedSchema(), allocator);
        try {
            if (header.recordCount() > 0) {
                new ColumnRun(mapping, root, allocator).loadAll();
            } else {
                root.getFieldVectors().forEach(FieldVector::allocateNew);
            }
            for (int column = 0; column < mapping.columnCount(); column++) {
                if (mapping.position(column) < 0 && header.recordCount() > 0) {
                    FieldVector nulls = root.getVector(column);
                    nulls.setInitialCapacity(header.recordCount());
                    nulls.allocateNew();
                    nulls.setValueCount(header.recordCount());
                }
            }
            root.setRowCount(header.recordCount());
        } catch (RuntimeException failure) {
            root.close();
            throw failure;
        }
        return RowBatches.wrap(mapping.wanted(), root, rowKinds);
    }

    private void checkReadable(ColumnMapping mapping) {
        if (header.isControl()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    header.where() + " is a control record and has no rows");
        }
        int columns = header.body().columns().size();
        if (header.recordCount() > 0 && columns != mapping.written().getFieldCount()) {
            throw FrameFormat.corrupt(
                    header.where(),
                    "it has "
                            + columns
                            + " columns, but schema version "
                            + header.origin().schemaVersion()
                            + " has "
                            + mapping.written().getFieldCount());
        }
        if (mapping.unreadable() >= 0) {
            RowType.RowField column = mapping.wanted().getFields().get(mapping.unreadable());
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "column '"
                            + column.getName()
                            + "' is "
                            + mapping.written()
                                    .getTypeAt(mapping.position(mapping.unreadable()))
                                    .asSummaryString()
                            + " in schema version "
                            + header.origin().schemaVersion()
                            + " of "
                            + header.where()
                            + " and cannot be read as "
                            + column.getType().asSummaryString());
        }
    }

    private byte @Nullable [] readRowKinds() {
        Body body = header.body();
        if (body.rowKinds() == null) {
            if (body.oneRowKind() == 0) {
                return null;
            }
            byte[] kinds = new byte[header.recordCount()];
            Arrays.fill(kinds, (byte) body.oneRowKind());
            return kinds;
        }
        byte[] kinds = new byte[header.recordCount()];
        readSingle(bodyPosition, body.rowKinds(), kinds.length).get(kinds);
        return kinds;
    }

    /** Commit timestamp of every record, milliseconds since the epoch. */
    public long[] commitTimestamps() {
        long[] timestamps = new long[header.recordCount()];
        Body body = header.body();
        if (body.timestamps() == null) {
            Arrays.fill(timestamps, header.commitTimestamp());
            return timestamps;
        }
        long position = bodyPosition + lengthOf(body.rowKinds());
        readSingle(position, body.timestamps(), timestamps.length * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(timestamps);
        return timestamps;
    }

    /**
     * Payload of a control record.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT} if this is not one
     */
    public byte[] controlPayload() {
        Chunk chunk = header.body().payload();
        if (chunk == null) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT, header.where() + " is not a control record");
        }
        ByteBuffer bytes = readSingle(bodyPosition, chunk, chunk.length() - 2 * Integer.BYTES);
        byte[] payload = new byte[bytes.remaining()];
        bytes.get(payload);
        return payload;
    }

    /**
     * Reads the whole body and checks every checksum.
     *
     * @throws HotStoreException {@code CORRUPT_CHANGELOG} naming the part that is damaged
     */
    public void verify() {
        Body body = header.body();
        long position = bodyPosition;
        position = verify(position, body.rowKinds(), "row kinds");
        position = verify(position, body.timestamps(), "commit timestamps");
        List<Chunk> columns = body.columns();
        for (int column = 0; column < columns.size(); column++) {
            position = verify(position, columns.get(column), columnName(column));
        }
        verify(position, body.payload(), "payload");
    }

    private long verify(long position, @Nullable Chunk chunk, String part) {
        if (chunk == null) {
            return position;
        }
        ByteBuffer buffer = ByteBuffer.allocate(Math.min(VERIFY_BUFFER_BYTES, chunk.length()));
        CRC32C crc = new CRC32C();
        long end = position + chunk.length();
        for (long next = position; next < end; next += buffer.limit()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), end - next));
            source.readFully(next, buffer);
            crc.update(buffer.flip());
        }
        checkCrc((int) crc.getValue(), chunk, part);
        return end;
    }

    private void checkCrc(int crc, Chunk chunk, String part) {
        if (crc != chunk.crc()) {
            throw FrameFormat.corrupt(header.where(), "the checksum of its " + part + " is wrong");
        }
    }

    private static String columnName(int column) {
        return "column " + column;
    }

    private static long lengthOf(@Nullable Chunk chunk) {
        return chunk == null ? 0 : chunk.length();
    }

    /** Reads a chunk of one buffer and gives its raw bytes. */
    private ByteBuffer readSingle(long position, Chunk chunk, int expectedBytes) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(chunk.length()).order(ByteOrder.LITTLE_ENDIAN);
        source.readFully(position, bytes);
        bytes.flip();
        checkCrc(FrameFormat.crc(bytes.duplicate()), chunk, "row kinds, timestamps or payload");
        if (chunk.length() < 2 * Integer.BYTES || bytes.getInt() != expectedBytes) {
            throw FrameFormat.corrupt(header.where(), "a part has the wrong length");
        }
        int storedLength = bytes.getInt();
        if (storedLength != bytes.remaining() || storedLength > expectedBytes) {
            throw FrameFormat.corrupt(header.where(), "a part has the wrong length");
        }
        if (storedLength == expectedBytes) {
            return bytes;
        }
        ByteBuffer raw = ByteBuffer.allocateDirect(expectedBytes);
        BufferCodec.decompress(bytes, raw, header.where());
        return raw;
    }

    /** Loads the wanted columns; neighbours are read together. */
    private final class ColumnRun {

        private final VectorSchemaRoot root;
        private final BufferAllocator allocator;
        private final int[] wantedByPosition;

        ColumnRun(ColumnMapping mapping, VectorSchemaRoot root, BufferAllocator allocator) {
            this.root = root;
            this.allocator = allocator;
            this.wantedByPosition = new int[header.body().columns().size()];
            Arrays.fill(wantedByPosition, -1);
            for (int column = 0; column < mapping.columnCount(); column++) {
                if (mapping.position(column) >= 0) {
                    wantedByPosition[mapping.position(column)] = column;
                }
            }
        }

        void loadAll() {
            Body body = header.body();
            long position = bodyPosition + lengthOf(body.rowKinds()) + lengthOf(body.timestamps());
            int first = 0;
            while (first < wantedByPosition.length) {
                if (wantedByPosition[first] < 0) {
                    position += body.columns().get(first++).length();
                    continue;
                }
                int end = first;
                long length = 0;
                while (end < wantedByPosition.length && wantedByPosition[end] >= 0) {
                    length += body.columns().get(end++).length();
                }
                loadRun(first, end, position, (int) length);
                position += length;
                first = end;
            }
        }

        private void loadRun(int first, int end, long position, int length) {
            try (ArrowBuf run = allocator.buffer(length)) {
                source.readFully(position, run.nioBuffer(0, length));
                long start = 0;
                for (int column = first; column < end; column++) {
                    Chunk chunk = header.body().columns().get(column);
                    ByteBuffer bytes = run.nioBuffer(start, chunk.length());
                    checkCrc(FrameFormat.crc(bytes), chunk, columnName(column));
                    new ColumnLoader(
                                    run.slice(start, chunk.length()),
                                    allocator,
                                    columnName(column) + " of " + header.where())
                            .load(root.getVector(wantedByPosition[column]));
                    start += chunk.length();
                }
            }
        }
    }
}
