package io.thermocline.unionread.plan;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A planned read.
 *
 * @param units what to read, in no particular order; empty if there is nothing
 * @param claim what keeps it readable; null if nothing needs to be kept
 */
public record ReadPlan(List<ReadUnit> units, @Nullable Claim claim) {

    public ReadPlan {
        units = List.copyOf(units);
    }

    /**
     * What must not be removed while the plan is read.
     *
     * @param fromOffsets per bucket, the lowest offset still needed
     * @param lakeSnapshotId lake snapshot that is read; {@link
     *     io.thermocline.hotstore.LeaseRequest#NO_SNAPSHOT} for none
     * @param keyIndexSnapshotId key-index snapshot that is read; null for none
     */
    public record Claim(
            Map<Integer, Long> fromOffsets,
            long lakeSnapshotId,
            @Nullable String keyIndexSnapshotId) {

        public Claim {
            fromOffsets = Map.copyOf(fromOffsets);
        }
    }
}
