package io.thermocline.hotstore.local;

import io.thermocline.hotstore.AbsorbedBatch;
import io.thermocline.hotstore.Absorption;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.bucket.AbsorptionGuard;
import io.thermocline.hotstore.local.bucket.Bucket;
import io.thermocline.hotstore.local.bucket.TableBuckets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Takes rows of the lake over into a table of this store. */
final class LocalAbsorption implements Absorption {

    /** Longest wait for what writers sent before rows of the lake are taken over. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

    private final TableState state;
    private final PendingBytes pendingBytes;
    private final List<AbsorptionGuard> guards = new ArrayList<>();
    private final Map<Integer, Long> beganAt = new TreeMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private LocalAbsorption(
            TableState state, PendingBytes pendingBytes, Map<Integer, Long> tieredOffsets) {
        this.state = state;
        this.pendingBytes = pendingBytes;
        for (int bucket = 0; bucket < state.spec().bucketCount(); bucket++) {
            guards.add(new AbsorptionGuard(tieredOffsets.get(bucket)));
        }
    }

    /**
     * Begins one.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT} while another one is under way
     */
    static LocalAbsorption begin(
            TableState state, PendingBytes pendingBytes, Map<Integer, Long> tieredOffsets) {
        if (!state.claimAbsorption()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "rows of the lake table of "
                            + state.spec().path()
                            + " are being taken over already");
        }
        LocalAbsorption absorption = new LocalAbsorption(state, pendingBytes, tieredOffsets);
        boolean begun = false;
        try {
            absorption.begin(tieredOffsets);
            begun = true;
            return absorption;
        } finally {
            if (!begun) {
                absorption.close();
            }
        }
    }

    private void begin(Map<Integer, Long> tieredOffsets) {
        for (Bucket bucket : state.buckets().buckets()) {
            CompletableFuture<Long> began = new CompletableFuture<>();
            bucket.beginAbsorption(guards.get(bucket.number()), began);
            beganAt.put(bucket.number(), began.join());
        }
        beganAt.forEach(this::awaitVisible);
        beganAt.forEach((bucket, end) -> findMarked(bucket, tieredOffsets.get(bucket), end));
    }

    private void awaitVisible(int bucket, long end) {
        AbsorptionGuard guard = guards.get(bucket);
        TableBuckets buckets = state.buckets();
        if (!buckets.awaitBeyond(bucket, end - 1, WAIT_NANOS, guard::isBroken)) {
            guard.check();
            buckets.checkOpen();
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "rows of bucket "
                            + bucket
                            + " of table "
                            + state.spec().path()
                            + " do not become visible, so that none of the lake are taken over"
                            + " now. The next tiering round tries again.");
        }
    }

    /** An absorption before this one may have been cut off. */
    private void findMarked(int bucket, long start, long end) {
        ChangelogScan scan = new ChangelogScan(bucket, start, end, List.of(), null);
        try (LocalChangelogReader reader = new LocalChangelogReader(state, scan)) {
            while (!reader.isFinished()) {
                try (ChangelogBatch batch = reader.poll(POLL_TIMEOUT)) {
                    if (batch != null && batch.mark() != null) {
                        guards.get(bucket).addMarked(batch.baseOffset(), batch.endOffset());
                    }
                }
            }
        }
    }

    @Override
    public Map<Integer, Long> beganAt() {
        return beganAt;
    }

    @Override
    public CompletableFuture<AppendResult> append(AbsorbedBatch batch) {
        long bytes = batch.rows().sizeBytes();
        try {
            state.buckets().checkOpen();
            pendingBytes.acquire(bytes);
        } catch (RuntimeException e) {
            batch.rows().close();
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<AppendResult> applied = new CompletableFuture<>();
        CompletableFuture<AppendResult> answer =
                applied.whenComplete((result, failure) -> pendingBytes.release(bytes));
        state.buckets().bucket(batch.bucket()).absorb(batch, applied);
        return answer;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            state.buckets().buckets().forEach(Bucket::endAbsorption);
            state.releaseAbsorption();
        }
    }
}
