package io.thermocline.unionread.plan;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.UnionScan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The lake's part of a plan: the splits of one snapshot. */
final class LakeUnits {

    private final LakeSnapshot snapshot;
    private final List<LakeSplit> splits;

    private LakeUnits(LakeSnapshot snapshot, List<LakeSplit> splits) {
        this.snapshot = snapshot;
        this.splits = splits;
    }

    static LakeUnits plan(
            LakeTable lake, HotTableSpec spec, UnionScan scan, LakeSnapshot snapshot) {
        List<LakeSplit> splits =
                snapshot.hasData()
                        ? lake.planSplits(scan.lakeScan(spec, snapshot.snapshotId()))
                        : List.of();
        return new LakeUnits(snapshot, splits);
    }

    /**
     * One unit per split.
     *
     * @param tails changelog ranges whose keys supersede lake rows, by bucket
     */
    List<ReadUnit> perSplit(Map<Integer, OffsetRange> tails) {
        List<ReadUnit> units = new ArrayList<>();
        for (int i = 0; i < splits.size(); i++) {
            LakeSplit split = splits.get(i);
            ReadStep step =
                    new ReadStep.Lake(
                            snapshot.snapshotId(),
                            split,
                            superseding(tails, split.bucket()),
                            ReadStep.ANY_BUCKET);
            String id = "lake-" + snapshot.snapshotId() + "-" + i;
            units.add(ReadUnit.of(id, split.bucket(), step));
        }
        return units;
    }

    /**
     * Steps that read one bucket's rows: its own splits, and its part of the splits that hold rows
     * of any bucket.
     */
    List<ReadStep> stepsOfBucket(int bucket) {
        List<ReadStep> steps = new ArrayList<>();
        for (LakeSplit split : splits) {
            if (split.bucket() == bucket) {
                steps.add(lakeStep(split, ReadStep.ANY_BUCKET));
            } else if (split.bucket() == LakeSplit.UNKNOWN_BUCKET) {
                steps.add(lakeStep(split, bucket));
            }
        }
        return steps;
    }

    private ReadStep lakeStep(LakeSplit split, int bucket) {
        return new ReadStep.Lake(snapshot.snapshotId(), split, Map.of(), bucket);
    }

    private static Map<Integer, OffsetRange> superseding(
            Map<Integer, OffsetRange> tails, int bucket) {
        Map<Integer, OffsetRange> ranges = new TreeMap<>();
        tails.forEach(
                (tailBucket, range) -> {
                    boolean concerned = bucket == LakeSplit.UNKNOWN_BUCKET || bucket == tailBucket;
                    if (concerned && !range.isEmpty()) {
                        ranges.put(tailBucket, range);
                    }
                });
        return ranges;
    }
}
