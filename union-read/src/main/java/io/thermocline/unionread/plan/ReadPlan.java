package io.thermocline.unionread.plan;

import io.thermocline.hotstore.ReadFigures;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A planned read.
 *
 * @param units what to read, in no particular order; empty if there is nothing
 * @param lease keeps it readable; the receiver renews and releases it. Null if nothing needs to be
 *     kept
 */
public record ReadPlan(List<ReadUnit> units, @Nullable ReadLease lease) {

    public ReadPlan {
        units = List.copyOf(units);
    }

    /** The read counted by the tiers that it touches; nothing if it has nothing to read. */
    public ReadFigures figures() {
        return ReadFigures.ofRead(any(ReadPlan::touchesHotTier), any(ReadStep::isOfLake));
    }

    private boolean any(java.util.function.Predicate<ReadStep> condition) {
        return units.stream().flatMap(unit -> unit.steps().stream()).anyMatch(condition);
    }

    private static boolean touchesHotTier(ReadStep step) {
        return !(step instanceof ReadStep.Lake lake) || !lake.supersededBy().isEmpty();
    }
}
