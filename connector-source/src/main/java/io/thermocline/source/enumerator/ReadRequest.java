package io.thermocline.source.enumerator;

import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.LeaseHolder;
import io.thermocline.unionread.plan.ReadPlan;
import io.thermocline.unionread.plan.Startup;
import io.thermocline.unionread.plan.Tier;
import io.thermocline.unionread.plan.UnionPlanner;
import java.io.Serializable;
import java.time.Duration;

/**
 * What a source reads.
 *
 * @param table the table
 * @param scan columns and filters
 * @param startup where a new read starts
 * @param tier which tiers are read
 * @param merged whether a merged, bounded read is wanted (batch), else changes without end
 * @param leaseAge maximum age of leases
 */
public record ReadRequest(
        LogicalTable table,
        UnionScan scan,
        Startup startup,
        Tier tier,
        boolean merged,
        Duration leaseAge)
        implements Serializable {

    /** Whether the read ends. */
    public boolean bounded() {
        return merged || tier == Tier.LAKE;
    }

    /** Whether the rows can be anything but +I. */
    public boolean hasChanges() {
        return !bounded() && table.spec().hasPrimaryKey();
    }

    /** The same with another start. */
    ReadRequest startingAt(Startup other) {
        return new ReadRequest(table, scan, other, tier, merged, leaseAge);
    }

    /** Who holds the leases. */
    LeaseHolder holder() {
        return new LeaseHolder(
                "source of " + table.spec().path().getFullName(), leaseAge, bounded());
    }

    UnionPlanner planner(HotConnection connection) {
        return new UnionPlanner(table, scan, connection, holder());
    }

    ReadPlan plan(UnionPlanner planner) {
        return merged ? planner.planBounded(startup, tier) : planner.planUnbounded(startup, tier);
    }
}
