package io.thermocline.lake;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A conditional tiering commit.
 *
 * @param expected state that the round was planned from
 * @param next state after it
 * @param committables files of the round; may be empty
 * @param knownForeign ids of the {@linkplain LakeTable#foreignCommits foreign commits} since {@code
 *     expected} that the round has taken into account: any other one refuses this commit. Null: the
 *     commit goes over whatever others have done
 */
public record LakeCommit(
        TieredState expected,
        TieredState next,
        List<LakeCommittable> committables,
        @Nullable Set<Long> knownForeign) {

    public LakeCommit {
        committables = List.copyOf(committables);
        knownForeign = knownForeign == null ? null : Set.copyOf(knownForeign);
    }

    /** A commit that goes over whatever others have done. */
    public LakeCommit(TieredState expected, TieredState next, List<LakeCommittable> committables) {
        this(expected, next, committables, null);
    }

    /** Whether a foreign commit stands in the way of this one. */
    public boolean isRefusedBy(ForeignCommit foreign) {
        return knownForeign != null && !knownForeign.contains(foreign.snapshotId());
    }
}
