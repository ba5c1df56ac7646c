package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.Attachment;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeCommittable;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeWriter;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredState.BucketPosition;
import io.thermocline.unionread.reader.NetChangeReader;
import io.thermocline.unionread.reader.NetChangeScan;
import io.thermocline.unionread.reader.RangeReader;
import io.thermocline.unionread.reader.SpillSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One tiering round of a table: writes the changelog {@code [tiered offset, end)} of every bucket
 * into the lake and commits it together with the new offsets, provided that the lake is still as it
 * was when the round was planned.
 *
 * <p>An interrupted round leaves the lake as it was, or committed. Either way the next round
 * continues from what the lake says. Confined to one thread; interrupting the thread ends the
 * round.
 */
public final class TieringRound {

    private static final Logger LOG = LoggerFactory.getLogger(TieringRound.class);

    /** How often a round begins anew because others changed the lake table meanwhile. */
    private static final int MAX_ATTEMPTS = 3;

    private static final String KEEP_FIRST =
            "Its hot tier cannot be taken away like that: keep it with ALTER TABLE … SET"
                    + " ('hot.enabled'='true') and take it away again afterwards. ";

    /** Most foreign commits that a message names. */
    private static final int MAX_NAMED = 5;

    private final HotTable hot;
    private final LakeTable lake;
    private final Path temporaryDirectory;

    /**
     * @param hot hot tier of the table
     * @param lake the same table in the lake
     * @param temporaryDirectory local directory for spilling; owned by the caller
     */
    public TieringRound(HotTable hot, LakeTable lake, Path temporaryDirectory) {
        this.hot = hot;
        this.lake = lake;
        this.temporaryDirectory = temporaryDirectory;
    }

    /**
     * Runs the round.
     *
     * @return the snapshot that holds the commit; the present one if there was nothing to tier
     * @throws LakeException {@code COMMIT_CONFLICT} if another process tiered the table meanwhile,
     *     or it was dropped or created again; nothing was committed
     * @throws HotStoreException {@code TIERED_OFFSET_AHEAD} or {@code OFFSET_OUT_OF_RANGE} if
     *     changelog and lake do not belong together any more; {@code FOREIGN_COMMIT} if another
     *     program has changed rows of a primary-key table that is to stop then
     */
    public TieringResult run() {
        checkSameTable();
        for (int attempt = 1; ; attempt++) {
            try {
                return runOnce();
            } catch (LakeException e) {
                if (e.reason() != Reason.FOREIGN_COMMIT || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
                LOG.info("Tiering of table {} begins anew: {}", name(), e.getMessage());
            }
        }
    }

    private TieringResult runOnce() {
        LakeSnapshot present =
                lake.latestTieredSnapshot()
                        .orElseThrow(() -> new IllegalStateException("no tiered state"));
        TieredState expected = present.tieredState();
        OthersCommits others = OthersCommits.since(lake, present);
        // says what is wrong if the tiers do not belong together
        List<BucketRange> before = plan(expected);
        takeOver(present, others, before);
        List<BucketRange> ranges = plan(expected);
        if (ranges.isEmpty() && (others.commits().isEmpty() || isDraining())) {
            reportReadableOffsets();
            return TieringResult.nothing(present.snapshotId(), expected.offsets());
        }
        long oldest = oldestTimestamp(ranges);
        Map<Integer, BucketPosition> positions = new HashMap<>(expected.buckets());
        long rows = 0;
        List<LakeCommittable> committables;
        try (LakeWriter writer = lake.newWriter(temporaryDirectory.toString())) {
            for (BucketRange range : ranges) {
                rows +=
                        hot.spec().hasPrimaryKey()
                                ? net(range, writer, others)
                                : all(range, writer);
                positions.compute(
                        range.bucket(),
                        (bucket, position) ->
                                new BucketPosition(range.end(), lastTimestamp(range, position)));
            }
            if (hot.spec().hasPrimaryKey()
                    && !others.commits().isEmpty()
                    && lake.mayHoldKeysTwice()) {
                rows +=
                        new ChangedKeys(hot, lake, temporaryDirectory)
                                .writeDoubled(present, others.newest(), positions, writer);
            }
            committables = writer.finish();
        }
        TieredState next =
                new TieredState(expected.tableId(), positions, absorbed(expected, others));
        LakeSnapshot committed =
                lake.commit(
                        new LakeCommit(
                                expected,
                                next,
                                committables,
                                hot.spec().hasPrimaryKey() ? others.ids() : null));
        long committedMillis = System.currentTimeMillis();
        int files = committables.stream().mapToInt(LakeCommittable::files).sum();
        LOG.info(
                "Tiered {} rows of table {} in {} files, lake snapshot {}, offsets {}",
                rows,
                name(),
                files,
                committed.snapshotId(),
                next.offsets());
        reportReadableOffsets();
        return new TieringResult(
                committed.snapshotId(),
                expected.offsets(),
                next.offsets(),
                rows,
                files,
                committables.stream().mapToLong(LakeCommittable::bytes).sum(),
                Math.max(0, committedMillis - oldest),
                others.commits().size());
    }

    /** Brings what others have committed into the changelog, as far as that is wanted. */
    private void takeOver(LakeSnapshot present, OthersCommits others, List<BucketRange> pending) {
        if (others.commits().isEmpty()) {
            if (hot.spec().hasPrimaryKey() && pending.stream().anyMatch(this::hasMarked)) {
                LOG.info(
                        "Table {} takes back what it had taken over: the lake table was rolled"
                                + " back",
                        name());
                new ChangedKeys(hot, lake, temporaryDirectory)
                        .absorb(
                                present,
                                present,
                                new LakeMark(
                                        present.snapshotId(),
                                        present.sequence(),
                                        present.commitMillis()));
            }
            return;
        }
        if (!hot.spec().hasPrimaryKey()) {
            if (!isDraining()) {
                new AppendedRows(hot, lake)
                        .absorb(others.commits(), present.tieredState().offsets());
            }
            return;
        }
        if (isDraining() || ForeignCommitPolicy.of(lake.definition()) == ForeignCommitPolicy.FAIL) {
            throw stopped(present, others.commits());
        }
        new ChangedKeys(hot, lake, temporaryDirectory)
                .absorb(present, others.newest(), others.mark());
        LOG.info(
                "Table {} has taken over what others changed in the lake with {}",
                name(),
                others.commits());
    }

    private boolean hasMarked(BucketRange range) {
        ChangelogScan scan =
                new ChangelogScan(range.bucket(), range.start(), range.end(), List.of(), null);
        try (RangeReader reader = new RangeReader(hot, scan)) {
            while (reader.hasNext()) {
                try (ChangelogBatch batch = reader.next()) {
                    if (batch.mark() != null) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Up to which snapshot the commits of others are in the changelog of a log table. */
    private @Nullable Long absorbed(TieredState expected, OthersCommits others) {
        if (hot.spec().hasPrimaryKey()) {
            return null;
        }
        return isDraining() ? Long.valueOf(others.after()) : others.newest().snapshotId();
    }

    private boolean isDraining() {
        return hot.spec().isDraining()
                || lake.definition().attachment().state() == Attachment.State.DRAINING;
    }

    /**
     * Rows that others changed are not known to the key index, and what the lake writes for a
     * change would be wrong.
     */
    private HotStoreException stopped(LakeSnapshot present, List<ForeignCommit> foreign) {
        String named =
                foreign.stream()
                        .limit(MAX_NAMED)
                        .map(ForeignCommit::toString)
                        .collect(Collectors.joining(", "));
        int more = foreign.size() - MAX_NAMED;
        return new HotStoreException(
                ErrorCode.FOREIGN_COMMIT,
                "tiering of table "
                        + name()
                        + " has stopped: another program has changed rows of its lake table since"
                        + " tiering's own snapshot "
                        + present.snapshotId()
                        + ", in "
                        + named
                        + (more > 0 ? " and " + more + " more" : "")
                        + ". Lookups and streams do not know these rows. "
                        + (isDraining() ? KEEP_FIRST : "")
                        + "The hot tier is read and written as before, but nothing more of it"
                        + " reaches the lake. Either take the rows over with ALTER TABLE … SET ('"
                        + ForeignCommitPolicy.OPTION
                        + "'='absorb'), or roll the lake table back to snapshot "
                        + present.snapshotId()
                        + " with another program. Tiering goes on by itself then, at once with"
                        + " CALL sys.tier.");
    }

    private void checkSameTable() {
        Optional<String> lakeId = lake.definition().tableId();
        if (!lakeId.equals(Optional.of(hot.spec().tableId()))) {
            throw new HotStoreException(
                    ErrorCode.TABLE_RECREATED,
                    "cannot tier table "
                            + name()
                            + ": its hot tier has table id "
                            + hot.spec().tableId()
                            + " and the lake table "
                            + lakeId.orElse("none")
                            + ". It was dropped and created again; open it anew.");
        }
        if (!columns().equals(lake.definition().rowType().getFieldNames())) {
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "cannot tier table "
                            + name()
                            + ": the lake table's columns "
                            + lake.definition().rowType().getFieldNames()
                            + " are not those of the hot tier "
                            + columns()
                            + ". Undo the change of the lake table's schema.");
        }
    }

    /** A bucket's part of the round; {@code start < end}. */
    private record BucketRange(int bucket, long start, long end) {}

    private List<BucketRange> plan(TieredState state) {
        // The start is asked for first: it may move up meanwhile, never beyond the tiered offset.
        Map<Integer, Long> earliest = hot.offsets(new OffsetQuery.Earliest()).offsets();
        Map<Integer, Long> ends = hot.offsets(new OffsetQuery.Latest()).offsets();
        List<BucketRange> ranges = new ArrayList<>();
        new TreeMap<>(state.offsets())
                .forEach(
                        (bucket, tiered) -> {
                            checkRange(bucket, tiered, earliest.get(bucket), ends.get(bucket));
                            if (tiered < ends.get(bucket)) {
                                ranges.add(new BucketRange(bucket, tiered, ends.get(bucket)));
                            }
                        });
        return ranges;
    }

    private void checkRange(int bucket, long tiered, long earliest, long end) {
        if (tiered > end) {
            throw new HotStoreException(
                    ErrorCode.TIERED_OFFSET_AHEAD,
                    "cannot tier bucket "
                            + bucket
                            + " of table "
                            + name()
                            + ": the lake holds its changelog up to offset "
                            + tiered
                            + ", but the changelog ends at "
                            + end
                            + ". The hot store's disk was lost or rolled back. Restore the hot store's"
                            + " directory; or copy what the lake holds ("
                            + name()
                            + "$lake) to a new table and drop this one.");
        }
        if (tiered < earliest) {
            throw new HotStoreException(
                    ErrorCode.OFFSET_OUT_OF_RANGE,
                    "cannot tier bucket "
                            + bucket
                            + " of table "
                            + name()
                            + ": the lake holds its changelog up to offset "
                            + tiered
                            + ", but the changelog begins at "
                            + earliest
                            + ". The lake table was rolled back to an older snapshot, so changes are"
                            + " missing. Roll it forward again (for example to the tag or snapshot it"
                            + " had before); or copy what the lake holds ("
                            + name()
                            + "$lake) to a new table and drop this one.");
        }
    }

    /**
     * Writes the last change of every key in the range. After commits of others no key is certainly
     * new to the lake.
     */
    private long net(BucketRange range, LakeWriter writer, OthersCommits others) {
        NetChangeScan scan =
                new NetChangeScan(
                        range.bucket(), range.start(), range.end(), columns(), true, null);
        long rows = 0;
        try (NewKeys newKeys = others.commits().isEmpty() ? newKeys(range) : null;
                NetChangeReader reader =
                        new NetChangeReader(hot, scan, SpillSettings.in(temporaryDirectory))) {
            for (RowData row = reader.next(); row != null; row = reader.next()) {
                if (newKeys == null || !newKeys.contains(row)) {
                    writer.write(range.bucket(), row);
                    rows++;
                } else if (row.getRowKind() != RowKind.DELETE) {
                    writer.writeNew(range.bucket(), row);
                    rows++;
                }
                RoundInterruption.check(hot.spec());
            }
        }
        return rows;
    }

    private @Nullable NewKeys newKeys(BucketRange range) {
        return lake.distinguishesNewKeys()
                ? new NewKeys(
                        hot,
                        range.bucket(),
                        range.start(),
                        range.end(),
                        columns(),
                        SpillSettings.in(temporaryDirectory))
                : null;
    }

    /** Writes all rows of the range, without those that the lake has already. */
    private long all(BucketRange range, LakeWriter writer) {
        ChangelogScan scan =
                new ChangelogScan(range.bucket(), range.start(), range.end(), columns(), null);
        long rows = 0;
        try (RangeReader reader = new RangeReader(hot, scan)) {
            while (reader.hasNext()) {
                try (ChangelogBatch batch = reader.next()) {
                    if (batch.mark() == null) {
                        for (int row = 0; row < batch.rows().rowCount(); row++) {
                            writer.write(range.bucket(), batch.rows().row(row));
                        }
                        rows += batch.rows().rowCount();
                    }
                }
                RoundInterruption.check(hot.spec());
            }
        }
        return rows;
    }

    /** Timestamps never decrease, so that of the last record is the highest. */
    private long lastTimestamp(BucketRange range, BucketPosition before) {
        return Math.max(
                before.maxCommitTimestamp(), timestampAt(range.bucket(), range.end() - 1, -1));
    }

    /** When the oldest record of the round was committed. */
    private long oldestTimestamp(List<BucketRange> ranges) {
        return ranges.stream()
                .mapToLong(range -> timestampAt(range.bucket(), range.start(), Long.MAX_VALUE))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Commit timestamp of the record at an offset. */
    private long timestampAt(int bucket, long offset, long otherwise) {
        ChangelogScan scan = new ChangelogScan(bucket, offset, offset + 1, List.of(), null);
        try (RangeReader reader = new RangeReader(hot, scan)) {
            while (reader.hasNext()) {
                try (ChangelogBatch batch = reader.next()) {
                    if (batch.commitTimestamps().length > 0) {
                        return batch.commitTimestamps()[0];
                    }
                }
            }
        }
        // a control record: it is no row, and so not old or young
        return otherwise;
    }

    /** What readers may find in the lake only: on some tables less than what was committed. */
    private void reportReadableOffsets() {
        lake.latestSnapshot()
                .map(LakeSnapshot::tieredState)
                .ifPresent(state -> hot.reportTieredOffsets(state.offsets()));
    }

    private List<String> columns() {
        return hot.spec().rowType().getFieldNames();
    }

    private String name() {
        return hot.spec().path().getFullName();
    }
}
