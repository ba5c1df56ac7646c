package io.thermocline.hotstore;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of a tiering round.
 *
 * @param snapshotId lake snapshot that now holds everything below {@code tieredOffsets}; the
 *     present one if there was nothing to tier
 * @param previousOffsets per bucket, the tiered offset before the round
 * @param tieredOffsets per bucket, the tiered offset after it; equal to {@code previousOffsets} if
 *     there was nothing to tier
 * @param rows rows written to the lake (net changes on primary-key tables)
 * @param files data files written
 * @param bytes their size together
 * @param freshnessMillis how old the oldest record of the round was when the lake had committed it;
 *     null if there was nothing to tier
 * @param foreignCommits commits of others that changed rows of the lake table since the tiering
 *     commit before; null if the lake cannot tell
 */
public record TieringResult(
        long snapshotId,
        Map<Integer, Long> previousOffsets,
        Map<Integer, Long> tieredOffsets,
        long rows,
        int files,
        long bytes,
        @Nullable Long freshnessMillis,
        @Nullable Integer foreignCommits)
        implements Serializable {

    public TieringResult {
        previousOffsets = Map.copyOf(previousOffsets);
        tieredOffsets = Map.copyOf(tieredOffsets);
    }

    /** The outcome of a round that found nothing to tier. */
    public static TieringResult nothing(long snapshotId, Map<Integer, Long> tieredOffsets) {
        return new TieringResult(snapshotId, tieredOffsets, tieredOffsets, 0, 0, 0, null, null);
    }

    /** Whether the lake got a new snapshot. */
    public boolean committed() {
        return !previousOffsets.equals(tieredOffsets);
    }
}
