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
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
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

    private static final int BATCH_ROWS = 2_000;
    private static final long BATCH_BYTES = 4L << 20;

    /** Batches without an answer; bounds memory together with {@link #BATCH_BYTES}. */
    private static final int MAX_UNDER_WAY = 16;

    private static final long PROGRESS_NANOS = 10_000_000_000L;

    private final HotTable hot;
    private final HotTableSpec spec;
    private final LakeTable lake;
    private final long snapshotId;
    private final WriterEpoch writer = WriterEpoch.unfenced(UUID.randomUUID());
    private final Queue<CompletableFuture<AppendResult>> underWay = new ArrayDeque<>();
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
    }

    /**
     * Takes all rows over.
     *
     * @return the ends of the changelog, which the snapshot holds entirely
     * @throws LakeException {@code UNSUPPORTED} if a row is not where the bucket function says, or
     *     two rows have one key
     */
    TableOffsets run() {
        List<String> columns = spec.rowType().getFieldNames();
        LakeScan scan = new LakeScan(snapshotId, columns, null);
        List<LakeSplit> splits = lake.planSplits(scan);
        BucketFunction function = lake.bucketFunction();
        ProjectedRowData bucketKey =
                ProjectedRowData.from(
                        spec.bucketKeys().stream().mapToInt(columns::indexOf).toArray());
        try (BufferAllocator allocator =
                        ArrowMemory.newAllocator("hydration of " + spec.path().getFullName());
                Buckets buckets = new Buckets(allocator)) {
            try {
                long nextReport = System.nanoTime() + PROGRESS_NANOS;
                for (int i = 0; i < splits.size(); i++) {
                    LakeSplit split = splits.get(i);
                    try (CloseableIterator<RowData> read = lake.read(split, scan)) {
                        while (read.hasNext()) {
                            RowData row = read.next();
                            int bucket = function.bucket(bucketKey.replaceRow(row));
                            checkPlace(split, bucket);
                            buckets.add(bucket, row);
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
                buckets.flush();
                awaitUnderWay(0);
            } finally {
                // what is under way still uses the memory
                underWay.forEach(append -> append.handle((result, failure) -> null).join());
            }
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

    private void awaitUnderWay(int atMost) {
        while (underWay.size() > atMost) {
            try {
                underWay.peek().join();
                underWay.remove();
            } catch (CompletionException e) {
                throw e.getCause() instanceof HotStoreException refused ? refused : e;
            }
        }
    }

    /** What is to be sent to each bucket. */
    private final class Buckets implements AutoCloseable {

        private final BufferAllocator allocator;
        private final RowBatchBuilder[] builders = new RowBatchBuilder[spec.bucketCount()];
        private final long[] sequences = new long[spec.bucketCount()];

        private Buckets(BufferAllocator allocator) {
            this.allocator = allocator;
        }

        private void add(int bucket, RowData row) {
            if (builders[bucket] == null) {
                builders[bucket] = new RowBatchBuilder(spec.rowType(), allocator);
            }
            builders[bucket].append(row);
            if (builders[bucket].rowCount() >= BATCH_ROWS
                    || builders[bucket].sizeBytes() >= BATCH_BYTES) {
                send(bucket);
            }
        }

        private void send(int bucket) {
            awaitUnderWay(MAX_UNDER_WAY - 1);
            AppendBatch batch =
                    new AppendBatch(bucket, writer, sequences[bucket]++, builders[bucket].finish());
            underWay.add(hot.append(batch));
        }

        private void flush() {
            for (int bucket = 0; bucket < builders.length; bucket++) {
                if (builders[bucket] != null && builders[bucket].rowCount() > 0) {
                    send(bucket);
                }
            }
        }

        @Override
        public void close() {
            for (RowBatchBuilder builder : builders) {
                if (builder != null) {
                    builder.close();
                }
            }
        }
    }
}
