package io.thermocline.hotstore.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;

/**
 * The nodes (vector and nested vectors, depth first) and buffers of one column, as Arrow's record
 * batch message orders them.
 */
final class ColumnBuffers {

    private static final int COUNTS_BYTES = 2 * Short.BYTES;
    private static final int NODE_BYTES = 2 * Integer.BYTES;
    private static final int LENGTHS_BYTES = 2 * Integer.BYTES;

    private final List<FieldVector> nodes = new ArrayList<>();
    private final List<ByteBuffer> buffers = new ArrayList<>();
    private long rawBytes;

    private ColumnBuffers() {}

    static ColumnBuffers of(FieldVector vector) {
        ColumnBuffers column = new ColumnBuffers();
        column.add(vector);
        return column;
    }

    private void add(FieldVector vector) {
        nodes.add(vector);
        boolean validity = true;
        for (ArrowBuf buffer : vector.getFieldBuffers()) {
            boolean omitted = validity && vector.getNullCount() == 0;
            int length = omitted ? 0 : Math.toIntExact(buffer.readableBytes());
            buffers.add(buffer.nioBuffer(buffer.readerIndex(), length));
            rawBytes += length;
            validity = false;
        }
        vector.getChildrenFromFields().forEach(this::add);
    }

    long rawBytes() {
        return rawBytes;
    }

    long storeBound(Compression compression) {
        long bound = COUNTS_BYTES + (long) nodes.size() * NODE_BYTES;
        for (ByteBuffer buffer : buffers) {
            bound += LENGTHS_BYTES + BufferCodec.storeBound(buffer.remaining(), compression);
        }
        return bound;
    }

    void write(ByteBuffer target, Compression compression) {
        target.putShort((short) nodes.size());
        target.putShort((short) buffers.size());
        for (FieldVector node : nodes) {
            target.putInt(node.getValueCount());
            target.putInt(node.getNullCount());
        }
        int lengths = target.position();
        target.position(lengths + buffers.size() * LENGTHS_BYTES);
        for (ByteBuffer buffer : buffers) {
            target.putInt(lengths, buffer.remaining());
            int stored = BufferCodec.store(buffer, target, compression);
            target.putInt(lengths + Integer.BYTES, stored);
            lengths += LENGTHS_BYTES;
        }
    }
}
