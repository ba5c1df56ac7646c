package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.AbsorbedBatch;
import io.thermocline.hotstore.Absorption;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.reader.RangeReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the rows that others have appended to the lake table of a log table over into the
 * changelog, so that running streams see them, each exactly once: the rows of a commit always come
 * in the same order, and how many of them a bucket has already, its changelog says. Confined to one
 * thread.
 */
final class AppendedRows {

    private static final Logger LOG = LoggerFactory.getLogger(AppendedRows.class);

    private final HotTable hot;
    private final HotTableSpec spec;
    private final LakeTable lake;
    private final @Nullable RowPlacement placement;

    AppendedRows(HotTable hot, LakeTable lake) {
        this.hot = hot;
        this.spec = hot.spec();
        this.lake = lake;
        this.placement = spec.bucketKeys().isEmpty() ? null : new RowPlacement(spec, lake);
    }

    /** Rows of a commit that a bucket has. */
    private record Place(LakeMark mark, int bucket) {}

    /**
     * Takes the rows of some commits over, in their order.
     *
     * @param tieredOffsets what lies below is in the lake
     */
    void absorb(List<ForeignCommit> commits, Map<Integer, Long> tieredOffsets) {
        try (Absorption absorption = hot.beginAbsorption(tieredOffsets)) {
            // not from the tiered offsets: a round of a table that was about to lose its hot tier
            // may have gone past rows of a commit that was taken over in part
            Map<Integer, Long> from = hot.offsets(new OffsetQuery.Earliest()).offsets();
            Map<Place, Long> present = present(from, absorption.beganAt());
            for (ForeignCommit commit : commits) {
                Optional<List<LakeSplit>> splits = appended(commit);
                if (splits.isPresent()) {
                    absorb(absorption, commit, splits.get(), present);
                } else {
                    LOG.warn(
                            "{} of lake table {} did not only append rows, or is gone. Queries see"
                                    + " what it did; streams that are running do not.",
                            commit,
                            spec.path().getFullName());
                }
            }
        }
    }

    private Optional<List<LakeSplit>> appended(ForeignCommit commit) {
        try {
            return lake.appended(commit);
        } catch (LakeException e) {
            if (e.reason() == Reason.SNAPSHOT_NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void absorb(
            Absorption absorption,
            ForeignCommit commit,
            List<LakeSplit> splits,
            Map<Place, Long> present) {
        LakeMark mark = OthersCommits.mark(commit);
        long[] skip = new long[spec.bucketCount()];
        for (int bucket = 0; bucket < skip.length; bucket++) {
            skip[bucket] = present.getOrDefault(new Place(mark, bucket), 0L);
        }
        LakeRowVisitor rows = new LakeRowVisitor(spec, lake);
        try (BufferAllocator allocator =
                        ArrowMemory.newAllocator("absorption of " + spec.path().getFullName());
                BucketBatches batches =
                        new BucketBatches(
                                spec,
                                allocator,
                                (bucket, batch) ->
                                        absorption.append(
                                                new AbsorbedBatch(bucket, mark, batch)))) {
            for (int i = 0; i < splits.size(); i++) {
                int ofSplit = i % spec.bucketCount();
                rows.visit(
                        commit.snapshotId(),
                        splits.get(i),
                        row -> {
                            int bucket = placement == null ? ofSplit : placement.bucket(row);
                            if (skip[bucket] > 0) {
                                skip[bucket]--;
                            } else {
                                batches.add(bucket, row);
                            }
                        });
            }
            batches.flush();
        }
    }

    /** How many rows of which commit were taken over before, by whatever round was cut off. */
    private Map<Place, Long> present(Map<Integer, Long> from, Map<Integer, Long> to) {
        Map<Place, Long> present = new HashMap<>();
        from.forEach(
                (bucket, start) -> {
                    ChangelogScan scan =
                            new ChangelogScan(bucket, start, to.get(bucket), List.of(), null);
                    try (RangeReader reader = new RangeReader(hot, scan)) {
                        while (reader.hasNext()) {
                            try (ChangelogBatch batch = reader.next()) {
                                if (batch.mark() != null) {
                                    present.merge(
                                            new Place(batch.mark(), bucket),
                                            (long) batch.rows().rowCount(),
                                            Long::sum);
                                }
                            }
                            RoundInterruption.check(spec);
                        }
                    }
                });
        return present;
    }
}
