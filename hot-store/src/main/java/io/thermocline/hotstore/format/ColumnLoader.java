package io.thermocline.hotstore.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;

/** Loads one column's chunk, whose checksum was verified, into a vector. */
final class ColumnLoader {

    private static final int LENGTHS_BYTES = 2 * Integer.BYTES;

    private final ArrowBuf chunk;
    private final ByteBuffer table;
    private final BufferAllocator allocator;
    private final String where;
    private final int nodeCount;
    private final int bufferCount;
    private int nextNode;
    private int nextBuffer;
    private long nextData;

    /**
     * @param chunk the chunk; uncompressed buffers become views of it
     * @param where group and column, for messages
     */
    ColumnLoader(ArrowBuf chunk, BufferAllocator allocator, String where) {
        this.chunk = chunk;
        this.allocator = allocator;
        this.where = where;
        this.table = chunk.nioBuffer(0, (int) chunk.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        require(table.limit() >= 2 * Short.BYTES, "a column has no buffer table");
        this.nodeCount = table.getShort(0) & 0xFFFF;
        this.bufferCount = table.getShort(Short.BYTES) & 0xFFFF;
        this.nextData = lengthsPosition(bufferCount);
        require(nextData <= table.limit(), "a column's buffer table is too long");
    }

    private int lengthsPosition(int buffer) {
        return 2 * Short.BYTES + nodeCount * LENGTHS_BYTES + buffer * LENGTHS_BYTES;
    }

    private void require(boolean condition, String reason) {
        if (!condition) {
            throw FrameFormat.corrupt(where, reason);
        }
    }

    /** Fills the vector and its nested vectors. */
    void load(FieldVector vector) {
        loadNode(vector);
        require(
                nextNode == nodeCount && nextBuffer == bufferCount && nextData == table.limit(),
                "a column has more buffers than its type");
    }

    private void loadNode(FieldVector vector) {
        require(nextNode < nodeCount, "a column has fewer vectors than its type");
        int nodePosition = 2 * Short.BYTES + nextNode++ * LENGTHS_BYTES;
        ArrowFieldNode node =
                new ArrowFieldNode(
                        table.getInt(nodePosition), table.getInt(nodePosition + Integer.BYTES));
        int buffers = TypeLayout.getTypeBufferCount(vector.getField().getType());
        List<ArrowBuf> loaded = new ArrayList<>(buffers);
        try {
            for (int i = 0; i < buffers; i++) {
                loaded.add(nextBuffer());
            }
            vector.loadFieldBuffers(node, loaded);
        } finally {
            loaded.forEach(ArrowBuf::close);
        }
        vector.getChildrenFromFields().forEach(this::loadNode);
    }

    private ArrowBuf nextBuffer() {
        require(nextBuffer < bufferCount, "a column has fewer buffers than its type");
        int position = lengthsPosition(nextBuffer++);
        int rawLength = table.getInt(position);
        int storedLength = table.getInt(position + Integer.BYTES);
        require(
                rawLength >= 0
                        && rawLength <= FrameFormat.MAX_BODY_BYTES
                        && storedLength >= 0
                        && storedLength <= rawLength
                        && nextData + storedLength <= table.limit(),
                "a column's buffer has the lengths " + rawLength + " and " + storedLength);
        if (rawLength == 0) {
            return allocator.getEmpty();
        }
        long start = nextData;
        nextData += storedLength;
        if (storedLength == rawLength) {
            chunk.getReferenceManager().retain();
            ArrowBuf view = chunk.slice(start, rawLength);
            view.writerIndex(rawLength);
            return view;
        }
        ArrowBuf buffer = allocator.buffer(rawLength);
        try {
            BufferCodec.decompress(
                    chunk.nioBuffer(start, storedLength), buffer.nioBuffer(0, rawLength), where);
            buffer.writerIndex(rawLength);
            return buffer;
        } catch (RuntimeException failure) {
            buffer.close();
            throw failure;
        }
    }
}
