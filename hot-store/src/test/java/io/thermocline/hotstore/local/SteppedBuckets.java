package io.thermocline.hotstore.local;

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
import io.thermocline.hotstore.local.keyindex.KeyIndexMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.awaitility.Awaitility;

/** The buckets of a table whose threads go on when the test says so, above a journal. */
final class SteppedBuckets implements Journal.Listener, AutoCloseable {

    private final Queue<Runnable> applying = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> publishing = new ConcurrentLinkedQueue<>();
    private final BufferAllocator allocator = ArrowMemory.newAllocator("test");
    private final KeyIndexMemory memory = new KeyIndexMemory(8 << 20);
    private final AtomicInteger durableGroups = new AtomicInteger();
    private final Runnable beforeRevocation;
    private final Journal journal;
    private final TableBuckets buckets;

    /**
     * @param directory for the journal and the table
     * @param beforeRevocation is run by the journal's thread before it tells of lost entries
     */
    SteppedBuckets(Path directory, FaultyFiles files, HotTableSpec spec, Runnable beforeRevocation)
            throws IOException {
        this.beforeRevocation = beforeRevocation;
        Journal.Settings settings =
                new Journal.Settings(
                        directory, UUID.randomUUID(), 1 << 20, files, Clock.systemUTC());
        Journal.create(settings);
        journal = Journal.open(settings, (kind, id, bucket, place, bytes) -> {}, new ArrayList<>());
        TableContext context =
                new TableContext(
                        spec,
                        UUID.fromString(spec.tableId()),
                        directory.resolve("table"),
                        files,
                        journal,
                        memory,
                        allocator,
                        applying::add,
                        publishing::add);
        buckets = new TableBuckets(context, () -> {});
        journal.start(this);
    }

    Journal journal() {
        return journal;
    }

    TableBuckets buckets() {
        return buckets;
    }

    /** How many turns of the publishing thread wait to be run. */
    int publishTurns() {
        return publishing.size();
    }

    /** How many batches are durable, published or not. */
    int durableGroups() {
        return durableGroups.get();
    }

    @Override
    public void roundDurable(long commitTimestamp, List<JournalEntry> entries) {
        buckets.roundDurable(entries);
        durableGroups.addAndGet(entries.size());
    }

    @Override
    public void entriesRevoked(List<JournalEntry> entries, HotStoreException cause) {
        beforeRevocation.run();
        buckets.revoked(entries, cause);
    }

    @Override
    public void fileRolled(JournalFile file) {
        throw new AssertionError("the file is not full");
    }

    /** Sends a batch of one row; it is not applied before {@link #apply} or {@link #run}. */
    CompletableFuture<AppendResult> append(
            int bucket, UUID writer, long sequence, long id, String value) {
        CompletableFuture<AppendResult> result = new CompletableFuture<>();
        GenericRowData row = GenericRowData.of(id, StringData.fromString(value));
        buckets.append(
                new AppendBatch(
                        bucket,
                        writer,
                        sequence,
                        RowBatches.of(TestStore.ROW_TYPE, List.of(row), allocator)),
                result);
        return result;
    }

    /** Applies what was sent. */
    void apply() {
        for (Runnable task = applying.poll(); task != null; task = applying.poll()) {
            task.run();
        }
    }

    /** Publishes and applies everything that is there. */
    void run() {
        while (!publishing.isEmpty() || !applying.isEmpty()) {
            Runnable task = publishing.isEmpty() ? applying.poll() : publishing.poll();
            task.run();
        }
    }

    /** Runs everything until a future is done. */
    void await(CompletableFuture<?> future) {
        Awaitility.await()
                .until(
                        () -> {
                            run();
                            return future.isDone();
                        });
    }

    @Override
    public void close() {
        journal.close();
        run();
        buckets.close();
        memory.close();
        allocator.close();
    }
}
