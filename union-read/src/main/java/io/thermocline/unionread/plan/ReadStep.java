package io.thermocline.unionread.plan;

import io.thermocline.hotstore.LakeMark;
import io.thermocline.lake.LakeSplit;
import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a reader does from start to end. Its progress is a count that starts at 0 and only
 * grows: rows handed out, or, for {@link Changelog}, offsets passed.
 */
public sealed interface ReadStep extends Serializable {

    /** Any bucket. */
    int ANY_BUCKET = -1;

    /** Whether its rows come from the lake. */
    default boolean isOfLake() {
        return this instanceof Lake;
    }

    /**
     * Rows of a lake split, as +I.
     *
     * @param snapshotId lake snapshot that the split belongs to
     * @param split the split
     * @param supersededBy per bucket, the changelog range whose keys are left out here; empty: none
     * @param bucket only rows of this bucket are handed out; {@link #ANY_BUCKET} for all rows
     */
    record Lake(
            long snapshotId, LakeSplit split, Map<Integer, OffsetRange> supersededBy, int bucket)
            implements ReadStep {

        public Lake {
            supersededBy = Map.copyOf(supersededBy);
        }
    }

    /**
     * The last row of every key in a changelog range, as +I; keys deleted last are left out.
     *
     * @param bucket bucket number
     * @param range offsets
     */
    record NetChanges(int bucket, OffsetRange range) implements ReadStep {}

    /**
     * Rows of a bucket in a key-index snapshot, as +I.
     *
     * @param bucket bucket number
     * @param snapshotId id of the hot store's snapshot
     */
    record KeyIndex(int bucket, String snapshotId) implements ReadStep {}

    /**
     * Changelog records as they are.
     *
     * @param bucket bucket number
     * @param startOffset first offset
     * @param endOffset exclusive; {@link io.thermocline.hotstore.ChangelogScan#UNBOUNDED} never
     *     ends
     * @param lakeSequence records that were taken over from the lake are left out if they are from
     *     a snapshot whose number in the lake's order is not higher: another step reads them there
     */
    record Changelog(int bucket, long startOffset, long endOffset, long lakeSequence)
            implements ReadStep {

        /** No record is read from the lake. */
        public static final long NOTHING_OF_LAKE = -1;

        /** Every record that was taken over from the lake is read there. */
        public static final long ALL_OF_LAKE = Long.MAX_VALUE;

        /** All records. */
        public Changelog(int bucket, long startOffset, long endOffset) {
            this(bucket, startOffset, endOffset, NOTHING_OF_LAKE);
        }

        /** Whether records with a mark are left out. */
        public boolean leavesOut(@Nullable LakeMark mark) {
            return mark != null && mark.sequence() <= lakeSequence;
        }
    }
}
