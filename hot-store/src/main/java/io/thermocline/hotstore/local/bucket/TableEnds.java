package io.thermocline.hotstore.local.bucket;

/**
 * Readable ends of all buckets of a table at one moment.
 *
 * @param ends exclusive, by bucket; not to be changed
 * @param commitTimestamp of the last round that is in them, milliseconds since the epoch
 */
public record TableEnds(long[] ends, long commitTimestamp) {}
