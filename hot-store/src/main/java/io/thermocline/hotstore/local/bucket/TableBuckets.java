package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.format.ControlType;
import io.thermocline.hotstore.local.journal.JournalEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets of a table, and the publishing of their rounds: key index first, then the ends of all
 * buckets at once, then the writers are told. Thread-safe.
 */
public final class TableBuckets {

    private static final Logger LOG = LoggerFactory.getLogger(TableBuckets.class);

    private static final byte[] NO_PAYLOAD = "{}".getBytes(StandardCharsets.UTF_8);

    private final TableContext context;
    private final List<Bucket> buckets;
    private final SerialExecutor publisher;
    private final Runnable dataListener;

    private final ReentrantLock endsLock = new ReentrantLock();
    private final Condition endsAdvanced = endsLock.newCondition();
    private volatile TableEnds ends;
    private volatile @Nullable HotStoreException failure;
    private volatile @Nullable HotStoreException stalled; // written by the publishing thread
    private volatile boolean closed;
    private volatile long publishedRounds;
    private volatile boolean dropped; // written under the journal's lock
    private volatile boolean detaching;

    private final ArrayDeque<PendingGroup> durable = new ArrayDeque<>(); // guarded by itself

    // Of the publishing thread: empty between two rounds, unless the table is stalled.
    private final List<PendingGroup> unpublished = new ArrayList<>();
    private final List<Runnable> afterPublishing = new ArrayList<>();

    /**
     * @param context what the buckets work with
     * @param dataListener is told after every round that brought records
     */
    public TableBuckets(TableContext context, Runnable dataListener) {
        this.context = context;
        this.dataListener = dataListener;
        this.publisher = new SerialExecutor(context.publishPool());
        List<Bucket> created = new ArrayList<>();
        for (int bucket = 0; bucket < context.spec().bucketCount(); bucket++) {
            created.add(new Bucket(context, this, bucket));
        }
        this.buckets = List.copyOf(created);
        this.ends = new TableEnds(new long[created.size()], -1);
    }

    /** Sets the ends found on disk. To be called before the first batch. */
    public void recovered(TableEnds found) {
        ends = found;
        for (Bucket bucket : buckets) {
            bucket.recovered(found.ends()[bucket.number()]);
        }
    }

    public List<Bucket> buckets() {
        return buckets;
    }

    public Bucket bucket(int number) {
        return buckets.get(number);
    }

    /** What readers see. */
    public TableEnds ends() {
        return ends;
    }

    long end(int bucket) {
        return ends.ends()[bucket];
    }

    /** Applies a batch in its turn; the future is completed once it is visible. */
    public void append(AppendBatch batch, CompletableFuture<AppendResult> future) {
        buckets.get(batch.bucket()).append(batch, future);
    }

    /**
     * @throws HotStoreException {@code TABLE_CLOSED} after {@link #close}, {@code TABLE_DETACHING}
     *     if that was because the hot tier was taken away
     */
    public void checkOpen() {
        if (closed) {
            throw closedException();
        }
    }

    /**
     * @throws HotStoreException {@code TABLE_CLOSED} after {@link #close}, {@code DISK_FULL} as
     *     long as durable rows find no space in a key index, or what made the table fail
     */
    public void checkWritable() {
        checkUsable();
        HotStoreException full = stalled;
        if (full != null) {
            throw refused(" takes no rows now: ", full);
        }
    }

    private void checkUsable() {
        checkOpen();
        HotStoreException failed = failure;
        if (failed != null) {
            throw refused(" takes no more rows: ", failed);
        }
    }

    private HotStoreException refused(String what, HotStoreException cause) {
        return new HotStoreException(
                cause.code(), "table " + context.spec().path() + what + cause.getMessage(), cause);
    }

    /** Sets whether the hot tier is being taken away: then no batch is accepted. */
    public void setDetaching(boolean isDetaching) {
        detaching = isDetaching;
        wakeReaders();
    }

    /** Whether the hot tier is being taken away. */
    public boolean isDetaching() {
        return detaching;
    }

    void checkNotDetaching() {
        if (detaching) {
            throw detachingException(
                    "takes no more rows: its hot tier is being taken away. Write to the lake table"
                            + " once ALTER TABLE has ended, or keep the hot tier with ALTER TABLE …"
                            + " SET ('hot.enabled'='true').");
        }
    }

    /** The refusal of what a table that is being detached cannot do. */
    public HotStoreException detachingException(String what) {
        return new HotStoreException(
                ErrorCode.TABLE_DETACHING, "table " + context.spec().path() + " " + what);
    }

    /**
     * Puts a detach record behind the last batch of every bucket, and waits until all of them are
     * visible. Batches must be refused already.
     */
    public TableEnds detach() {
        List<CompletableFuture<AppendResult>> records = new ArrayList<>();
        for (Bucket bucket : buckets) {
            CompletableFuture<AppendResult> record = new CompletableFuture<>();
            bucket.appendControl(ControlType.DETACH, NO_PAYLOAD, record);
            records.add(record);
        }
        long[] found = new long[records.size()];
        for (int bucket = 0; bucket < found.length; bucket++) {
            try {
                found[bucket] = records.get(bucket).join().endOffset();
            } catch (CompletionException e) {
                if (e.getCause() instanceof HotStoreException known) {
                    throw known;
                }
                throw e;
            }
        }
        return new TableEnds(found, ends.commitTimestamp());
    }

    HotStoreException closedException() {
        if (dropped && detaching) {
            return detachingException(
                    "has no hot tier any more: it was taken away. The lake table has every row;"
                            + " read and write that.");
        }
        return new HotStoreException(
                ErrorCode.TABLE_CLOSED,
                "table "
                        + context.spec().path()
                        + " (id "
                        + context.tableId()
                        + ") is closed: it was dropped, or its hot store is closing.");
    }

    /** Takes the durable groups of one round of this table. Called by the journal's thread. */
    public void roundDurable(List<JournalEntry> round) {
        synchronized (durable) {
            for (JournalEntry entry : round) {
                if (entry instanceof PendingGroup group) {
                    durable.add(group);
                }
            }
        }
        publisher.execute(this::publish);
        for (JournalEntry entry : round) {
            if (entry instanceof DropEntry drop) {
                drop.durable();
            }
        }
    }

    /** Takes groups that were lost. Called by the journal's thread. */
    public void revoked(List<JournalEntry> entries, HotStoreException cause) {
        List<PendingGroup> groups = new ArrayList<>();
        List<DropEntry> drops = new ArrayList<>();
        Map<Bucket, Long> touched = new LinkedHashMap<>();
        for (JournalEntry entry : entries) {
            if (entry instanceof PendingGroup group) {
                groups.add(group);
                touched.put(group.owner(), group.owner().generation());
            } else if (entry instanceof DropEntry drop) {
                buckets.forEach(bucket -> touched.put(bucket, bucket.generation()));
                drops.add(drop);
            }
        }
        publisher.execute(
                () -> {
                    whenPublished(
                            () ->
                                    touched.forEach(
                                            (bucket, lost) ->
                                                    bucket.rollBack(end(bucket.number()), lost)));
                    // Last: whoever hears of it may write again.
                    drops.forEach(drop -> drop.failed(cause));
                    groups.forEach(group -> group.future().completeExceptionally(cause));
                });
    }

    private void whenPublished(Runnable task) {
        if (unpublished.isEmpty()) {
            task.run();
        } else {
            afterPublishing.add(task);
        }
    }

    /**
     * An entry that says that the table is dropped. From its submission on, the journal takes no
     * group of the table.
     *
     * @param done is completed once it is durable
     */
    public JournalEntry dropEntry(CompletableFuture<Void> done) {
        return new DropEntry(context.tableId(), this::setDropped, done);
    }

    private void setDropped(boolean isDropped) {
        dropped = isDropped;
        if (!isDropped) {
            // Batches that were turned away meanwhile left their traces in the buckets.
            buckets.forEach(Bucket::revoked);
        }
    }

    boolean isDropped() {
        return dropped;
    }

    /**
     * Runs a task between two rounds, when key indexes and ends agree; as long as the disk is full,
     * some key indexes may be ahead.
     */
    public void betweenRounds(Consumer<TableEnds> task) {
        publisher.execute(() -> task.accept(ends));
    }

    /** Waits for the rounds that were handed over before; whether all of them are visible now. */
    public boolean awaitPublished() {
        CompletableFuture<Boolean> published = new CompletableFuture<>();
        publisher.execute(() -> published.complete(failure == null && unpublished.isEmpty()));
        return published.join();
    }

    /** Whether the key index finds no space. */
    public boolean isStalled() {
        return stalled != null;
    }

    /** Tries again to publish what found no space, if there is any. */
    public void retryStalled() {
        if (isStalled()) {
            publisher.execute(this::publish);
        }
    }

    private void publish() {
        synchronized (durable) {
            unpublished.addAll(durable);
            durable.clear();
        }
        if (unpublished.isEmpty()) {
            return;
        }
        try {
            checkUsable();
            makeVisible(unpublished);
        } catch (RuntimeException | Error e) {
            if (e instanceof HotStoreException full && full.code() == ErrorCode.DISK_FULL) {
                stall(full);
            } else {
                fail(e);
            }
            return;
        }
        List<PendingGroup> visible = List.copyOf(unpublished);
        unpublished.clear();
        afterPublishing.forEach(Runnable::run);
        afterPublishing.clear();
        if (stalled != null) {
            LOG.info("table {} takes rows again", context.spec().path());
            stalled = null;
        }
        for (PendingGroup group : visible) {
            group.future().complete(group.result());
        }
    }

    // What is durable stays, and becomes visible before anything else once there is space. Its
    // writers are told now: they may send it again, and get its result then.
    private void stall(HotStoreException full) {
        if (stalled == null) {
            LOG.error("table {} takes no rows now", context.spec().path(), full);
        }
        stalled = full;
        unpublished.forEach(group -> group.future().completeExceptionally(full));
    }

    private void makeVisible(List<PendingGroup> round) {
        Map<Bucket, List<PendingGroup>> byBucket = new LinkedHashMap<>();
        for (PendingGroup group : round) {
            byBucket.computeIfAbsent(group.owner(), bucket -> new ArrayList<>()).add(group);
        }
        if (byBucket.size() > 1) {
            // Finds a full disk before some indexes have the round and others have not.
            byBucket.keySet().forEach(Bucket::checkKeyIndexWritable);
        }
        byBucket.forEach(Bucket::writeKeyIndex);
        long[] next = ends.ends().clone();
        boolean records = false;
        for (PendingGroup group : round) {
            group.owner().addToChangelog(group);
            next[group.bucket()] = group.endOffset();
            records |= group.recordCount() > 0;
        }
        advance(new TableEnds(next, round.get(round.size() - 1).commitTimestamp()));
        for (PendingGroup group : round) {
            group.owner().published(group);
        }
        // Last: whoever saw this count has seen the writers of all rounds in it.
        countRound();
        if (records) {
            dataListener.run();
        }
    }

    // Only the publishing thread writes it.
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    private void countRound() {
        publishedRounds++;
    }

    /** Rounds published since the store was opened. */
    public long publishedRounds() {
        return publishedRounds;
    }

    private void advance(TableEnds next) {
        endsLock.lock();
        try {
            ends = next;
            endsAdvanced.signalAll();
        } finally {
            endsLock.unlock();
        }
    }

    private void fail(Throwable cause) {
        HotStoreException exception =
                cause instanceof HotStoreException known
                        ? known
                        : new HotStoreException(
                                ErrorCode.INTERNAL,
                                "publishing rows of table "
                                        + context.spec().path()
                                        + " failed: "
                                        + cause,
                                cause);
        if (!closed && failure == null) {
            LOG.error("table {} failed", context.spec().path(), exception);
            failure = exception;
        }
        unpublished.forEach(group -> group.future().completeExceptionally(exception));
        unpublished.clear();
        // They lead back to ends that are not the durable ones.
        afterPublishing.clear();
    }

    /**
     * Waits until a bucket's end is beyond an offset.
     *
     * @param givenUp checked whenever the ends advance and after {@link #wakeReaders}
     * @return whether the end is beyond the offset
     */
    public boolean awaitBeyond(int bucket, long offset, long nanos, BooleanSupplier givenUp) {
        if (end(bucket) > offset || nanos <= 0) {
            return end(bucket) > offset;
        }
        long remaining = nanos;
        endsLock.lock();
        try {
            while (end(bucket) <= offset && !givenUp.getAsBoolean() && !closed && remaining > 0) {
                remaining = endsAdvanced.awaitNanos(Math.min(remaining, MAX_WAIT_NANOS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            endsLock.unlock();
        }
        return end(bucket) > offset;
    }

    private static final long MAX_WAIT_NANOS = TimeUnit.DAYS.toNanos(1);

    /** Makes waiting readers look again. */
    public void wakeReaders() {
        endsLock.lock();
        try {
            endsAdvanced.signalAll();
        } finally {
            endsLock.unlock();
        }
    }

    /** Readers and writers fail from now on. */
    public void refuse() {
        closed = true;
        wakeReaders();
    }

    /** Closes the key indexes once nothing uses them any more. */
    public void close() {
        refuse();
        buckets.forEach(Bucket::close);
    }
}
