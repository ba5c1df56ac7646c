package io.thermocline.unionread.plan;

import io.thermocline.hotstore.ChangelogScan;
import java.io.Serializable;
import java.util.List;

/**
 * Work that one reader does in order.
 *
 * @param id unique within a plan, and stable
 * @param bucket the bucket whose rows it holds; {@link ReadStep#ANY_BUCKET} if there are several
 * @param steps at least one; only the last may be unbounded
 */
public record ReadUnit(String id, int bucket, List<ReadStep> steps) implements Serializable {

    public ReadUnit {
        steps = List.copyOf(steps);
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("unit " + id + " has no steps");
        }
    }

    /** A unit of one step. */
    static ReadUnit of(String id, int bucket, ReadStep step) {
        return new ReadUnit(id, bucket, List.of(step));
    }

    /** Whether the unit tails a changelog for ever. */
    public boolean isUnbounded() {
        return steps.get(steps.size() - 1) instanceof ReadStep.Changelog changelog
                && changelog.endOffset() == ChangelogScan.UNBOUNDED;
    }
}
