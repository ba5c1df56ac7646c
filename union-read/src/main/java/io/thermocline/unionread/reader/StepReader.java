package io.thermocline.unionread.reader;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads one step of a unit. Confined to one thread, but {@link #wakeUp()} may come from any. */
interface StepReader extends AutoCloseable {

    /**
     * Next rows.
     *
     * @return null if there are none yet, or none any more
     */
    @Nullable RowChunk poll(Duration timeout);

    boolean isFinished();

    /** What was handed out or skipped so far. */
    long progress();

    /** Makes a waiting {@link #poll} return. */
    default void wakeUp() {}

    @Override
    void close();
}
