package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.apache.flink.table.data.GenericRowData;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The key index finds no space, and the journal still does. */
@EnabledOnOs(OS.LINUX)
class FullKeyIndexTest {

    private static final UUID WRITER = UUID.randomUUID();
    private static final UUID OTHER = UUID.randomUUID();

    private final FaultyFiles files = new FaultyFiles();

    @TempDir private Path directory;

    @Test
    void whatIsDurableIsPublishedOnceWhenThereIsSpace() throws Exception {
        HotTableSpec spec = TestStore.primaryKeyTable("t", 2, Map.of());
        try (SteppedBuckets table = new SteppedBuckets(directory, files, spec, () -> {})) {
            CompletableFuture<AppendResult> first = table.append(0, WRITER, 0, 1, "a");
            table.await(first);
            table.await(table.append(1, WRITER, 0, 2, "b"));
            KeyIndex index = table.buckets().bucket(0).keyIndex();
            Path full = directory.resolve("table/bucket-0/keyindex");
            FullDevice.fill(full);
            assertThatThrownBy(index::flush)
                    .hasMessageStartingWith("DISK_FULL: the key index in " + full + " failed: ")
                    .hasMessageEndingWith(
                            ". Free space on that disk: writing goes on then, reading is not"
                                    + " affected.");

            // Durable and not yet published; what comes behind finds no space in the journal.
            CompletableFuture<AppendResult> kept = table.append(0, WRITER, 1, 1, "a2");
            CompletableFuture<AppendResult> keptToo = table.append(1, WRITER, 1, 2, "b2");
            table.apply();
            Awaitility.await().until(() -> table.durableGroups() == 4);
            files.fillAfter(0);
            CompletableFuture<AppendResult> lost = table.append(0, OTHER, 0, 3, "c");
            table.apply();
            table.await(lost);
            files.heal();

            assertThatThrownBy(kept::join).hasMessageContaining("DISK_FULL: the key index in");
            assertThatThrownBy(keptToo::join).hasMessageContaining("DISK_FULL: the key index in");
            assertThatThrownBy(lost::join).hasMessageContaining("DISK_FULL: no space left for");
            CompletableFuture<AppendResult> refused = table.append(0, WRITER, 1, 1, "a2");
            table.await(refused);
            assertThatThrownBy(refused::join)
                    .hasMessageContaining("DISK_FULL: table db.t takes no rows now: DISK_FULL: ");
            assertThat(table.buckets().ends().ends()).containsExactly(1, 1);
            assertThat(index.get(key(spec, 1))).isNotNull();
            assertThat(table.buckets().bucket(1).keyIndex().appliedOffset())
                    .as("of the index that has space")
                    .isEqualTo(1);

            FullDevice.heal(full);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(
                            () -> assertThatCode(index::checkWritable).doesNotThrowAnyException());
            table.buckets().retryStalled();
            table.run();

            assertThat(table.buckets().ends().ends()).containsExactly(3, 3);
            assertThat(index.appliedOffset()).isEqualTo(3);
            assertThat(index.rowCount()).isEqualTo(1);
            CompletableFuture<AppendResult> again = table.append(0, WRITER, 1, 1, "a2");
            CompletableFuture<AppendResult> lostAgain = table.append(0, OTHER, 0, 3, "c");
            CompletableFuture<AppendResult> next = table.append(0, WRITER, 2, 1, "a3");
            table.await(next);
            assertThat(again.join().baseOffset()).isEqualTo(1);
            assertThat(lostAgain.join().baseOffset()).isEqualTo(3);
            assertThat(next.join().baseOffset()).isEqualTo(4);
            assertThat(index.rowCount()).isEqualTo(2);
        }
    }

    private static byte[] key(HotTableSpec spec, long id) {
        return KeyEncoder.forRows(spec, List.of("id")).encode(GenericRowData.of(id));
    }

    @Test
    void theStoreGoesOnByItselfAndLetsItsJournalFilesGo() throws Exception {
        HotTableSpec spec = TestStore.primaryKeyTable("t", 2, Map.of());
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withFiles(files, Clock.systemUTC())
                        .withJournalRoll(1 << 10, Duration.ofMinutes(5))
                        .withReplayBytes(1)
                        .withMaintenanceInterval(Duration.ofMillis(20));
        try (TestStore store = new TestStore(config)) {
            HotTable table = store.create(spec);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "v0"))).join();
            store.append(table, 1, WRITER, 0, List.of(Change.upsert(2, "w"))).join();
            Path full = FullDevice.keyIndex(directory, spec.tableId(), 0);
            FullDevice.fill(full);

            long kept = 1;
            while (isTaken(store, table, kept)) {
                kept++;
            }
            long refused = kept;
            assertThat(TestStore.lookup(table, 1, 2)).contains("w");
            assertThat(TestStore.lookup(table, 0, 1).orElseThrow())
                    .isIn("v" + (refused - 1), "v" + refused);
            try (KeyIndexSnapshot snapshot = table.openKeyIndexSnapshot(60_000)) {
                assertThat(snapshot.offsets().offsets().get(1)).isEqualTo(1);
            }

            FullDevice.heal(full);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> isTaken(store, table, refused));
            assertThat(isTaken(store, table, refused + 1)).isTrue();
            Path journal = directory.resolve("journal");
            Awaitility.await().until(() -> count(journal) <= 2);

            store.reopen();
            HotTable again = store.open(spec);
            assertThat(TestStore.lookup(again, 0, 1)).contains("v" + (refused + 1));
            assertThat(TestStore.changelog(again, 0, 0))
                    .hasSize((int) (1 + 2 * (refused + 1)))
                    .last()
                    .extracting(TestStore.Logged::value)
                    .isEqualTo("v" + (refused + 1));
        }
    }

    private static boolean isTaken(TestStore store, HotTable table, long sequence) {
        try {
            AppendResult result =
                    store.append(
                                    table,
                                    0,
                                    WRITER,
                                    sequence,
                                    List.of(Change.upsert(1, "v" + sequence)))
                            .join();
            assertThat(result.baseOffset()).isEqualTo(2 * sequence - 1);
            return true;
        } catch (CompletionException e) {
            assertThat(e).hasMessageContaining("DISK_FULL").hasMessageContaining("the key index");
            return false;
        }
    }

    private static long count(Path journal) throws Exception {
        try (Stream<Path> listing = Files.list(journal)) {
            return listing.filter(path -> path.toString().endsWith(".journal")).count();
        }
    }
}
