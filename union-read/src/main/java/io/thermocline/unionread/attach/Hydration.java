package io.thermocline.unionread.attach;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.tiering.BucketBatches;
import io.thermocline.unionread.tiering.RowPlacement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.CloseableIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the rows of a lake snapshot over into the hot tier of a primary-key table, as upserts. A
 * row that is there already writes nothing, so that it can be done again from the start after a
 * crash. Confined to one thread.
 */
final class Hydration {

    private static final Logger LOG = LoggerFactory.getLogger(Hydration.class);

    private static final long PROGRESS_NANOS = 10_000_000_000L;

    private final HotTable hot;
    private final HotTableSpec spec;
    private final LakeTable lake;
    private final long snapshotId;
    private final WriterEpoch writer = WriterEpoch.unfenced(UUID.randomUUID());
    private final long[] sequences;
    private long rows;

    /**
     * @param hot the hot tier, to which nobody else writes
     * @param lake the lake table
     * @param snapshotId its snapshot that is taken over
     */
    Hydration(HotTable hot, LakeTable lake, long snapshotId) {
        this.hot = hot;
        this.spec = hot.spec();
        this.lake = lake;
        this.snapshotId = snapshotId;
        this.sequences = new long[spec.bucketCount()];
    }

    /**
     * Takes all rows over.
     *
     * @return the ends of the changelog, which the snapshot holds entirely
     * @throws LakeException {@code UNSUPPORTED} if a row is not where the bucket function says, or
     *     two rows have one key
     */
    TableOffsets run() {
        LakeScan scan = new LakeScan(snapshotId, spec.rowType().getFieldNames(), null);
        List<LakeSplit> splits = lake.planSplits(scan);
        RowPlacement placement = new RowPlacement(spec, lake);
        try (BufferAllocator allocator =
                        ArrowMemory.newAllocator("hydration of " + spec.path().getFullName());
                BucketBatches batches = new BucketBatches(spec, allocator, this::send)) {
            long nextReport = System.nanoTime() + PROGRESS_NANOS;
            for (int i = 0; i < splits.size(); i++) {
                LakeSplit split = splits.get(i);
                try (CloseableIterator<RowData> read = lake.read(split, scan)) {
                    while (read.hasNext()) {
                        RowData row = read.next();
                        int bucket = placement.bucket(row);
                        checkPlace(split, bucket);
                        batches.add(bucket, row);
                        rows++;
                        checkInterrupted();
                    }
                }
                if (System.nanoTime() - nextReport > 0) {
                    LOG.info(
                            "Taking over lake table {}: {} of {} splits, {} rows so far",
                            spec.path().getFullName(),
                            i + 1,
                            splits.size(),
                            rows);
                    nextReport = System.nanoTime() + PROGRESS_NANOS;
                }
            }
            batches.flush();
        } catch (LakeException | HotStoreException e) {
            throw e;
        } catch (Exception e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot read snapshot "
                            + snapshotId
                            + " of lake table "
                            + spec.path().getFullName()
                            + " to take its rows over: "
                            + e
                            + ". Run the statement again.",
                    e);
        }
        checkKeys();
        LOG.info("Took over {} rows of lake table {}", rows, spec.path().getFullName());
        return hot.offsets(new OffsetQuery.Latest());
    }

    private CompletableFuture<AppendResult> send(int bucket, RowBatch batch) {
        return hot.append(new AppendBatch(bucket, writer, sequences[bucket]++, batch));
    }

    private void checkPlace(LakeSplit split, int bucket) {
        if (split.bucket() != LakeSplit.UNKNOWN_BUCKET && split.bucket() != bucket) {
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "table "
                            + spec.path().getFullName()
                            + " cannot get a hot tier: bucket "
                            + split.bucket()
                            + " of the lake has a row that belongs in bucket "
                            + bucket
                            + ". Its files were written with another bucket function or number of"
                            + " buckets; rewrite them with INSERT OVERWRITE.");
        }
    }

    private void checkInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new HotStoreException(
                    ErrorCode.TABLE_CLOSED,
                    "taking over lake table "
                            + spec.path().getFullName()
                            + " was interrupted. Run the statement again to go on, or set"
                            + " 'hot.enabled' to 'false' to give it up.");
        }
    }

    private void checkKeys() {
        long keys = 0;
        for (BucketStatus bucket : hot.status()) {
            keys += bucket.keyIndexRows();
        }
        if (keys != rows) {
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "table "
                            + spec.path().getFullName()
                            + " cannot get a hot tier: snapshot "
                            + snapshotId
                            + " has "
                            + rows
                            + " rows, but "
                            + keys
                            + " different values of "
                            + spec.primaryKey()
                            + ". Remove the rows that have the key of another one.");
        }
    }
}
