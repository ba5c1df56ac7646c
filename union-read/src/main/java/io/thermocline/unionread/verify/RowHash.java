package io.thermocline.unionread.verify;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Two independent 64-bit hashes of bytes.
 *
 * @param low the first one
 * @param high the second one
 */
record RowHash(long low, long high) {

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long LOW_MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final long HIGH_MULTIPLIER = 0xC2B2AE3D27D4EB4FL;

    static RowHash of(byte[] bytes) {
        return new RowHash(hash(bytes, LOW_MULTIPLIER), hash(bytes, HIGH_MULTIPLIER));
    }

    private static long hash(byte[] bytes, long multiplier) {
        long hash = bytes.length * multiplier;
        int position = 0;
        for (; position + Long.BYTES <= bytes.length; position += Long.BYTES) {
            hash = mix(hash ^ (long) LONGS.get(bytes, position), multiplier);
        }
        long rest = 0;
        for (int shift = 0; position < bytes.length; position++, shift += Byte.SIZE) {
            rest |= (bytes[position] & 0xFFL) << shift;
        }
        return mix(hash ^ rest, multiplier);
    }

    private static long mix(long value, long multiplier) {
        long mixed = value * multiplier;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return mixed ^ (mixed >>> 29);
    }
}
