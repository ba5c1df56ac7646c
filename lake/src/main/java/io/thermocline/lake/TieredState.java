package io.thermocline.lake;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Written by every tiering commit into the lake snapshot: the snapshot holds the effect of exactly
 * the changelog records below these offsets.
 *
 * @param tableId id of the table they belong to
 * @param buckets position of every bucket
 * @param absorbedSnapshotId on log tables, a snapshot up to which, itself included, the commits of
 *     others were taken over into the changelog; {@link #THIS_SNAPSHOT}: up to the one that carries
 *     this state; null on primary-key tables, and where a version wrote the state that took nothing
 *     over
 */
public record TieredState(
        String tableId, Map<Integer, BucketPosition> buckets, @Nullable Long absorbedSnapshotId)
        implements Serializable {

    public TieredState {
        buckets = Map.copyOf(buckets);
    }

    /** Up to the snapshot that carries the state, which has no id while it is written. */
    public static final long THIS_SNAPSHOT = -1;

    /** A state of a table whose commits of others are not taken over one by one. */
    public TieredState(String tableId, Map<Integer, BucketPosition> buckets) {
        this(tableId, buckets, null);
    }

    /**
     * @param offset tiered offset (exclusive)
     * @param maxCommitTimestamp highest commit timestamp below it, ms since the epoch; -1 if there
     *     is none
     */
    public record BucketPosition(long offset, long maxCommitTimestamp) implements Serializable {

        /** Nothing is tiered yet. */
        public static final BucketPosition START = new BucketPosition(0, -1);
    }

    /** The state of a table that was just created. */
    public static TieredState initial(String tableId, int bucketCount) {
        Map<Integer, BucketPosition> buckets = new TreeMap<>();
        for (int bucket = 0; bucket < bucketCount; bucket++) {
            buckets.put(bucket, BucketPosition.START);
        }
        return new TieredState(tableId, buckets);
    }

    /** The state of a log table that has just got its hot tier. */
    public static TieredState initialOfLog(String tableId, int bucketCount) {
        return new TieredState(tableId, initial(tableId, bucketCount).buckets(), THIS_SNAPSHOT);
    }

    /** Tiered offset of each bucket. */
    public Map<Integer, Long> offsets() {
        Map<Integer, Long> offsets = new TreeMap<>();
        buckets.forEach((bucket, position) -> offsets.put(bucket, position.offset()));
        return offsets;
    }
}
