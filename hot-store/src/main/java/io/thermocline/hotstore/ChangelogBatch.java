package io.thermocline.hotstore;

import io.thermocline.hotstore.arrow.RowBatch;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive changelog records of one bucket. Record {@code i} has offset {@code baseOffset + i}.
 * The receiver closes it; rows must not be used after that.
 *
 * @param baseOffset offset of the first record
 * @param rows the projected columns, with row kinds
 * @param commitTimestamps per record, milliseconds since the epoch, never decreasing
 * @param mark where the records were taken from, if they come from the lake; null if they were
 *     written to the hot tier
 */
public record ChangelogBatch(
        long baseOffset, RowBatch rows, long[] commitTimestamps, @Nullable LakeMark mark)
        implements AutoCloseable {

    /** Offset after the last record. */
    public long endOffset() {
        return baseOffset + rows.rowCount();
    }

    @Override
    public void close() {
        rows.close();
    }
}
