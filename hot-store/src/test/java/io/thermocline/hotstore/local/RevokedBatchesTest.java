package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.local.bucket.TableBuckets;
import io.thermocline.hotstore.local.bucket.TableContext;
import io.thermocline.hotstore.local.journal.Journal;
import io.thermocline.hotstore.local.journal.JournalEntry;
import io.thermocline.hotstore.local.journal.JournalFile;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Buckets whose threads go on when the test says so, above a journal on a disk with faults. */
class RevokedBatchesTest implements Journal.Listener {

    private final FaultyFiles files = new FaultyFiles();
    private final Queue<Runnable> applying = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> publishing = new ConcurrentLinkedQueue<>();
    private final Semaphore mayTell = new Semaphore(0);
    private final AtomicInteger revocations = new AtomicInteger();
    private final HotTableSpec spec = TestStore.logTable("t", 1, Map.of());
    private final BufferAllocator allocator = ArrowMemory.newAllocator("test");

    @TempDir private Path directory;

    private Journal journal;
    private TableBuckets buckets;

    @BeforeEach
    void open() throws Exception {
        Journal.Settings settings =
                new Journal.Settings(
                        directory, UUID.randomUUID(), 1 << 20, files, Clock.systemUTC());
        Journal.create(settings);
        journal = Journal.open(settings, (kind, id, bucket, place, bytes) -> {}, new ArrayList<>());
        UUID tableId = UUID.fromString(spec.tableId());
        buckets =
                new TableBuckets(
                        new TableContext(
                                spec,
                                tableId,
                                directory.resolve("table"),
                                journal,
                                null,
                                allocator,
                                applying::add,
                                publishing::add),
                        () -> {});
        journal.start(this);
    }

    @AfterEach
    void close() {
        mayTell.release(10);
        journal.close();
        run();
        buckets.close();
        allocator.close();
    }

    @Override
    public void roundDurable(long commitTimestamp, List<JournalEntry> entries) {
        buckets.roundDurable(entries);
    }

    @Override
    public void entriesRevoked(List<JournalEntry> entries, HotStoreException cause) {
        revocations.incrementAndGet();
        mayTell.acquireUninterruptibly();
        buckets.revoked(entries, cause);
    }

    @Override
    public void fileRolled(JournalFile file) {
        throw new AssertionError("the file is not full");
    }

    private void run() {
        while (!publishing.isEmpty() || !applying.isEmpty()) {
            Runnable task = publishing.isEmpty() ? applying.poll() : publishing.poll();
            task.run();
        }
    }

    private CompletableFuture<AppendResult> append(UUID writer) {
        CompletableFuture<AppendResult> result = new CompletableFuture<>();
        GenericRowData row = GenericRowData.of(1L, StringData.fromString("v"));
        buckets.append(
                new AppendBatch(
                        0, writer, 0, RowBatches.of(TestStore.ROW_TYPE, List.of(row), allocator)),
                result);
        run();
        return result;
    }

    private void await(CompletableFuture<?> future) {
        Awaitility.await()
                .until(
                        () -> {
                            run();
                            return future.isDone();
                        });
    }

    @Test
    void batchesAreNotTakenBeforeTheLastLossWasAnswered() {
        files.failWritesAfter(10, "No space left on device");
        CompletableFuture<AppendResult> lost = append(UUID.randomUUID());
        mayTell.release();
        Awaitility.await().until(() -> !publishing.isEmpty());

        // a drop is lost too before the buckets went back because of the batch
        CompletableFuture<Void> drop = new CompletableFuture<>();
        journal.submit(buckets.dropEntry(drop));
        Awaitility.await().until(() -> revocations.get() == 2);
        files.heal();
        run();
        assertThatThrownBy(lost::join).hasMessageContaining("DISK_FULL");
        CompletableFuture<AppendResult> early = append(UUID.randomUUID());

        mayTell.release();
        await(drop);
        await(early);
        assertThatThrownBy(drop::join).hasMessageContaining("DISK_FULL");
        assertThatThrownBy(early::join).hasMessageContaining("DISK_FULL");
        Awaitility.await()
                .ignoreExceptions()
                .untilAsserted(
                        () -> {
                            CompletableFuture<AppendResult> next = append(UUID.randomUUID());
                            await(next);
                            assertThat(next.join().baseOffset()).isZero();
                        });
        CompletableFuture<AppendResult> second = append(UUID.randomUUID());
        await(second);
        assertThat(second.join().baseOffset()).isEqualTo(1);
        assertThat(buckets.ends().ends()).containsExactly(2);
    }
}
