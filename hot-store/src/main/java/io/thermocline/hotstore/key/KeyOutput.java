package io.thermocline.hotstore.key;

import java.util.Arrays;

/** Bytes that grow. Numbers are big-endian, so that byte order is their order. Not thread-safe. */
final class KeyOutput {

    private static final int ESCAPED_ZERO = 0xFF;

    private byte[] bytes;
    private int length;

    KeyOutput(int expectedBytes) {
        this.bytes = new byte[expectedBytes];
    }

    void writeByte(int value) {
        ensure(1);
        bytes[length++] = (byte) value;
    }

    void writeShort(int value) {
        ensure(Short.BYTES);
        bytes[length++] = (byte) (value >>> 8);
        bytes[length++] = (byte) value;
    }

    void writeInt(int value) {
        ensure(Integer.BYTES);
        for (int shift = Integer.SIZE - 8; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
    }

    void writeLong(long value) {
        ensure(Long.BYTES);
        for (int shift = Long.SIZE - 8; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
    }

    /** Writes a byte string that ends itself: 00 becomes 00 FF, the end is 00 00. */
    void writeEscaped(byte[] value) {
        int zeros = 0;
        for (byte b : value) {
            zeros += b == 0 ? 1 : 0;
        }
        ensure(value.length + zeros + 2);
        for (byte b : value) {
            bytes[length++] = b;
            if (b == 0) {
                bytes[length++] = (byte) ESCAPED_ZERO;
            }
        }
        writeShort(0);
    }

    private void ensure(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
        }
    }

    byte[] toBytes() {
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }
}
