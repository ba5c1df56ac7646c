package io.thermocline.hotstore.local.bucket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** An encoded primary key as a map key. */
final class KeyBytes {

    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

    private final byte[] bytes;
    private final int hash;

    KeyBytes(byte[] bytes) {
        this.bytes = bytes;
        this.hash = hash(bytes);
    }

    /** Neighbouring numbers share most bytes: Arrays.hashCode gives many of them the same hash. */
    private static int hash(byte[] bytes) {
        long hash = bytes.length;
        int at = 0;
        for (; at + Long.BYTES <= bytes.length; at += Long.BYTES) {
            hash = mix(hash ^ (long) WORD.get(bytes, at));
        }
        for (; at < bytes.length; at++) {
            hash = mix(hash ^ bytes[at]);
        }
        return (int) hash;
    }

    private static long mix(long value) {
        long product = value * MULTIPLIER;
        return product ^ (product >>> 32);
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyBytes that
                && hash == that.hash
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
