package io.thermocline.hotstore;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Takes rows that other programs committed to the lake table into the changelog, while writers go
 * on. One at a time per table. Thread-safe.
 *
 * <p>On primary-key tables what the hot tier has not tiered yet wins: a row is left out if the
 * changelog has a change of its key, without a mark, at or above the bucket's tiered offset. Of
 * changes from {@link #beganAt} on, and of keys that the table holds, the store sees to that. That
 * a key is missing because it was deleted between the tiered offset and {@link #beganAt} only the
 * changelog tells: such rows must not be appended.
 */
public interface Absorption extends AutoCloseable {

    /** Ends of the changelogs when it began, by bucket. */
    Map<Integer, Long> beganAt();

    /**
     * Appends rows. The future completes once they are durable and visible; {@code endOffset} is
     * {@code baseOffset} if they changed nothing. Batches to one bucket complete in order.
     *
     * <p>Takes ownership of {@link AbsorbedBatch#rows()} and closes it, on success and on failure.
     * The future fails with {@code TABLE_DETACHING} while the hot tier is being taken away, and
     * with {@code DISK_FULL} or {@code STORE_FAILED} as any other append.
     */
    CompletableFuture<AppendResult> append(AbsorbedBatch batch);

    @Override
    void close();
}
