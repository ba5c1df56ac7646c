package io.thermocline.hotstore;

import io.thermocline.hotstore.arrow.RowBatch;
import java.util.UUID;

/**
 * Rows for one bucket, applied atomically as one frame group.
 *
 * @param bucket bucket number, 0-based
 * @param writer who sends it
 * @param sequence counts this writer's batches of this epoch to this bucket from 0, without gaps
 * @param rows full rows in the table's schema, with row kinds; at least one
 */
public record AppendBatch(int bucket, WriterEpoch writer, long sequence, RowBatch rows) {

    /**
     * Batches of one writer to one bucket that may be without an answer. A store keeps the results
     * of so many: a writer that lost its connection repeats what was not answered, in order, and
     * gets the first results.
     */
    public static final int MAX_UNANSWERED = 64;

    /** A batch of a writer that has one life only. */
    public AppendBatch(int bucket, UUID writerId, long sequence, RowBatch rows) {
        this(bucket, WriterEpoch.unfenced(writerId), sequence, rows);
    }
}
