package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.local.TestStore.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When key indexes are flushed so that a restart is quick. */
class ReplayCostTest {

    private static final int ROWS = 200;

    @TempDir private Path directory;

    private TestStore newStore() {
        return new TestStore(
                LocalHotStoreConfig.of(directory)
                        .withReplayBytes(1 << 20)
                        .withMaintenanceInterval(Duration.ofMillis(20)));
    }

    private static List<Change> upserts(long from, long to) {
        return LongStream.range(from, to).mapToObj(id -> Change.upsert(id, "v" + id)).toList();
    }

    private long flushedFiles() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".sst")).count();
        }
    }

    @Test
    void manySmallBatchesAreFlushedBeforeTheyAreLong() {
        try (TestStore store = newStore()) {
            HotTable table = store.create(TestStore.primaryKeyTable("t", 1, Map.of()));
            UUID writer = UUID.randomUUID();
            for (int row = 0; row < ROWS; row++) {
                store.append(table, 0, writer, row, upserts(row, row + 1)).join();
            }
            await().untilAsserted(() -> assertThat(flushedFiles()).isPositive());
            assertThat(TestStore.lookup(table, 0, ROWS - 1)).contains("v" + (ROWS - 1));
        }
    }
}
