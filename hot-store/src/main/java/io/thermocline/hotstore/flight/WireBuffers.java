package io.thermocline.hotstore.flight;

import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/** Application metadata between byte arrays and Arrow buffers. */
final class WireBuffers {

    private WireBuffers() {}

    /** A buffer that Flight takes over. */
    static ArrowBuf copy(BufferAllocator allocator, byte[] bytes) {
        ArrowBuf buffer = allocator.buffer(bytes.length);
        buffer.writeBytes(bytes);
        return buffer;
    }

    /** Metadata of the message just read; null if it has none. */
    static byte @Nullable [] metadata(FlightStream stream) {
        ArrowBuf buffer = stream.getLatestMetadata();
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[(int) buffer.readableBytes()];
        buffer.getBytes(buffer.readerIndex(), bytes);
        return bytes;
    }
}
