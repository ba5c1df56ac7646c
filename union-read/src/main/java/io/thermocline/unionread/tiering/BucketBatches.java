package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.RowData;

/**
 * Collects rows by bucket and sends them in batches, a few of which may be without an answer at a
 * time. Confined to one thread.
 */
public final class BucketBatches implements AutoCloseable {

    private static final int BATCH_ROWS = 2_000;
    private static final long BATCH_BYTES = 4L << 20;

    /** Batches without an answer; bounds memory together with {@link #BATCH_BYTES}. */
    private static final int MAX_UNDER_WAY = 16;

    /** Where batches go. */
    public interface Sender {

        /** Sends a batch and becomes its owner. */
        CompletableFuture<AppendResult> send(int bucket, RowBatch rows);
    }

    private final HotTableSpec spec;
    private final BufferAllocator allocator;
    private final Sender sender;
    private final RowBatchBuilder[] builders;
    private final Queue<CompletableFuture<AppendResult>> underWay = new ArrayDeque<>();

    /**
     * @param spec the table
     * @param allocator for batches; must outlive this object
     * @param sender where batches go
     */
    public BucketBatches(HotTableSpec spec, BufferAllocator allocator, Sender sender) {
        this.spec = spec;
        this.allocator = allocator;
        this.sender = sender;
        this.builders = new RowBatchBuilder[spec.bucketCount()];
    }

    /**
     * Adds a row, which is copied with its kind.
     *
     * @throws HotStoreException what an earlier batch failed with
     */
    public void add(int bucket, RowData row) {
        if (builders[bucket] == null) {
            builders[bucket] = new RowBatchBuilder(spec.rowType(), allocator);
        }
        builders[bucket].append(row);
        if (builders[bucket].rowCount() >= BATCH_ROWS
                || builders[bucket].sizeBytes() >= BATCH_BYTES) {
            send(bucket);
        }
    }

    /**
     * Sends what is left and waits for every answer.
     *
     * @throws HotStoreException what a batch failed with
     */
    public void flush() {
        for (int bucket = 0; bucket < builders.length; bucket++) {
            if (builders[bucket] != null && builders[bucket].rowCount() > 0) {
                send(bucket);
            }
        }
        awaitUnderWay(0);
    }

    private void send(int bucket) {
        awaitUnderWay(MAX_UNDER_WAY - 1);
        underWay.add(sender.send(bucket, builders[bucket].finish()));
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

    @Override
    public void close() {
        // what is under way still uses the memory
        underWay.forEach(append -> append.handle((result, failure) -> null).join());
        for (RowBatchBuilder builder : builders) {
            if (builder != null) {
                builder.close();
            }
        }
    }
}
