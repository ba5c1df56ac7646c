package io.thermocline.hotstore;

import io.thermocline.hotstore.arrow.RowBatch;

/**
 * Rows for one bucket that were taken from the lake, applied atomically as one frame group that
 * bears a mark.
 *
 * @param bucket bucket number, 0-based
 * @param mark where they come from
 * @param rows full rows in the table's schema; on log tables +I, on primary-key tables +I and +U
 *     rows are upserts and -D rows delete by key
 */
public record AbsorbedBatch(int bucket, LakeMark mark, RowBatch rows) {}
