package io.thermocline.hotstore;

import java.io.Serializable;
import java.util.Map;

/**
 * One offset per bucket.
 *
 * @param offsets by bucket number; every bucket is present
 * @param commitTimestamp the store's commit timestamp (ms since the epoch) when they were taken:
 *     later batches get a higher one
 */
public record TableOffsets(Map<Integer, Long> offsets, long commitTimestamp)
        implements Serializable {

    public TableOffsets {
        offsets = Map.copyOf(offsets);
    }
}
