package io.thermocline.hotstore.local.keyindex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyIndexTest {

    @TempDir private Path directory;
    private KeyIndexMemory memory;

    @BeforeEach
    void takeMemory() {
        memory = new KeyIndexMemory(8 << 20);
    }

    @AfterEach
    void giveMemoryBack() {
        memory.close();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static void put(KeyIndex index, long appliedOffset, String... keysAndValues) {
        try (KeyIndex.Changes changes = new KeyIndex.Changes()) {
            for (int i = 0; i < keysAndValues.length; i += 2) {
                String value = keysAndValues[i + 1];
                changes.put(bytes(keysAndValues[i]), value == null ? null : bytes(value));
            }
            index.write(changes, appliedOffset);
        }
    }

    static List<String> values(KeyIndexScan scan) {
        try (scan) {
            List<String> values = new ArrayList<>();
            while (scan.next()) {
                values.add(
                        new String(scan.key(), StandardCharsets.UTF_8)
                                + "="
                                + new String(scan.value(), StandardCharsets.UTF_8));
            }
            return values;
        }
    }

    @Test
    void rowsAndAppliedOffsetAreThereAfterAReopen() {
        try (KeyIndex index = KeyIndex.open(directory, memory)) {
            assertThat(index.appliedOffset()).isZero();
            put(index, 3, "a", "1", "b", "2", "c", "3");
            assertThat(index.flushedOffset()).isZero();
            index.flush();
            assertThat(index.flushedOffset()).isEqualTo(3);
            put(index, 4, "b", null);
        }
        try (KeyIndex index = KeyIndex.open(directory, memory)) {
            assertThat(index.appliedOffset()).isEqualTo(4);
            assertThat(index.get(bytes("a"))).isEqualTo(bytes("1"));
            assertThat(index.get(bytes("b"))).isNull();
            assertThat(index.multiGet(List.of(bytes("c"), bytes("x"), bytes("a"))))
                    .containsExactly(bytes("3"), null, bytes("1"));
        }
    }

    @Test
    void aPrefixScanSeesItsKeysInOrder() {
        try (KeyIndex index = KeyIndex.open(directory, memory)) {
            put(index, 1, "ab", "2", "aa", "1", "b", "3", "a", "0");
            assertThat(values(index.scan(bytes("a")))).containsExactly("a=0", "aa=1", "ab=2");
            assertThat(values(index.scan(bytes("")))).hasSize(4);
            byte[] high = {(byte) 0xff, (byte) 0xff};
            try (KeyIndex.Changes changes = new KeyIndex.Changes()) {
                changes.put(high, bytes("z"));
                index.write(changes, 2);
            }
            try (KeyIndexScan scan = index.scan(Arrays.copyOf(high, 1))) {
                assertThat(scan.next()).isTrue();
                assertThat(scan.key()).isEqualTo(high);
                assertThat(scan.next()).isFalse();
            }
        }
    }

    @Test
    void aViewDoesNotSeeLaterChanges() {
        try (KeyIndex index = KeyIndex.open(directory, memory)) {
            put(index, 1, "a", "1");
            try (KeyIndexView view = index.pin()) {
                put(index, 2, "a", "2", "b", "3");
                index.flush();
                assertThat(view.appliedOffset()).isEqualTo(1);
                assertThat(values(view.scan())).containsExactly("a=1");
            }
            assertThat(values(index.scan(bytes("")))).containsExactly("a=2", "b=3");
        }
    }

    @Test
    void aClosedIndexRefusesReads() {
        KeyIndex index = KeyIndex.open(directory, memory);
        index.close();
        assertThatThrownBy(() -> index.get(bytes("a")))
                .hasMessageContaining("TABLE_CLOSED: the key index in " + directory);
    }
}
