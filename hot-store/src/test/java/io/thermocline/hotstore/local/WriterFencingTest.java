package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriterFencingTest {

    private static final UUID ID = UUID.randomUUID();

    @TempDir private Path directory;

    private final HotTableSpec spec = TestStore.primaryKeyTable("t", 2, Map.of());

    private static void write(
            TestStore store, HotTable table, int bucket, WriterEpoch writer, String value) {
        store.append(table, bucket, writer, 0, List.of(Change.upsert(1, value))).join();
    }

    private static void assertRefused(TestStore store, HotTable table, WriterEpoch writer) {
        assertThatThrownBy(
                        () ->
                                store.append(table, 0, writer, 1, List.of(Change.upsert(1, "old")))
                                        .join())
                .hasMessageContaining("FENCED: batch 1 of writer " + writer + " was refused");
        assertThat(TestStore.lookup(table, 0, 1)).contains("new");
    }

    @Test
    void whatAnEarlierLifeStillSendsIsRefusedInBucketsThatTheLaterWroteTo() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(spec);
            WriterEpoch earlier = table.beginWriter(ID);
            write(store, table, 0, earlier, "older");
            WriterEpoch later = table.beginWriter(ID);
            write(store, table, 0, later, "new");

            assertRefused(store, table, earlier);
            write(store, table, 1, earlier, "elsewhere");
            assertThat(TestStore.lookup(table, 1, 1)).contains("elsewhere");
        }
    }

    @Test
    void aFenceOutlivesTheStore() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(spec);
            WriterEpoch earlier = table.beginWriter(ID);
            write(store, table, 0, earlier, "older");
            WriterEpoch later = table.beginWriter(ID);
            write(store, table, 0, later, "new");
            store.reopen();
            assertRefused(store, store.open(spec), earlier);
        }
    }

    @Test
    void aFenceOutlivesTheJournalThatItWasWrittenTo() {
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withJournalRoll(1, Duration.ofMillis(1))
                        .withMaintenanceInterval(Duration.ofMillis(5));
        try (TestStore store = new TestStore(config)) {
            HotTable table = store.create(spec);
            WriterEpoch earlier = table.beginWriter(ID);
            write(store, table, 0, earlier, "older");
            WriterEpoch later = table.beginWriter(ID);
            write(store, table, 0, later, "new");
            Path first = directory.resolve("journal").resolve("%020d.journal".formatted(0));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(
                            () ->
                                    Files.notExists(first)
                                            && Manifest.read(
                                                                    directory
                                                                            .resolve("tables")
                                                                            .resolve(
                                                                                    spec.tableId()),
                                                                    2)
                                                            .buckets()
                                                            .get(0)
                                                            .endOffset()
                                                    == 3);
            store.reopen();
            assertRefused(store, store.open(spec), earlier);
        }
    }

    @Test
    void aWriterMustHaveItsEpochFromTheStore() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(spec);
            WriterEpoch begun = table.beginWriter(ID);
            for (long epoch : new long[] {-1, begun.epoch() + 1}) {
                assertThatThrownBy(() -> write(store, table, 0, new WriterEpoch(ID, epoch), "x"))
                        .hasMessageContaining(
                                "INVALID_ARGUMENT: writer "
                                        + ID
                                        + " in epoch "
                                        + epoch
                                        + " does not have that epoch from this store");
            }
            assertThat(TestStore.end(table, 0)).isZero();
        }
    }

    @Test
    void noEpochIsGivenTwiceAlsoAfterACrash() throws IOException {
        FaultyFiles files = new FaultyFiles();
        new StoreFile(new StoreIdentity("store", 1), 0).write(directory, files);
        long last = 0;
        for (int life = 0; life < 4; life++) {
            // Nothing is said to a store that crashes: only what is on disk counts.
            WriterEpochs epochs = new WriterEpochs(directory, StoreFile.read(directory), files);
            for (long i = 0; i < WriterEpochs.RESERVED_AT_ONCE + life; i++) {
                long next = epochs.next();
                assertThat(next).isGreaterThan(last);
                last = next;
            }
        }
    }

    @Test
    void anEpochThatCannotBeMadeDurableIsNotGiven() {
        FaultyFiles files = new FaultyFiles();
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withFiles(files, Clock.systemUTC());
        try (TestStore store = new TestStore(config)) {
            HotTable table = store.create(spec);
            files.fillAfter(0);
            assertThatThrownBy(() -> table.beginWriter(ID))
                    .hasMessageContaining("DISK_FULL: cannot begin a writer: ")
                    .hasMessageContaining("store.json cannot be written")
                    .hasMessageContaining("No space left on device");
            files.heal();
            assertThat(table.beginWriter(ID).epoch()).isEqualTo(1);
        }
    }

    @Test
    void aClosedStoreGivesNoEpochAndLeavesItsFileAlone() {
        StoreFile file = new StoreFile(new StoreIdentity(UUID.randomUUID().toString(), 0), 0);
        WriterEpochs epochs = new WriterEpochs(directory, file, StorageFiles.DISK);
        assertThat(epochs.next()).isEqualTo(1);
        assertThat(StoreFile.read(directory).reservedWriterEpochs())
                .isEqualTo(WriterEpochs.RESERVED_AT_ONCE);
        epochs.close();
        assertThatThrownBy(epochs::next)
                .hasMessage(
                        "STORE_FAILED: cannot begin a writer: the hot store in "
                                + directory
                                + " is closed");
        assertThat(StoreFile.read(directory).reservedWriterEpochs())
                .isEqualTo(WriterEpochs.RESERVED_AT_ONCE);
    }
}
