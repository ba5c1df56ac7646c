package io.thermocline.hotstore.local.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyBytesTest {

    private static KeyBytes key(long number) {
        return new KeyBytes(
                ByteBuffer.allocate(9).put((byte) 1).putLong(number ^ Long.MIN_VALUE).array());
    }

    @Test
    void equalBytesAreEqualKeys() {
        assertThat(key(5)).isEqualTo(key(5)).hasSameHashCodeAs(key(5)).isNotEqualTo(key(6));
        assertThat(new KeyBytes(new byte[0])).isEqualTo(new KeyBytes(new byte[0]));
        assertThat(new KeyBytes(new byte[8])).isNotEqualTo(new KeyBytes(new byte[9]));
    }

    /** Arrays.hashCode has 0.25 million hashes for a million neighbouring numbers. */
    @Test
    void neighbouringNumbersHaveDifferentHashes() {
        int keys = 200_000;
        Set<Integer> hashes = new HashSet<>();
        for (int number = 0; number < keys; number++) {
            hashes.add(key(number).hashCode());
        }

        assertThat(hashes).hasSizeGreaterThan(keys * 99 / 100);
    }
}
