package io.thermocline.unionread.verify;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.plan.OffsetRange;
import io.thermocline.unionread.plan.ReadLease;
import io.thermocline.unionread.reader.RangeReader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * One consistent state of a table: a lake snapshot, the changelog after it, and what both must lead
 * to. It stays readable until it is closed, so that its rows can be visited more than once. Not
 * thread-safe.
 */
final class Cut implements AutoCloseable {

    /** Buckets are not told apart, or all of them are meant. */
    static final int ANY_BUCKET = -1;

    private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int ROWS_PER_TICK = 4_096;

    private final LakeTable lake;
    private final HotTable hot;
    private final HotTableSpec spec;
    private final Parts parts;
    private final RowDataSerializer serializer;
    private final @Nullable BucketFunction bucketFunction;
    private final ProjectedRowData bucketKey;

    private long rowsSinceTick;
    private long nextRenewalNanos = System.nanoTime() + RENEWAL_NANOS;

    /**
     * What is compared.
     *
     * @param base lake snapshot to start from; null for the empty table
     * @param changes changelog after the base, by bucket
     * @param keyIndex what both must lead to; null if that is {@code target}
     * @param target lake snapshot that both must lead to; null if that is {@code keyIndex}
     * @param pending commits of others up to {@code target} that are not in {@code changes} yet
     * @param lease keeps everything but the key index
     */
    record Parts(
            @Nullable LakeSnapshot base,
            Map<Integer, OffsetRange> changes,
            @Nullable KeyIndexSnapshot keyIndex,
            @Nullable LakeSnapshot target,
            List<ForeignCommit> pending,
            ReadLease lease) {}

    Cut(LogicalTable table, HotTable hot, Parts parts) {
        this.lake = table.lake();
        this.hot = hot;
        this.spec = table.spec();
        this.parts = parts;
        this.serializer = new RowDataSerializer(spec.rowType());
        this.bucketFunction = keepsBuckets() ? lake.bucketFunction() : null;
        this.bucketKey =
                ProjectedRowData.from(
                        spec.bucketKeys().stream()
                                .mapToInt(spec.rowType()::getFieldIndex)
                                .toArray());
    }

    Parts parts() {
        return parts;
    }

    /** Whether the bucket of every row is known in the lake, too. */
    boolean keepsBuckets() {
        return !spec.bucketKeys().isEmpty();
    }

    String baseName() {
        return parts.base() == null
                ? "the empty table"
                : "lake snapshot " + parts.base().snapshotId();
    }

    String targetName() {
        return parts.target() == null
                ? "key index"
                : "lake snapshot " + parts.target().snapshotId();
    }

    /**
     * Shows every row of a bucket; each call shows the same rows.
     *
     * @param bucket bucket number, or {@link #ANY_BUCKET} for all
     */
    void visit(int bucket, RowVisitor visitor) {
        if (parts.base() != null) {
            visitLake(parts.base(), Side.BASE, bucket, visitor);
        }
        parts.changes()
                .forEach(
                        (number, range) -> {
                            if (!range.isEmpty() && isWanted(number, bucket)) {
                                visitChangelog(number, range, visitor);
                            }
                        });
        if (parts.target() != null) {
            visitAppended(bucket, visitor);
            visitLake(parts.target(), Side.TARGET, bucket, visitor);
            return;
        }
        for (int number = 0; number < spec.bucketCount(); number++) {
            if (isWanted(number, bucket)) {
                visitKeyIndex(number, visitor);
            }
        }
    }

    private boolean isWanted(int number, int bucket) {
        return bucket == ANY_BUCKET || !keepsBuckets() || number == bucket;
    }

    private void visitLake(LakeSnapshot snapshot, Side side, int bucket, RowVisitor visitor) {
        if (!snapshot.hasData()) {
            return;
        }
        LakeScan scan = new LakeScan(snapshot.snapshotId(), spec.rowType().getFieldNames(), null);
        visitSplits(scan, lake.planSplits(scan), side, bucket, visitor);
    }

    /** Rows that others appended to the target and that are not in the changelog yet. */
    private void visitAppended(int bucket, RowVisitor visitor) {
        for (ForeignCommit commit : parts.pending()) {
            LakeScan scan = new LakeScan(commit.snapshotId(), spec.rowType().getFieldNames(), null);
            lake.appended(commit)
                    .ifPresent(
                            splits -> visitSplits(scan, splits, Side.CHANGELOG, bucket, visitor));
        }
    }

    private void visitSplits(
            LakeScan scan, List<LakeSplit> splits, Side side, int bucket, RowVisitor visitor) {
        for (LakeSplit split : splits) {
            boolean known = split.bucket() != LakeSplit.UNKNOWN_BUCKET;
            if (known && !isWanted(split.bucket(), bucket)) {
                continue;
            }
            try (CloseableIterator<RowData> rows = lake.read(split, scan)) {
                while (rows.hasNext()) {
                    RowData row = rows.next();
                    int number = known && keepsBuckets() ? split.bucket() : bucketOf(row);
                    if (isWanted(number, bucket)) {
                        visitor.visit(number, side, 1, binary(row));
                    }
                    tick();
                }
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new LakeException(
                        LakeException.Reason.IO,
                        "cannot close a split of lake snapshot "
                                + scan.snapshotId()
                                + " of table "
                                + spec.path().getFullName(),
                        e);
            }
        }
    }

    private int bucketOf(RowData row) {
        return bucketFunction == null
                ? ANY_BUCKET
                : bucketFunction.bucket(bucketKey.replaceRow(row));
    }

    private void visitChangelog(int bucket, OffsetRange range, RowVisitor visitor) {
        ChangelogScan scan =
                new ChangelogScan(
                        bucket, range.start(), range.end(), spec.rowType().getFieldNames(), null);
        try (RangeReader reader = new RangeReader(hot, scan)) {
            while (reader.hasNext()) {
                try (ChangelogBatch batch = reader.next()) {
                    if (isInBase(batch)) {
                        continue;
                    }
                    for (int i = 0; i < batch.rows().rowCount(); i++) {
                        RowKind kind = batch.rows().rowKind(i);
                        boolean added = kind == RowKind.INSERT || kind == RowKind.UPDATE_AFTER;
                        visitor.visit(
                                keepsBuckets() ? bucket : ANY_BUCKET,
                                Side.CHANGELOG,
                                added ? 1 : -1,
                                binary(batch.rows().row(i)));
                        tick();
                    }
                }
            }
        }
    }

    /** Whether the records were taken over from a snapshot that is the base, or lies below it. */
    private boolean isInBase(ChangelogBatch batch) {
        return batch.mark() != null
                && parts.base() != null
                && batch.mark().sequence() <= parts.base().sequence();
    }

    private void visitKeyIndex(int bucket, RowVisitor visitor) {
        List<String> columns = spec.rowType().getFieldNames();
        try (KeyIndexSnapshot.Scan scan = parts.keyIndex().scan(bucket, columns)) {
            for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
                try (RowBatch rows = batch) {
                    for (int i = 0; i < rows.rowCount(); i++) {
                        visitor.visit(bucket, Side.TARGET, 1, binary(rows.row(i)));
                        tick();
                    }
                }
            }
        }
    }

    private BinaryRowData binary(RowData row) {
        BinaryRowData binary = serializer.toBinaryRow(row);
        // the kind is part of the bytes, but not of the row
        binary.setRowKind(RowKind.INSERT);
        return binary;
    }

    /** Keeps what is read readable, however long it takes. */
    private void tick() {
        if (++rowsSinceTick < ROWS_PER_TICK) {
            return;
        }
        rowsSinceTick = 0;
        if (Thread.currentThread().isInterrupted()) {
            throw new HotStoreException(
                    ErrorCode.TABLE_CLOSED,
                    "verifying table " + spec.path().getFullName() + " was interrupted");
        }
        if (System.nanoTime() - nextRenewalNanos > 0) {
            nextRenewalNanos = System.nanoTime() + RENEWAL_NANOS;
            parts.lease().renew();
            if (parts.keyIndex() != null) {
                parts.keyIndex().keepAlive();
            }
        }
    }

    @Override
    public void close() {
        try {
            if (parts.keyIndex() != null) {
                parts.keyIndex().close();
            }
        } finally {
            parts.lease().release();
        }
    }
}
