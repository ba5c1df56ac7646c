package io.thermocline.lake;

import java.util.List;

/**
 * A conditional tiering commit.
 *
 * @param expected state that the round was planned from
 * @param next state after it
 * @param committables files of the round; may be empty
 */
public record LakeCommit(
        TieredState expected, TieredState next, List<LakeCommittable> committables) {

    public LakeCommit {
        committables = List.copyOf(committables);
    }
}
