package io.thermocline.unionread.plan;

import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.TieredState;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.UnionScan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Plans reads of a logical table at one consistent cut: a lake snapshot with the tiered offsets
 * that belong to it, and, for bounded reads, end offsets taken after it. Runs where the read is
 * coordinated, never while a statement is planned. Thread-safe; not for ever: the hot table is the
 * caller's.
 */
public final class UnionPlanner {

    /**
     * Hot tails longer than this in a table without lake data are read from the key index instead.
     */
    static final long LONG_TAIL_RECORDS = 200_000;

    /** Changelog ranges of log tables are cut into units of this many records. */
    static final long CHANGELOG_UNIT_RECORDS = 1_000_000;

    /** How often a newer snapshot is tried where retention has overtaken the one found. */
    private static final int CUT_ATTEMPTS = 5;

    private final LogicalTable table;
    private final HotTableSpec spec;
    private final UnionScan scan;
    private final Supplier<HotTable> hot;
    private final LeaseHolder holder;

    /**
     * @param table the table
     * @param scan what is read of it
     * @param hot gives the hot table; not asked for reads of the lake alone
     * @param holder who reads
     */
    public UnionPlanner(
            LogicalTable table, UnionScan scan, Supplier<HotTable> hot, LeaseHolder holder) {
        this.table = table;
        this.spec = table.spec();
        this.scan = scan;
        this.hot = hot;
        this.holder = holder;
    }

    /**
     * Plans a bounded, merged read: every row of the table exactly once, as it is now.
     *
     * @param startup full, or, on log tables only, where the changelog is entered
     * @throws IllegalArgumentException for a primary-key table that is not to be read in full
     */
    public ReadPlan planBounded(Startup startup, Tier tier) {
        if (tier == Tier.LAKE) {
            return new ReadPlan(lakeUnits(latestSnapshot()).perSplit(Map.of()), null);
        }
        if (spec.hasPrimaryKey() && !(startup instanceof Startup.Full)) {
            throw new IllegalArgumentException(
                    "a bounded read of primary-key table "
                            + spec.path()
                            + " cannot start within the changelog: it is the table's present state");
        }
        if (spec.hasPrimaryKey()) {
            return tier == Tier.HOT ? planKeyIndex() : planMerged();
        }
        if (startup instanceof Startup.Full && tier == Tier.UNION) {
            return planAppended();
        }
        Startup entered = startup instanceof Startup.Full ? new Startup.Earliest() : startup;
        if (tier == Tier.UNION
                && entered instanceof Startup.Timestamp timestamp
                && precedesChangelog(timestamp)) {
            return planAppended();
        }
        ReadLease lease = leaseChangelog(entered);
        return planUnder(
                lease,
                () ->
                        changelogUnits(
                                rangesTo(lease.claim().fromOffsets(), latestOffsets()),
                                ReadStep.Changelog.NOTHING_OF_LAKE));
    }

    /**
     * Plans a read that goes on for ever: one unit per bucket that keeps the order of the bucket's
     * changes, and, on log tables, units of lake rows beside them. Of the lake alone it is bounded.
     */
    public ReadPlan planUnbounded(Startup startup, Tier tier) {
        if (tier == Tier.LAKE) {
            return new ReadPlan(lakeUnits(latestSnapshot()).perSplit(Map.of()), null);
        }
        boolean full =
                startup instanceof Startup.Full
                        || (startup instanceof Startup.Timestamp timestamp
                                && precedesChangelog(timestamp));
        if (!full) {
            return tail(startup);
        }
        if (tier == Tier.HOT) {
            return spec.hasPrimaryKey() ? tailKeyIndex() : tail(new Startup.Earliest());
        }
        LakeCut cut = lakeCut(spec.hasPrimaryKey() ? this::ownSnapshot : this::latestSnapshot);
        if (cut.lease() == null) {
            return tailKeyIndex();
        }
        return planUnder(cut.lease(), () -> tailLake(cut));
    }

    private ReadPlan planMerged() {
        LakeCut cut = lakeCut(this::latestSnapshot);
        if (cut.lease() == null) {
            return planKeyIndex();
        }
        Map<Integer, OffsetRange> tails =
                under(cut.lease(), () -> rangesTo(cut.offsets(), latestOffsets()));
        long records = tails.values().stream().mapToLong(OffsetRange::length).sum();
        if (!cut.snapshot().hasData() && records > LONG_TAIL_RECORDS) {
            cut.lease().release();
            return planKeyIndex();
        }
        return planUnder(cut.lease(), () -> mergedUnits(cut, tails));
    }

    private List<ReadUnit> mergedUnits(LakeCut cut, Map<Integer, OffsetRange> tails) {
        List<ReadUnit> units = new ArrayList<>(lakeUnits(cut.snapshot()).perSplit(tails));
        tails.forEach(
                (bucket, range) -> {
                    if (!range.isEmpty()) {
                        ReadStep step = new ReadStep.NetChanges(bucket, range);
                        units.add(ReadUnit.of("tail-" + bucket, bucket, step));
                    }
                });
        return units;
    }

    private ReadPlan planAppended() {
        LakeCut cut = lakeCut(this::latestSnapshot);
        return planUnder(cut.lease(), () -> appendedUnits(cut));
    }

    private List<ReadUnit> appendedUnits(LakeCut cut) {
        Map<Integer, OffsetRange> tails = rangesTo(cut.offsets(), latestOffsets());
        List<ReadUnit> units = new ArrayList<>(lakeUnits(cut.snapshot()).perSplit(Map.of()));
        // also what is not in this snapshot yet: a cut has all rows of a foreign commit, or none
        units.addAll(changelogUnits(tails, ReadStep.Changelog.ALL_OF_LAKE));
        return units;
    }

    private ReadPlan planKeyIndex() {
        KeyIndexSnapshot snapshot = hot.get().openKeyIndexSnapshot(holder.maxAge().toMillis());
        List<ReadUnit> units = new ArrayList<>();
        for (int bucket = 0; bucket < spec.bucketCount(); bucket++) {
            ReadStep step = new ReadStep.KeyIndex(bucket, snapshot.snapshotId());
            units.add(ReadUnit.of("index-" + bucket, bucket, step));
        }
        return new ReadPlan(units, ReadLease.take(hot.get(), holder, snapshot));
    }

    private ReadPlan tailKeyIndex() {
        KeyIndexSnapshot snapshot = hot.get().openKeyIndexSnapshot(holder.maxAge().toMillis());
        ReadLease lease = ReadLease.take(hot.get(), holder, snapshot);
        Map<Integer, Long> offsets = snapshot.offsets().offsets();
        List<ReadUnit> units = new ArrayList<>();
        for (int bucket = 0; bucket < spec.bucketCount(); bucket++) {
            ReadStep state = new ReadStep.KeyIndex(bucket, snapshot.snapshotId());
            ReadStep changes = changelogFrom(bucket, offsets.get(bucket));
            units.add(new ReadUnit("bucket-" + bucket, bucket, List.of(state, changes)));
        }
        return new ReadPlan(units, lease);
    }

    private List<ReadUnit> tailLake(LakeCut cut) {
        // the ranges are not needed, but a lake that is ahead of the changelog must not be read
        rangesTo(cut.offsets(), latestOffsets());
        LakeUnits lake = lakeUnits(cut.snapshot());
        List<ReadUnit> units = new ArrayList<>();
        if (!spec.hasPrimaryKey()) {
            units.addAll(lake.perSplit(Map.of()));
        }
        for (int bucket = 0; bucket < spec.bucketCount(); bucket++) {
            List<ReadStep> steps = new ArrayList<>();
            if (spec.hasPrimaryKey()) {
                steps.addAll(lake.stepsOfBucket(bucket));
            }
            // of a primary-key table every record is a change, wherever it comes from
            steps.add(
                    new ReadStep.Changelog(
                            bucket,
                            cut.offsets().get(bucket),
                            ChangelogScan.UNBOUNDED,
                            spec.hasPrimaryKey()
                                    ? ReadStep.Changelog.NOTHING_OF_LAKE
                                    : cut.snapshot().sequence()));
            units.add(new ReadUnit("bucket-" + bucket, bucket, steps));
        }
        return units;
    }

    private ReadPlan tail(Startup startup) {
        ReadLease lease = leaseChangelog(startup);
        List<ReadUnit> units = new ArrayList<>();
        new TreeMap<>(lease.claim().fromOffsets())
                .forEach(
                        (bucket, offset) ->
                                units.add(
                                        ReadUnit.of(
                                                "bucket-" + bucket,
                                                bucket,
                                                changelogFrom(bucket, offset))));
        return new ReadPlan(units, lease);
    }

    private static ReadStep changelogFrom(int bucket, long offset) {
        return new ReadStep.Changelog(bucket, offset, ChangelogScan.UNBOUNDED);
    }

    private static List<ReadUnit> changelogUnits(
            Map<Integer, OffsetRange> ranges, long lakeSequence) {
        List<ReadUnit> units = new ArrayList<>();
        ranges.forEach(
                (bucket, range) -> {
                    for (long start = range.start(); start < range.end(); ) {
                        long end = Math.min(range.end(), start + CHANGELOG_UNIT_RECORDS);
                        String id = "changelog-" + bucket + "-" + start;
                        ReadStep step = new ReadStep.Changelog(bucket, start, end, lakeSequence);
                        units.add(ReadUnit.of(id, bucket, step));
                        start = end;
                    }
                });
        return units;
    }

    private LakeUnits lakeUnits(LakeSnapshot snapshot) {
        return LakeUnits.plan(table.lake(), spec, scan, snapshot);
    }

    /**
     * A newest lake snapshot with its tail claimed. A snapshot whose tail is gone before it could
     * be claimed was overtaken by tiering: then a newer one is there.
     */
    private LakeCut lakeCut(Supplier<LakeSnapshot> newest) {
        LakeCut cut = null;
        for (int attempt = 0; attempt < CUT_ATTEMPTS; attempt++) {
            LakeSnapshot snapshot = newest.get();
            Map<Integer, Long> offsets = tieredOffsets(snapshot);
            ReadLease lease = leaseIfReached(new Claim(offsets, snapshot.snapshotId(), null));
            cut = new LakeCut(snapshot, offsets, lease);
            if (lease != null) {
                return cut;
            }
        }
        if (spec.hasPrimaryKey()) {
            return cut;
        }
        throw new HotStoreException(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                "cannot read table "
                        + spec.path()
                        + ": its changelog starts at offsets "
                        + new TreeMap<>(earliestOffsets())
                        + ", but lake snapshot "
                        + cut.snapshot().snapshotId()
                        + " only holds what lies below "
                        + new TreeMap<>(cut.offsets())
                        + ". Read what is left with scan.tier=hot or scan.tier=lake");
    }

    /** A claim on the changelog from where a read enters it, whatever retention does meanwhile. */
    private ReadLease leaseChangelog(Startup startup) {
        Map<Integer, Long> from = Map.of();
        for (int attempt = 0; attempt < CUT_ATTEMPTS; attempt++) {
            from = offsets(startup);
            ReadLease lease = leaseIfReached(Claim.ofOffsets(from));
            if (lease != null) {
                return lease;
            }
        }
        throw new HotStoreException(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                "cannot read the changelog of table "
                        + spec.path()
                        + " from offsets "
                        + new TreeMap<>(from)
                        + ": retention removes records faster than they can be claimed. Raise"
                        + " hot.log.retention");
    }

    /** Takes a lease; null if the changelog does not reach back to it. */
    private @Nullable ReadLease leaseIfReached(Claim claim) {
        ReadLease lease;
        try {
            lease = ReadLease.take(hot.get(), holder, claim);
        } catch (HotStoreException e) {
            if (e.code() == ErrorCode.OFFSET_OUT_OF_RANGE) {
                return null;
            }
            throw e;
        }
        Map<Integer, Long> earliest = under(lease, this::earliestOffsets);
        boolean reachesBack =
                claim.fromOffsets().entrySet().stream()
                        .allMatch(entry -> earliest.get(entry.getKey()) <= entry.getValue());
        if (!reachesBack) {
            lease.release();
            return null;
        }
        return lease;
    }

    private static ReadPlan planUnder(ReadLease lease, Supplier<List<ReadUnit>> units) {
        return new ReadPlan(under(lease, units), lease);
    }

    /** Gives a lease back if what is done under it fails. */
    private static <T> T under(ReadLease lease, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            try {
                lease.release();
            } catch (RuntimeException e2) {
                e.addSuppressed(e2);
            }
            throw e;
        }
    }

    /**
     * The newest snapshot that is exactly what the changelog leads to at its offsets: where others
     * have changed rows since tiering's own one, that one, since the changelog tells of the rest.
     */
    private LakeSnapshot ownSnapshot() {
        // first, so that the other one is not older: a round may end in between
        Optional<LakeSnapshot> tiered = table.lake().latestTieredSnapshot();
        LakeSnapshot latest = latestSnapshot();
        return tiered.isEmpty()
                        || table.lake()
                                .foreignCommits(tiered.get().snapshotId(), latest.snapshotId())
                                .isEmpty()
                ? latest
                : tiered.get();
    }

    private LakeSnapshot latestSnapshot() {
        return table.lake()
                .latestSnapshot()
                .orElseThrow(
                        () ->
                                new LakeException(
                                        LakeException.Reason.TIERED_STATE_MISSING,
                                        "lake table "
                                                + spec.path()
                                                + " has no snapshot, not even the one that CREATE"
                                                + " TABLE wrote. Drop and create the table again, or"
                                                + " restore its snapshots"));
    }

    private Map<Integer, Long> tieredOffsets(LakeSnapshot snapshot) {
        TieredState state = tieredState(snapshot);
        Map<Integer, Long> offsets = state.offsets();
        for (int bucket = 0; bucket < spec.bucketCount(); bucket++) {
            if (!offsets.containsKey(bucket)) {
                throw new LakeException(
                        LakeException.Reason.TIERED_STATE_MISSING,
                        "lake snapshot "
                                + snapshot.snapshotId()
                                + " of table "
                                + spec.path()
                                + " has no tiered offset for bucket "
                                + bucket
                                + " of "
                                + spec.bucketCount());
            }
        }
        return offsets;
    }

    private TieredState tieredState(LakeSnapshot snapshot) {
        TieredState state = snapshot.tieredState();
        if (state == null) {
            throw new LakeException(
                    LakeException.Reason.TIERED_STATE_MISSING,
                    "lake snapshot "
                            + snapshot.snapshotId()
                            + " of table "
                            + spec.path()
                            + " carries no tiered offsets. Read the lake alone with scan.tier=lake");
        }
        if (!state.tableId().equals(spec.tableId())) {
            throw new HotStoreException(
                    ErrorCode.TABLE_RECREATED,
                    "table "
                            + spec.path()
                            + " was dropped and created again: this query was planned for table id "
                            + spec.tableId()
                            + ", the lake holds "
                            + state.tableId()
                            + ". Plan the query again, without the old job's state");
        }
        return state;
    }

    /**
     * Whether records at or after the time may have left the changelog already: the first one left
     * is not older, earlier ones existed, and the lake does not say that all those were older. Or
     * they were never there, because the table had no changelog yet.
     */
    private boolean precedesChangelog(Startup.Timestamp timestamp) {
        if (timestamp.millis() <= spec.attachedSinceMillis()) {
            return true;
        }
        Map<Integer, Long> earliest = earliestOffsets();
        Map<Integer, Long> found = offsets(timestamp);
        TieredState state = tieredState(latestSnapshot());
        for (Map.Entry<Integer, Long> entry : earliest.entrySet()) {
            long first = entry.getValue();
            TieredState.BucketPosition tiered = state.buckets().get(entry.getKey());
            boolean allOlder =
                    tiered != null
                            && first <= tiered.offset()
                            && tiered.maxCommitTimestamp() < timestamp.millis();
            if (first > 0 && found.get(entry.getKey()) <= first && !allOlder) {
                return true;
            }
        }
        return false;
    }

    private Map<Integer, OffsetRange> rangesTo(Map<Integer, Long> from, Map<Integer, Long> to) {
        Map<Integer, OffsetRange> ranges = new TreeMap<>();
        from.forEach(
                (bucket, start) -> {
                    long end = to.get(bucket);
                    if (start > end) {
                        throw new HotStoreException(
                                ErrorCode.TIERED_OFFSET_AHEAD,
                                "the lake holds table "
                                        + spec.path()
                                        + " bucket "
                                        + bucket
                                        + " up to offset "
                                        + start
                                        + ", but the hot store's changelog ends at "
                                        + end
                                        + ": the hot store has lost data or was rolled back."
                                        + " Restore its directory, or read the lake alone with"
                                        + " scan.tier=lake");
                    }
                    ranges.put(bucket, new OffsetRange(start, end));
                });
        return ranges;
    }

    private Map<Integer, Long> offsets(Startup startup) {
        if (startup instanceof Startup.Timestamp timestamp) {
            return hot.get().offsets(new OffsetQuery.AtTimestamp(timestamp.millis())).offsets();
        }
        return startup instanceof Startup.Latest ? latestOffsets() : earliestOffsets();
    }

    private Map<Integer, Long> earliestOffsets() {
        return hot.get().offsets(new OffsetQuery.Earliest()).offsets();
    }

    private Map<Integer, Long> latestOffsets() {
        return hot.get().offsets(new OffsetQuery.Latest()).offsets();
    }
}
