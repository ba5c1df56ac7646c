package io.thermocline.lake;

import java.util.List;

/**
 * Where two snapshots of a table differ. Rows that are the same in both may be among these, too.
 *
 * @param before splits of the older snapshot; every row that is not in the newer one as it was is
 *     in them
 * @param after splits of the newer snapshot; every row that is not in the older one as it is is in
 *     them
 */
public record LakeDifference(List<LakeSplit> before, List<LakeSplit> after) {

    public LakeDifference {
        before = List.copyOf(before);
        after = List.copyOf(after);
    }
}
