package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.AbsorbedBatch;
import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.format.Compression;
import io.thermocline.hotstore.format.ControlType;
import io.thermocline.hotstore.format.FrameGroupEncoder;
import io.thermocline.hotstore.format.GroupOrigin;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import io.thermocline.hotstore.local.segment.GroupIndex;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One bucket of a table. Batches are applied one at a time on {@link #executor}; everything else
 * may be called from any thread.
 */
public final class Bucket {

    private final TableContext context;
    private final TableBuckets table;
    private final int number;
    private final SerialExecutor executor;
    private final GroupIndex groups = new GroupIndex();
    private final WriterTable writers = new WriterTable();
    private final Overlay overlay = new Overlay();
    private final NotNullCheck notNullCheck;
    private final CanonicalKeys canonicalKeys;
    private final FrameGroupEncoder encoder;
    private final @Nullable UpsertMerge merge;

    // Confined to the executor.
    private long nextOffset;
    private long appliedGeneration;
    private @Nullable AbsorptionGuard absorption;

    // Written under the journal's lock.
    private volatile long generation;

    private final Object keyIndexLock = new Object();
    private volatile @Nullable KeyIndex keyIndex; // set under keyIndexLock
    private boolean closed; // guarded by keyIndexLock
    private final AtomicLong replayCost = new AtomicLong();

    Bucket(TableContext context, TableBuckets table, int number) {
        this.context = context;
        this.table = table;
        this.number = number;
        this.executor = new SerialExecutor(context.applyPool());
        this.notNullCheck = new NotNullCheck(context.spec());
        this.canonicalKeys = new CanonicalKeys(context.spec());
        this.encoder =
                new FrameGroupEncoder(
                        context.spec().rowType(),
                        context.spec().partitionKeys(),
                        Compression.NONE,
                        context.allocator());
        this.merge =
                context.spec().hasPrimaryKey()
                        ? new UpsertMerge(context.spec(), context.allocator())
                        : null;
    }

    /** Where every group of the changelog is. */
    public GroupIndex groups() {
        return groups;
    }

    /** Bucket number. */
    public int number() {
        return number;
    }

    UUID tableId() {
        return context.tableId();
    }

    /** Sets what was found on disk. To be called before the first batch. */
    void recovered(long endOffset) {
        nextOffset = endOffset;
    }

    /** Takes over what the manifest says of the writers. */
    public void restoreWriters(WriterStates states) {
        writers.restore(states);
    }

    /** A durable batch found in the journal. */
    public void recoveredBatch(WriterEpoch writer, long sequence, AppendResult result) {
        writers.recovered(writer, sequence, result);
    }

    /** The writers and their durable batches. */
    public WriterStates writerStates() {
        return writers.durableStates();
    }

    void append(AppendBatch batch, CompletableFuture<AppendResult> future) {
        executor.execute(() -> apply(batch, future));
    }

    private void apply(AppendBatch batch, CompletableFuture<AppendResult> future) {
        PendingGroup.Applied applied;
        // The batch is given back before anybody is told.
        try (RowBatch rows = batch.rows()) {
            table.checkWritable();
            context.journal().checkWritable();
            CompletableFuture<AppendResult> first = repeated(batch);
            if (first != null) {
                rows.close();
                first.whenComplete((result, failure) -> complete(future, result, failure));
                return;
            }
            table.checkNotDetaching();
            applied = applyRows(originOf(batch), rows, null);
            watchDeletions(applied);
        } catch (RuntimeException | Error e) {
            future.completeExceptionally(e);
            return;
        }
        try {
            submit(batch.writer(), batch.sequence(), applied, future);
        } catch (RuntimeException | Error e) {
            future.completeExceptionally(e);
        }
    }

    /** Appends a control record in its turn; the future is completed once it is visible. */
    void appendControl(ControlType type, byte[] payload, CompletableFuture<AppendResult> future) {
        executor.execute(
                () -> {
                    try {
                        table.checkWritable();
                        context.journal().checkWritable();
                        submit(null, 0, control(type, payload), future);
                    } catch (RuntimeException | Error e) {
                        future.completeExceptionally(e);
                    }
                });
    }

    /**
     * Begins to watch what writers do while rows of the lake are taken over.
     *
     * @param began is completed with the end of the changelog, which may not be visible yet
     */
    public void beginAbsorption(AbsorptionGuard guard, CompletableFuture<Long> began) {
        executor.execute(
                () -> {
                    absorption = guard;
                    began.complete(nextOffset);
                });
    }

    /** Ends what {@link #beginAbsorption} began. */
    public void endAbsorption() {
        executor.execute(() -> absorption = null);
    }

    /** Applies rows of the lake in their turn; the future is completed once they are visible. */
    public void absorb(AbsorbedBatch batch, CompletableFuture<AppendResult> future) {
        executor.execute(
                () -> {
                    try {
                        PendingGroup.Applied applied = applyAbsorbed(batch);
                        submit(null, 0, applied, future);
                    } catch (RuntimeException | Error e) {
                        if (absorption != null) {
                            absorption.failed();
                        }
                        future.completeExceptionally(e);
                    }
                });
    }

    private PendingGroup.Applied applyAbsorbed(AbsorbedBatch batch) {
        try (RowBatch rows = batch.rows()) {
            table.checkWritable();
            context.journal().checkWritable();
            table.checkNotDetaching();
            AbsorptionGuard guard = Objects.requireNonNull(absorption, "no absorption was begun");
            guard.check();
            PendingGroup.Applied applied =
                    applyRows(origin(null).marked(batch.mark()), rows, guard);
            guard.addMarked(applied.baseOffset(), applied.baseOffset() + applied.recordCount());
            return applied;
        }
    }

    private GroupOrigin origin(GroupOrigin.@Nullable Writer writer) {
        return new GroupOrigin(context.tableId(), number, context.spec().schemaVersion(), writer);
    }

    private PendingGroup.Applied control(ControlType type, byte[] payload) {
        return new PendingGroup.Applied(
                FrameGroupEncoder.encodeControl(origin(null), type, payload, context.allocator()),
                nextOffset,
                1,
                List.of(),
                0);
    }

    /** The answer of a batch that was there before; null if it is new. */
    private @Nullable CompletableFuture<AppendResult> repeated(AppendBatch batch) {
        try {
            return writers.find(batch.writer(), batch.sequence());
        } catch (HotStoreException e) {
            // The batch before it may be missing because it was refused.
            table.checkNotDetaching();
            throw e;
        }
    }

    private static void complete(
            CompletableFuture<AppendResult> future,
            @Nullable AppendResult result,
            @Nullable Throwable failure) {
        if (failure == null) {
            future.complete(result);
        } else {
            future.completeExceptionally(failure);
        }
    }

    private GroupOrigin originOf(AppendBatch batch) {
        return origin(
                new GroupOrigin.Writer(
                        batch.writer().writerId(), batch.writer().epoch(), batch.sequence()));
    }

    private void watchDeletions(PendingGroup.Applied applied) {
        if (absorption != null) {
            for (Overlay.Change change : applied.changes()) {
                if (change.value() == null) {
                    absorption.addDeleted(change.key());
                }
            }
        }
    }

    private PendingGroup.Applied applyRows(
            GroupOrigin origin, RowBatch rows, @Nullable AbsorptionGuard guard) {
        checkColumns(rows);
        notNullCheck.check(rows);
        canonicalKeys.apply(rows);
        if (merge == null) {
            if (!rows.isInsertOnly()) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "table "
                                + context.spec().path()
                                + " has no primary key and takes +I rows only, but a batch has"
                                + " updates or deletes. Declare a primary key, or drop such rows.");
            }
            return encode(origin, rows, List.of());
        }
        UpsertMerge.Merged merged = merge.merge(rows, overlay, keyIndex(), nextOffset, guard);
        if (merged.records() == rows) {
            return encode(origin, rows, merged.changes());
        }
        try (RowBatch records = merged.records()) {
            return encode(origin, records, merged.changes());
        }
    }

    private void checkColumns(RowBatch rows) {
        List<String> expected = context.spec().rowType().getFieldNames();
        if (!rows.rowType().getFieldNames().equals(expected)) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a batch for table "
                            + context.spec().path()
                            + " has the columns "
                            + rows.rowType().getFieldNames()
                            + ", the table has "
                            + expected
                            + ". Open the table again to see its present columns.");
        }
    }

    private PendingGroup.Applied encode(
            GroupOrigin origin, RowBatch records, List<Overlay.Change> changes) {
        return new PendingGroup.Applied(
                encoder.encode(origin, records),
                nextOffset,
                records.rowCount(),
                changes,
                addedRows(records));
    }

    private static int addedRows(RowBatch records) {
        int added = 0;
        for (int row = 0; row < records.rowCount(); row++) {
            switch (records.rowKind(row)) {
                case INSERT -> added++;
                case DELETE -> added--;
                case UPDATE_BEFORE, UPDATE_AFTER -> {
                    // The key was there, and stays.
                }
            }
        }
        return added;
    }

    /**
     * @param writer whose batch it is; null for a control record and for rows of the lake
     */
    private void submit(
            @Nullable WriterEpoch writer,
            long sequence,
            PendingGroup.Applied applied,
            CompletableFuture<AppendResult> future) {
        UUID writerId = writer == null ? null : writer.writerId();
        PendingGroup group = new PendingGroup(this, writerId, applied, appliedGeneration, future);
        applied.changes().forEach(overlay::put);
        if (writer != null) {
            writers.pending(writer, sequence, future);
        }
        nextOffset = group.endOffset();
        boolean submitted = false;
        try {
            submitted = context.journal().submit(group);
        } finally {
            if (!submitted) {
                group.discard();
            }
        }
        if (!submitted) {
            if (table.isDropped()) {
                throw table.closedException();
            }
            table.checkOpen();
            // An earlier batch was lost; the way back to the durable state is under way.
            future.completeExceptionally(
                    new HotStoreException(
                            ErrorCode.DISK_FULL,
                            "the batch was not written, because one before it could not be: no"
                                    + " space left on the disk of "
                                    + context.directory()
                                    + ". Free space: writing goes on then."));
        }
    }

    boolean isCurrent(long appliedTo) {
        return generation == appliedTo && !table.isDropped();
    }

    // Under the journal's lock: the only writer.
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void revoked() {
        generation++;
    }

    /** Counts what was lost; called under the journal's lock or by its thread. */
    long generation() {
        return generation;
    }

    /**
     * Goes back to what is durable, once everything durable is visible.
     *
     * @param lost the generation that this answers: batches are taken again unless more was lost
     *     since, which another call answers
     */
    void rollBack(long durableEnd, long lost) {
        executor.execute(
                () -> {
                    overlay.clear();
                    if (absorption != null) {
                        absorption.revoked();
                    }
                    writers.dropPending();
                    nextOffset = durableEnd;
                    appliedGeneration = lost;
                });
    }

    /**
     * @throws HotStoreException if the key index takes no changes now
     */
    void checkKeyIndexWritable() {
        if (merge != null) {
            keyIndex().checkWritable();
        }
    }

    /** Puts the changes of durable groups into the key index, unless it has them already. */
    void writeKeyIndex(List<PendingGroup> durable) {
        if (merge == null) {
            return;
        }
        KeyIndex index = keyIndex();
        long appliedOffset = index.appliedOffset();
        try (KeyIndex.Changes changes = new KeyIndex.Changes()) {
            for (PendingGroup group : durable) {
                if (group.endOffset() <= appliedOffset) {
                    continue;
                }
                for (Overlay.Change change : group.changes()) {
                    changes.put(change.key().bytes(), change.value());
                }
                changes.addRows(group.addedRows());
                appliedOffset = group.endOffset();
            }
            if (appliedOffset > index.appliedOffset()) {
                index.write(changes, appliedOffset);
            }
        }
    }

    /** Makes a durable group findable. Readers do not look beyond the table's ends. */
    void addToChangelog(PendingGroup group) {
        if (group.recordCount() > 0) {
            groups.append(group.groupPlace());
            replayCost.addAndGet(KeyIndexReplay.cost(group.sizeBytes()));
        }
    }

    /** The group is visible. */
    void published(PendingGroup group) {
        group.changes().forEach(overlay::published);
        if (group.writerId() != null) {
            writers.durable(group.writerId(), group.result());
        }
    }

    /** What a restart would have to replay, roughly, in bytes of rows in large groups. */
    public long replayCost() {
        return replayCost.get();
    }

    /** Offset from which a restart would replay; the end for a log table. */
    public long flushedOffset() {
        if (merge == null) {
            return table.end(number);
        }
        return keyIndex().flushedOffset();
    }

    /** Flushes the key index if it is open. */
    public void flush() {
        KeyIndex open = keyIndex;
        if (open != null) {
            // What is added meanwhile may not be flushed.
            long flushed = replayCost.get();
            open.flush();
            replayCost.addAndGet(-flushed);
        }
    }

    /** The key index; opens it and replays what it lacks, if need be. */
    public KeyIndex keyIndex() {
        KeyIndex open = keyIndex;
        return open != null ? open : openKeyIndex();
    }

    /** The key index if it is open; this never opens it. */
    public @Nullable KeyIndex openedKeyIndex() {
        return keyIndex;
    }

    private KeyIndex openKeyIndex() {
        synchronized (keyIndexLock) {
            if (keyIndex != null) {
                return keyIndex;
            }
            if (closed) {
                throw table.closedException();
            }
            KeyIndexReplay replay = new KeyIndexReplay(context, groups, number);
            KeyIndex index = KeyIndex.open(context.makeKeyIndexDirectory(number), context.memory());
            try {
                replayCost.addAndGet(replay.replay(index, table.end(number)));
            } catch (RuntimeException | Error e) {
                index.close();
                throw e;
            }
            keyIndex = index;
            return index;
        }
    }

    void close() {
        synchronized (keyIndexLock) {
            closed = true;
            if (keyIndex != null) {
                keyIndex.close();
            }
        }
    }
}
