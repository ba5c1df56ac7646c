package io.thermocline.hotstore;

import java.io.Serializable;

/**
 * Marks changelog records that another program committed to the lake table, and that the hot tier
 * took over from there: they were in the lake before they were in the changelog.
 *
 * @param snapshotId lake snapshot that they were taken from
 * @param sequence place of that snapshot in the lake's own order: a snapshot whose number is not
 *     lower holds these records, too
 * @param commitMillis when that snapshot was committed, milliseconds since the epoch by the
 *     committer's clock: after a roll back, another one may get the same id and sequence
 */
public record LakeMark(long snapshotId, long sequence, long commitMillis) implements Serializable {}
