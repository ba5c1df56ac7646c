package io.thermocline.hotstore.flight;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Application metadata of an answer on a lookup stream, little-endian: i64 request id, i32 error
 * code or 0, i8 whether it is the last message of this answer, then the error's message in UTF-8.
 */
record LookupAnswer(long requestId, int errorCode, boolean last, String message) {

    static LookupAnswer rows(long requestId, boolean last) {
        return new LookupAnswer(requestId, 0, last, "");
    }

    static LookupAnswer failure(long requestId, int errorCode, String message) {
        return new LookupAnswer(requestId, errorCode, true, message);
    }

    byte[] toBytes() {
        byte[] text = message.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Long.BYTES + Integer.BYTES + 1 + text.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(requestId)
                .putInt(errorCode)
                .put((byte) (last ? 1 : 0))
                .put(text)
                .array();
    }

    static LookupAnswer read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new LookupAnswer(
                in.getLong(),
                in.getInt(),
                in.get() != 0,
                StandardCharsets.UTF_8.decode(in).toString());
    }

    /** Metadata of a lookup request: i64 request id. */
    static byte[] request(long requestId) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(requestId)
                .array();
    }

    static long requestId(byte[] bytes) {
        WireExchange.checkLength(bytes, Long.BYTES);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }
}
