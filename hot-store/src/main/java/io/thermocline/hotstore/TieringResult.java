package io.thermocline.hotstore;

import java.io.Serializable;
import java.util.Map;

/**
 * Outcome of a tiering round.
 *
 * @param snapshotId lake snapshot that now holds everything below {@code tieredOffsets}; the
 *     present one if there was nothing to tier
 * @param tieredOffsets per bucket
 * @param rows rows written to the lake (net changes on primary-key tables)
 * @param files data files written
 */
public record TieringResult(long snapshotId, Map<Integer, Long> tieredOffsets, long rows, int files)
        implements Serializable {

    public TieringResult {
        tieredOffsets = Map.copyOf(tieredOffsets);
    }
}
