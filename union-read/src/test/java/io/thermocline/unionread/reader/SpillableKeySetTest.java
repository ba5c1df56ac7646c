package io.thermocline.unionread.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillableKeySetTest {

    @TempDir Path directory;

    @Test
    void behavesLikeASetAcrossManySpills() throws IOException {
        Random random = new Random(7);
        Set<ByteBuffer> model = new HashSet<>();
        try (SpillableKeySet set = new SpillableKeySet(new SpillSettings(directory, 16 << 10))) {
            for (int i = 0; i < 60_000; i++) {
                byte[] key = key(random.nextInt(20_000));
                assertThat(set.add(key)).isEqualTo(model.add(ByteBuffer.wrap(key)));
            }
            assertThat(set.spillFiles()).isGreaterThan(5);
            assertThat(set.size()).isEqualTo(model.size());
            for (int i = 0; i < 40_000; i++) {
                byte[] key = key(i);
                assertThat(set.contains(key)).isEqualTo(model.contains(ByteBuffer.wrap(key)));
            }
            assertThat(files()).isEqualTo(set.spillFiles());
        }
        assertThat(files()).isZero();
    }

    @Test
    void staysInMemoryBelowTheLimit() throws IOException {
        try (SpillableKeySet set = new SpillableKeySet(SpillSettings.in(directory))) {
            for (int i = 0; i < 10_000; i++) {
                set.add(key(i));
            }
            assertThat(set.size()).isEqualTo(10_000);
            assertThat(files()).isZero();
        }
    }

    @Test
    void tellsKeysApartThatArePrefixesOfEachOther() {
        try (SpillableKeySet set = new SpillableKeySet(SpillSettings.in(directory))) {
            assertThat(set.add(new byte[] {})).isTrue();
            assertThat(set.add(new byte[] {0})).isTrue();
            assertThat(set.add(new byte[] {0, 0})).isTrue();
            assertThat(set.contains(new byte[] {0, 0, 0})).isFalse();
            assertThat(set.contains(new byte[] {})).isTrue();
            assertThat(set.size()).isEqualTo(3);
        }
    }

    @Test
    void takesAKeyThatIsLargerThanItsMemory() {
        byte[] large = new byte[100_000];
        try (SpillableKeySet set = new SpillableKeySet(new SpillSettings(directory, 4 << 10))) {
            assertThat(set.add(large)).isTrue();
            assertThat(set.add(large)).isFalse();
            assertThat(set.contains(large)).isTrue();
        }
    }

    @Test
    void refusesMemoryOutOfBounds() {
        assertThatThrownBy(() -> new SpillSettings(directory, 100))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "memory of a key set is 100 bytes, but must lie between 4096 and 1073741824");
    }

    private long files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.count();
        }
    }

    private static byte[] key(int number) {
        byte[] key = new byte[4 + number % 13];
        ByteBuffer.wrap(key).putInt(number);
        return key;
    }
}
