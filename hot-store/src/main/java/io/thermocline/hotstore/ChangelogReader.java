package io.thermocline.hotstore;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads one bucket's changelog in offset order. Not thread-safe, but {@link #wakeUp()} and {@link
 * #close()} may be called from any thread.
 */
public interface ChangelogReader extends AutoCloseable {

    /**
     * Next batch; waits until one is there, the end is reached, the reader is woken up or the time
     * is over. A batch that arrives is delivered at once.
     *
     * @return null when nothing arrived in time, after {@link #wakeUp()}, or at the end
     * @throws HotStoreException {@code OFFSET_OUT_OF_RANGE} if retention overtook this reader,
     *     {@code CORRUPT_CHANGELOG} for a damaged segment
     */
    @Nullable ChangelogBatch poll(Duration timeout);

    /** Offset of the next record to be delivered; moves over skipped groups and control records. */
    long position();

    /** Whether the scan's end offset was reached. */
    boolean isFinished();

    /** Makes a waiting {@link #poll} return null. */
    void wakeUp();

    @Override
    void close();
}
