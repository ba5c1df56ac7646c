package io.thermocline.source.split;

import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadUnit;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A unit of a read and how far it was read.
 *
 * @param unit what to read
 * @param position everything before it was emitted
 */
public record ThermoclineSplit(ReadUnit unit, ReadPosition position) implements SourceSplit {

    /** A split that was not begun. */
    public static ThermoclineSplit of(ReadUnit unit) {
        return new ThermoclineSplit(unit, ReadPosition.START);
    }

    @Override
    public String splitId() {
        return unit.id();
    }

    /** Whether it first reads a state: something before, or instead of, an endless changelog. */
    public boolean hasUnreadState() {
        int stateSteps = unit.isUnbounded() ? unit.steps().size() - 1 : unit.steps().size();
        return position.step() < stateSteps;
    }

    @Override
    public String toString() {
        return unit.id() + "@" + position.step() + ":" + position.progress();
    }
}
