package io.thermocline.source.split;

import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadStep;
import java.util.OptionalLong;

/** A split in a reader: moves on as rows are emitted. Confined to the task thread. */
public final class ThermoclineSplitState {

    private final ThermoclineSplit split;
    private ReadPosition position;

    public ThermoclineSplitState(ThermoclineSplit split) {
        this.split = split;
        this.position = split.position();
    }

    /** Moves forward; called after everything before the position was emitted. */
    public void advanceTo(ReadPosition next) {
        if (next.compareTo(position) < 0) {
            throw new IllegalStateException(
                    "split "
                            + split.splitId()
                            + " moved back from "
                            + position
                            + " to "
                            + next
                            + ". Please report this with the job's log");
        }
        position = next;
    }

    /** The split as it is now. */
    public ThermoclineSplit toSplit() {
        return new ThermoclineSplit(split.unit(), position);
    }

    /** Whether rows that lead to a position come from the lake. */
    public boolean isFromLake(ReadPosition end) {
        return end.step() < split.unit().steps().size()
                && split.unit().steps().get(end.step()).isOfLake();
    }

    /** Next offset of the changelog that is being read; empty while something else is read. */
    public OptionalLong changelogOffset() {
        if (position.step() < split.unit().steps().size()
                && split.unit().steps().get(position.step())
                        instanceof ReadStep.Changelog changelog) {
            return OptionalLong.of(changelog.startOffset() + position.progress());
        }
        return OptionalLong.empty();
    }
}
