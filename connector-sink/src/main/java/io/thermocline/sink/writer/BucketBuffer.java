package io.thermocline.sink.writer;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import org.apache.flink.table.data.RowData;

/** Rows that wait for their request, and the state of the line to one bucket. */
final class BucketBuffer implements AutoCloseable {

    private final int bucket;
    private final WriterEpoch writer;
    private final RowBatchBuilder builder;

    private long nextSequence;
    private int requestsInFlight;
    private long firstRowMillis;
    private long sizeBytes;

    BucketBuffer(int bucket, WriterEpoch writer, RowBatchBuilder builder) {
        this.bucket = bucket;
        this.writer = writer;
        this.builder = builder;
    }

    int bucket() {
        return bucket;
    }

    /**
     * Copies a row.
     *
     * @param nowMillis processing time
     * @return by how many bytes the buffer grew
     */
    long append(RowData row, long nowMillis) {
        long before = sizeBytes;
        if (builder.rowCount() == 0) {
            firstRowMillis = nowMillis;
        }
        builder.append(row);
        sizeBytes = builder.sizeBytes();
        return sizeBytes - before;
    }

    boolean isEmpty() {
        return builder.rowCount() == 0;
    }

    boolean isFull(WriterSettings settings) {
        return builder.rowCount() >= settings.maxRows() || sizeBytes >= settings.maxBytes();
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** Processing time at which the oldest row came. */
    long firstRowMillis() {
        return firstRowMillis;
    }

    int requestsInFlight() {
        return requestsInFlight;
    }

    /** Takes the rows out as the bucket's next request. */
    AppendBatch nextRequest() {
        requestsInFlight++;
        sizeBytes = 0;
        return new AppendBatch(bucket, writer, nextSequence++, builder.finish());
    }

    void requestEnded() {
        requestsInFlight--;
    }

    @Override
    public void close() {
        builder.close();
    }
}
