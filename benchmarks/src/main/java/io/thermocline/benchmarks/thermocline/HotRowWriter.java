package io.thermocline.benchmarks.thermocline;

import io.thermocline.benchmarks.driver.BenchRow;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TargetTable.RowWriter;
import io.thermocline.benchmarks.flink.BenchRows;
import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.LongToIntFunction;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Writes as the sink does, with its defaults: a row leaves when the line to its bucket is free, and
 * takes along what came while the request before it was under way. Rows of a log go to one bucket
 * after the other, a request each.
 */
final class HotRowWriter implements RowWriter {

    // Defaults of the sink.buffer-flush and sink.max-in-flight options.
    private static final int MAX_ROWS = 10_000;
    private static final long MAX_BYTES = 2L << 20;
    private static final long MAX_IN_FLIGHT_BYTES = 32L << 20;
    private static final int MAX_REQUESTS_PER_BUCKET = 4;

    private final HotTable table;
    private final Shape shape;
    private final LongToIntFunction bucketOf;
    private final BufferAllocator allocator = ArrowMemory.newAllocator("bench-writer");
    private final UUID writerId = UUID.randomUUID();
    private final Line[] lines;
    private int nextBucket; // of a log
    private long inFlightBytes; // guarded by this
    private int requestsInFlight; // guarded by this
    private @Nullable Throwable failure; // guarded by this

    HotRowWriter(HotTable table, Shape shape, LongToIntFunction bucketOf) {
        this.table = table;
        this.shape = shape;
        this.bucketOf = bucketOf;
        this.lines = new Line[table.spec().bucketCount()];
        for (int bucket = 0; bucket < lines.length; bucket++) {
            lines[bucket] = new Line(bucket);
        }
    }

    /** Rows for one bucket. Everything is guarded by the writer. */
    private final class Line {
        private final int bucket;
        private final RowBatchBuilder rows = new RowBatchBuilder(table.spec().rowType(), allocator);
        private List<Runnable> acknowledged = new ArrayList<>();
        private long nextSequence;
        private int requestsInFlight;

        private Line(int bucket) {
            this.bucket = bucket;
        }

        private boolean isFull() {
            return rows.rowCount() >= MAX_ROWS || rows.sizeBytes() >= MAX_BYTES;
        }
    }

    @Override
    public synchronized void write(BenchRow row, @Nullable Runnable acknowledged) throws Exception {
        throwFailure();
        Line line = lines[keyed() ? bucketOf.applyAsInt(row.integer(Shape.KEY)) : nextBucket];
        line.rows.append(BenchRows.toRowData(shape, row));
        if (acknowledged != null) {
            line.acknowledged.add(acknowledged);
        }
        if (line.isFull()) {
            while (line.requestsInFlight >= MAX_REQUESTS_PER_BUCKET
                    || inFlightBytes >= MAX_IN_FLIGHT_BYTES) {
                wait();
                throwFailure();
            }
            send(line);
        } else if (line.requestsInFlight == 0) {
            send(line);
        }
    }

    private boolean keyed() {
        return table.spec().hasPrimaryKey();
    }

    private void send(Line line) {
        if (line.rows.rowCount() == 0) {
            return;
        }
        long bytes = line.rows.sizeBytes();
        List<Runnable> callbacks = line.acknowledged;
        line.acknowledged = new ArrayList<>();
        line.requestsInFlight++;
        requestsInFlight++;
        inFlightBytes += bytes;
        nextBucket = (nextBucket + 1) % lines.length;
        table.append(
                        new AppendBatch(
                                line.bucket, writerId, line.nextSequence++, line.rows.finish()))
                .whenComplete((result, error) -> ended(line, bytes, callbacks, error));
    }

    private void ended(Line line, long bytes, List<Runnable> callbacks, @Nullable Throwable error) {
        if (error == null) {
            callbacks.forEach(Runnable::run);
        }
        synchronized (this) {
            line.requestsInFlight--;
            requestsInFlight--;
            inFlightBytes -= bytes;
            if (error != null && failure == null) {
                failure = error;
            }
            if (line.requestsInFlight == 0 && failure == null && keyed()) {
                send(line);
            }
            notifyAll();
        }
    }

    private void throwFailure() throws Exception {
        if (failure != null) {
            throw new IllegalStateException("a write failed", failure);
        }
    }

    @Override
    public synchronized void flush() throws Exception {
        for (Line line : lines) {
            send(line);
        }
        while (requestsInFlight > 0) {
            wait();
        }
        throwFailure();
    }

    @Override
    public synchronized void close() throws Exception {
        while (requestsInFlight > 0) {
            wait();
        }
        for (Line line : lines) {
            line.rows.close();
        }
        allocator.close();
    }
}
