package io.thermocline.unionread.plan;

import io.thermocline.hotstore.LeaseRequest;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What must not be removed while a plan is read.
 *
 * @param fromOffsets per bucket, the lowest offset still needed
 * @param lakeSnapshotId lake snapshot that is read; {@link LeaseRequest#NO_SNAPSHOT} for none
 * @param keyIndexSnapshotId key-index snapshot that is read; null for none
 */
public record Claim(
        Map<Integer, Long> fromOffsets, long lakeSnapshotId, @Nullable String keyIndexSnapshotId)
        implements Serializable {

    public Claim {
        fromOffsets = Map.copyOf(fromOffsets);
    }

    /** Whether no state is claimed besides the changelog. */
    public boolean isOfChangelogOnly() {
        return lakeSnapshotId == LeaseRequest.NO_SNAPSHOT && keyIndexSnapshotId == null;
    }

    /**
     * The claim without what was read.
     *
     * @param read per bucket, the offset below which nothing is needed; buckets may be missing
     */
    public Claim movedTo(Map<Integer, Long> read) {
        Map<Integer, Long> offsets = new HashMap<>(fromOffsets);
        read.forEach((bucket, offset) -> offsets.merge(bucket, offset, Math::max));
        return new Claim(offsets, lakeSnapshotId, keyIndexSnapshotId);
    }

    /** A claim on a changelog alone. */
    static Claim ofOffsets(Map<Integer, Long> fromOffsets) {
        return new Claim(fromOffsets, LeaseRequest.NO_SNAPSHOT, null);
    }
}
