package io.thermocline.unionread.reader;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A fast 64-bit hash of encoded keys. Only used in memory and in spill files of one process. */
final class KeyHash {

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private KeyHash() {}

    static long hash(byte[] bytes, int from, int length) {
        long hash = length * MULTIPLIER;
        int position = from;
        int end = from + length;
        for (; position + Long.BYTES <= end; position += Long.BYTES) {
            hash = mix(hash ^ (long) LONGS.get(bytes, position));
        }
        long rest = 0;
        for (int shift = 0; position < end; position++, shift += Byte.SIZE) {
            rest |= (bytes[position] & 0xFFL) << shift;
        }
        return mix(hash ^ rest);
    }

    private static long mix(long value) {
        long mixed = value * MULTIPLIER;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return mixed ^ (mixed >>> 29);
    }
}
