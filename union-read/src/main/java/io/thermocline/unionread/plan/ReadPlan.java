package io.thermocline.unionread.plan;

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
}
