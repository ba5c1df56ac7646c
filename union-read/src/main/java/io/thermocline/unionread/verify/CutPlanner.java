package io.thermocline.unionread.verify;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.TieredState;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.plan.Claim;
import io.thermocline.unionread.plan.LeaseHolder;
import io.thermocline.unionread.plan.OffsetRange;
import io.thermocline.unionread.plan.ReadLease;
import io.thermocline.unionread.tiering.OthersCommits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Chooses what of a table is compared, and claims it. */
final class CutPlanner {

    private static final Duration LEASE_AGE = Duration.ofMinutes(5);

    /** How often a newer state is tried where retention has overtaken the one found. */
    private static final int ATTEMPTS = 5;

    private final LogicalTable table;
    private final HotTable hot;

    CutPlanner(LogicalTable table, HotTable hot) {
        this.table = table;
        this.hot = hot;
    }

    /**
     * Takes a cut.
     *
     * @throws HotStoreException {@code OFFSET_OUT_OF_RANGE} if the changelog does not reach back to
     *     what the lake holds, {@code TIERED_OFFSET_AHEAD} if the lake holds more than there is
     */
    Cut take() {
        HotStoreException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                return table.spec().hasPrimaryKey() ? ofPrimaryKeyTable() : ofLogTable();
            } catch (HotStoreException e) {
                if (e.code() != ErrorCode.OFFSET_OUT_OF_RANGE) {
                    throw e;
                }
                last = e;
            }
        }
        throw new HotStoreException(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                "cannot verify table "
                        + name()
                        + ": its changelog does not reach back to what the lake holds. "
                        + last.getMessage(),
                last);
    }

    /** Newest lake snapshot, the changelog after it, and the key index at the changelog's end. */
    private Cut ofPrimaryKeyTable() {
        LakeSnapshot base = newest();
        Map<Integer, Long> tiered = base.tieredState().offsets();
        ReadLease lease = lease(tiered, base);
        boolean taken = false;
        KeyIndexSnapshot index = null;
        try {
            index = hot.openKeyIndexSnapshot(LEASE_AGE.toMillis());
            Map<Integer, OffsetRange> tail = ranges(tiered, index.offsets().offsets());
            Cut cut = new Cut(table, hot, new Cut.Parts(base, tail, index, null, List.of(), lease));
            taken = true;
            return cut;
        } finally {
            if (!taken) {
                if (index != null) {
                    index.close();
                }
                lease.release();
            }
        }
    }

    /**
     * The changelog as far as both tiers hold it: from the beginning of the table or the oldest
     * lake snapshot after which the changelog is complete, to the newest lake snapshot.
     */
    private Cut ofLogTable() {
        LakeSnapshot newest = newest();
        LakeSnapshot own = table.lake().latestTieredSnapshot().orElse(newest);
        // a round may have ended in between
        LakeSnapshot target = own.tieredState().equals(newest.tieredState()) ? newest : own;
        Map<Integer, Long> tiered = target.tieredState().offsets();
        ranges(tiered, hot.offsets(new OffsetQuery.Latest()).offsets());
        Map<Integer, Long> earliest = hot.offsets(new OffsetQuery.Earliest()).offsets();
        // of a table that existed before its hot tier, the changelog never tells everything
        boolean complete =
                table.spec().attachedSinceMillis() < 0
                        && earliest.values().stream().allMatch(offset -> offset == 0);
        LakeSnapshot base = complete ? null : oldestWithin(earliest, target);
        Map<Integer, Long> from = base == null ? earliest : base.tieredState().offsets();
        ReadLease lease = lease(from, base == null ? target : base);
        boolean taken = false;
        try {
            Cut cut =
                    new Cut(
                            table,
                            hot,
                            new Cut.Parts(
                                    base,
                                    ranges(from, tiered),
                                    null,
                                    target,
                                    OthersCommits.between(table.lake(), own, target).commits(),
                                    lease));
            taken = true;
            return cut;
        } finally {
            if (!taken) {
                lease.release();
            }
        }
    }

    private LakeSnapshot oldestWithin(Map<Integer, Long> earliest, LakeSnapshot target) {
        for (LakeSnapshot snapshot : table.lake().tieredSnapshots()) {
            Map<Integer, Long> offsets = snapshot.tieredState().offsets();
            boolean within =
                    earliest.entrySet().stream()
                            .allMatch(entry -> offsets.get(entry.getKey()) >= entry.getValue());
            if (within && snapshot.snapshotId() != target.snapshotId()) {
                return snapshot;
            }
        }
        return target;
    }

    /** Claims a lake snapshot, and with it all later ones, and the changelog from these offsets. */
    private ReadLease lease(Map<Integer, Long> from, LakeSnapshot snapshot) {
        long id = snapshot == null ? LeaseRequest.NO_SNAPSHOT : snapshot.snapshotId();
        return ReadLease.take(
                hot,
                new LeaseHolder("verification of " + name(), LEASE_AGE, true),
                new Claim(from, id, null));
    }

    private LakeSnapshot newest() {
        @Nullable LakeSnapshot snapshot = table.lake().latestSnapshot().orElse(null);
        TieredState state = snapshot == null ? null : snapshot.tieredState();
        if (state == null) {
            throw new LakeException(
                    LakeException.Reason.TIERED_STATE_MISSING,
                    "cannot verify table "
                            + name()
                            + ": its lake table has no snapshot with tiered offsets. Restore its"
                            + " snapshots, or drop and create the table again");
        }
        if (!state.tableId().equals(table.spec().tableId())) {
            throw new HotStoreException(
                    ErrorCode.TABLE_RECREATED,
                    "table " + name() + " was dropped and created again. Verify it anew");
        }
        return snapshot;
    }

    private Map<Integer, OffsetRange> ranges(Map<Integer, Long> from, Map<Integer, Long> to) {
        Map<Integer, OffsetRange> ranges = new TreeMap<>();
        from.forEach(
                (bucket, start) -> {
                    long end = to.get(bucket);
                    if (start > end) {
                        throw new HotStoreException(
                                ErrorCode.TIERED_OFFSET_AHEAD,
                                "cannot verify table "
                                        + name()
                                        + ": the lake holds bucket "
                                        + bucket
                                        + " up to offset "
                                        + start
                                        + ", but the changelog ends at "
                                        + end
                                        + ": the hot store has lost data or was rolled back");
                    }
                    ranges.put(bucket, new OffsetRange(start, end));
                });
        return ranges;
    }

    private String name() {
        return table.spec().path().getFullName();
    }
}
