package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.local.TestStore.Change;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFaultTest {

    private static final UUID WRITER = UUID.randomUUID();
    private static final String BIG =
            new Random(1)
                    .ints(2 << 20, 'a', 'z')
                    .collect(
                            StringBuilder::new,
                            StringBuilder::appendCodePoint,
                            StringBuilder::append)
                    .toString();

    private final FaultyFiles files = new FaultyFiles();
    private final HotTableSpec spec = TestStore.primaryKeyTable("t", 1, Map.of());

    @TempDir private Path directory;

    private TestStore open() {
        return new TestStore(
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withFiles(files, Clock.systemUTC()));
    }

    @Test
    void aFullDiskFailsWritersClearlyAndWritingGoesOnWhenThereIsSpace() {
        try (TestStore store = open()) {
            HotTable table = store.create(spec);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();
            files.fillAfter(100);

            List<CompletableFuture<AppendResult>> refused = new ArrayList<>();
            for (int i = 1; i < 20; i++) {
                refused.add(store.append(table, 0, WRITER, i, List.of(Change.upsert(1, "x" + i))));
            }
            for (CompletableFuture<AppendResult> future : refused) {
                assertThatThrownBy(future::join)
                        .isInstanceOf(CompletionException.class)
                        .hasMessageMatching("(?s).*(DISK_FULL|OUT_OF_SEQUENCE).*");
            }
            assertThat(TestStore.lookup(table, 0, 1)).contains("a");
            assertThat(TestStore.end(table, 0)).isEqualTo(1);

            files.heal();
            Awaitility.await()
                    .ignoreExceptions()
                    .untilAsserted(
                            () ->
                                    assertThat(
                                                    store.append(
                                                                    table,
                                                                    0,
                                                                    WRITER,
                                                                    1,
                                                                    List.of(Change.upsert(1, "b")))
                                                            .join()
                                                            .endOffset())
                                            .isEqualTo(3));
            store.reopen();
            assertThat(TestStore.lookup(store.open(spec), 0, 1)).contains("b");
            assertThat(TestStore.changelog(store.open(spec), 0, 0)).hasSize(3);
        }
    }

    @Test
    void aFullDiskIsFoundInAnyLanguage() {
        try (TestStore store = open()) {
            HotTable table = store.create(spec);
            files.fillAfter(100, "Auf dem Ger\u00e4t ist kein Speicherplatz mehr verf\u00fcgbar");
            assertThatThrownBy(() -> append(store, table, 0, "a").join())
                    .hasMessageContaining("DISK_FULL: no space left for " + directory);
            files.heal();
            append(store, table, 0, "b").join();
            assertThat(TestStore.lookup(table, 0, 1)).contains("b");
        }
    }

    @Test
    void aFailedWriteWhileThereIsSpaceEndsWriting() {
        try (TestStore store = open()) {
            HotTable table = store.create(spec);
            append(store, table, 0, "a").join();
            files.failWritesAfter(100, "Input/output error");
            assertThatThrownBy(() -> append(store, table, 1, "b").join())
                    .hasMessageContaining("STORE_FAILED: the journal " + directory)
                    .hasMessageContaining(
                            "writing failed (java.io.IOException: Input/output error)");
            files.heal();
            assertThatThrownBy(() -> append(store, table, 1, "c").join())
                    .hasMessageContaining("STORE_FAILED");
            assertThat(TestStore.lookup(table, 0, 1)).contains("a");
        }
    }

    private static CompletableFuture<AppendResult> append(
            TestStore store, HotTable table, long sequence, String value) {
        return store.append(table, 0, WRITER, sequence, List.of(Change.upsert(1, value)));
    }

    @Test
    void aWriterWhoseFirstBatchWasLostCannotGoOnWithItsSecond() {
        try (TestStore store = open()) {
            HotTable table = store.create(spec);
            files.fillAfter(100);
            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    WRITER,
                                                    0,
                                                    List.of(Change.upsert(1, "a")))
                                            .join())
                    .hasMessageContaining("DISK_FULL");
            files.heal();

            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    WRITER,
                                                    1,
                                                    List.of(Change.upsert(1, "b")))
                                            .join())
                    .hasMessageContaining("OUT_OF_SEQUENCE");
            assertThat(TestStore.end(table, 0)).isZero();
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();
            store.append(table, 0, WRITER, 1, List.of(Change.upsert(1, "b"))).join();
            assertThat(TestStore.lookup(table, 0, 1)).contains("b");
        }
    }

    @Test
    void aTableWhoseDropFailedGoesOnWithoutAGap() throws Exception {
        HotTableSpec two = TestStore.primaryKeyTable("t", 2, Map.of());
        try (TestStore store = open()) {
            HotTable table = store.create(two);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();
            CountDownLatch go = files.holdWrites();
            CompletableFuture<AppendResult> held =
                    store.append(table, 1, WRITER, 0, List.of(Change.upsert(2, "x")));
            files.awaitHeldWrite();
            AtomicReference<Throwable> dropFailure = new AtomicReference<>();
            Thread drop =
                    new Thread(
                            () -> {
                                try {
                                    store.store().dropTable(two.tableId());
                                } catch (RuntimeException e) {
                                    dropFailure.set(e);
                                }
                            });
            drop.start();
            Awaitility.await().until(() -> drop.getState() == Thread.State.WAITING);
            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    WRITER,
                                                    1,
                                                    List.of(Change.upsert(1, "y")))
                                            .join())
                    .hasMessageContaining("TABLE_CLOSED: table db.t");
            files.fillAfter(10);
            go.countDown();
            assertThatThrownBy(held::join).hasMessageContaining("DISK_FULL");
            drop.join();
            assertThat(dropFailure.get()).hasMessageContaining("DISK_FULL");
            files.heal();

            AppendResult next =
                    store.append(table, 0, WRITER, 1, List.of(Change.upsert(1, "b"))).join();
            assertThat(next.baseOffset()).isEqualTo(1);
            assertThat(TestStore.changelog(table, 0, 0)).hasSize(3);
            store.reopen();
            assertThat(TestStore.lookup(store.open(two), 0, 1)).contains("b");
        }
    }

    @Test
    void aFailedForceEndsWritingAndWhatWasAcknowledgedStays() {
        try (TestStore store = open()) {
            HotTable table = store.create(spec);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();
            files.failForce(true);

            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    WRITER,
                                                    1,
                                                    List.of(Change.upsert(1, "b")))
                                            .join())
                    .hasMessageContaining("STORE_FAILED: the journal " + directory)
                    .hasMessageContaining("restart the store");
            assertThat(TestStore.lookup(table, 0, 1)).contains("a");
            files.heal();
            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    WRITER,
                                                    2,
                                                    List.of(Change.upsert(1, "c")))
                                            .join())
                    .hasMessageContaining("STORE_FAILED");
        }
    }

    @Test
    void aFullDiskThatCannotBeUndoneEndsWriting() {
        try (TestStore store = open()) {
            HotTable table = store.create(spec);
            files.failTruncate(true);
            files.fillAfter(100);

            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    WRITER,
                                                    0,
                                                    List.of(Change.upsert(1, "b")))
                                            .join())
                    .hasMessageContaining("STORE_FAILED")
                    .hasMessageContaining("undoing a partial write failed");
            files.heal();
        }
    }

    @Test
    void retentionGoesOnWhileThereIsNoSpaceForSegments() {
        HotTableSpec log = TestStore.logTable("log", 1, Map.of("hot.log.retention", "1 ms"));
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withFiles(files, Clock.systemUTC())
                        .withJournalRoll(1, Duration.ofMinutes(5))
                        .withMaintenanceInterval(Duration.ofMillis(20));
        try (TestStore store = new TestStore(config)) {
            HotTable table = store.create(log);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();
            Path changelog = directory.resolve("tables/" + log.tableId() + "/bucket-0/changelog");
            Awaitility.await().until(() -> Files.exists(changelog.resolve(segment(0, 1))));
            assertThat(files.forcedDirectories()).contains(changelog.getParent());

            files.failCreating("/changelog/");
            store.append(table, 0, WRITER, 1, List.of(Change.upsert(2, "b"))).join();
            Awaitility.await().until(() -> files.refusedFiles() > 0);
            table.reportTieredOffsets(Map.of(0, 1L));
            table.reportTieredOffsets(Map.of(0, 1L));
            Awaitility.await()
                    .untilAsserted(() -> assertThat(TestStore.start(table, 0)).isEqualTo(1));
            assertThat(Files.exists(changelog.resolve(segment(0, 1)))).isFalse();

            files.heal();
            Awaitility.await().until(() -> Files.exists(changelog.resolve(segment(1, 2))));
            assertThat(TestStore.changelog(table, 0, 1)).hasSize(1);
        }
    }

    @Test
    void aSegmentThatFindsNoSpaceHoldsNoMemory() {
        HotTableSpec log = TestStore.logTable("log", 1, Map.of());
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withFiles(files, Clock.systemUTC())
                        .withJournalRoll(10L * BIG.length(), Duration.ofMinutes(5))
                        .withMaintenanceInterval(Duration.ofMillis(20));
        long before = ArrowMemory.root().getAllocatedMemory();
        try (TestStore store = new TestStore(config)) {
            HotTable table = store.create(log);
            files.failLargeWrites("/changelog/");
            // As much as does not fit into one group.
            for (int i = 0; i < 11; i++) {
                store.append(table, 0, WRITER, i, List.of(Change.upsert(i, BIG))).join();
            }
            Awaitility.await().until(() -> files.refusedFiles() > 2);
            files.heal();
        }
        assertThat(ArrowMemory.root().getAllocatedMemory()).isEqualTo(before);
    }

    @Test
    void readersBeginAndEndWhileTheDiskIsFull() {
        try (TestStore store = open()) {
            HotTable table = store.create(spec);
            append(store, table, 0, "a").join();
            files.fillAfter(0);
            LeaseRequest request =
                    new LeaseRequest(
                            "reader", Map.of(0, 0L), LeaseRequest.NO_SNAPSHOT, 600_000, true);
            String ended = table.acquireLease(request);
            String kept = table.acquireLease(request);
            table.releaseLeases(List.of(ended));
            assertThat(TestStore.lookup(table, 0, 1)).contains("a");
            assertThat(table.status().get(0).leases()).isEqualTo(1);
            assertThatThrownBy(() -> store.create(TestStore.logTable("other", 1, Map.of())))
                    .hasMessageStartingWith(
                            "DISK_FULL: cannot write the definition of table db.other to ")
                    .hasMessageEndingWith(
                            ". Free space on that disk: it is possible again then, reading is not"
                                    + " affected.");

            files.heal();
            assertThat(table.status().get(0).leases()).isEqualTo(1);
            store.reopen();
            store.open(spec).renewLease(kept, Map.of());
            assertThat(store.open(spec).status().get(0).leases()).isEqualTo(1);
        }
    }

    @Test
    void aJournalFileThatCannotBeRemovedAgainEndsWriting() {
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withFiles(files, Clock.systemUTC())
                        .withJournalRoll(1, Duration.ofMinutes(5));
        try (TestStore store = new TestStore(config)) {
            HotTable table = store.create(spec);
            append(store, table, 0, "a").join();
            files.failForcingDirectories(true);
            long[] next = {1};
            Awaitility.await()
                    .untilAsserted(
                            () ->
                                    assertThatThrownBy(
                                                    () -> {
                                                        append(store, table, next[0], "b").join();
                                                        next[0]++;
                                                    })
                                            .hasMessageContaining("STORE_FAILED: the journal ")
                                            .hasMessageContaining("which could not be begun"));
            files.heal();
            store.reopen();
            assertThat(TestStore.lookup(store.open(spec), 0, 1)).contains(next[0] > 1 ? "b" : "a");
        }
    }

    private static String segment(long from, long to) {
        return "%020d-%020d.segment".formatted(from, to);
    }
}
