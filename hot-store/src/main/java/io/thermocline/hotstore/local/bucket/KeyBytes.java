package io.thermocline.hotstore.local.bucket;

import java.util.Arrays;

/** An encoded primary key as a map key. */
final class KeyBytes {

    private final byte[] bytes;
    private final int hash;

    KeyBytes(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
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
