package io.thermocline.hotstore;

import io.thermocline.hotstore.arrow.RowBatch;
import java.util.UUID;

/**
 * Rows for one bucket, applied atomically as one frame group.
 *
 * @param bucket bucket number, 0-based
 * @param writerId random id of the writer instance
 * @param sequence counts this writer's batches to this bucket from 0, without gaps
 * @param rows full rows in the table's schema, with row kinds; at least one
 */
public record AppendBatch(int bucket, UUID writerId, long sequence, RowBatch rows) {}
