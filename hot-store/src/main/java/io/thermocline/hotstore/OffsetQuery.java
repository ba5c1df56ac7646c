package io.thermocline.hotstore;

/** Which position of each bucket is asked for. */
public sealed interface OffsetQuery {

    /** First offset that can still be read. */
    record Earliest() implements OffsetQuery {}

    /** Readable end (exclusive). */
    record Latest() implements OffsetQuery {}

    /**
     * First offset whose commit timestamp is at or after {@code timestampMillis}; the readable end
     * if there is none.
     */
    record AtTimestamp(long timestampMillis) implements OffsetQuery {}
}
