package io.thermocline.source.metrics;

import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.reader.RowChunk;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics of one reader: {@code numRecordsIn}, {@code numBytesIn} and {@code pendingRecords}.
 * Pending records are counted against the ends that the hot store gave last; asking for the metric
 * makes them be asked anew, in the background, at most once per pause. Updates come from the task
 * thread, gauges are read by any.
 */
public final class ReaderMetrics implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ReaderMetrics.class);

    private static final long REFRESH_PAUSE_NANOS = 5_000_000_000L;

    private final Counter bytesIn;
    private final Counter recordsIn;
    private final HotConnection connection;
    private final Map<Integer, Long> positions = new ConcurrentHashMap<>();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final ExecutorService refresher =
            Executors.newSingleThreadExecutor(
                    task -> {
                        Thread thread = new Thread(task, "thermocline-pending-records");
                        thread.setDaemon(true);
                        return thread;
                    });
    private volatile Map<Integer, Long> ends = Map.of();
    private volatile long nextRefreshNanos = System.nanoTime();

    public ReaderMetrics(SourceReaderMetricGroup group, HotConnection connection) {
        this.bytesIn = group.getIOMetricGroup().getNumBytesInCounter();
        this.recordsIn = group.getIOMetricGroup().getNumRecordsInCounter();
        this.connection = connection;
        group.setPendingRecordsGauge(this::pendingRecords);
    }

    /** All rows of a chunk were emitted, and its end was reached. */
    public void chunkEmitted(RowChunk chunk) {
        // Flink has counted the end of the chunk as a record
        recordsIn.dec();
        bytesIn.inc(chunk.sizeBytes());
    }

    /** The reader goes on at this offset of a bucket. */
    public void atOffset(int bucket, long offset) {
        positions.put(bucket, offset);
    }

    private long pendingRecords() {
        if (positions.isEmpty()) {
            return 0;
        }
        refreshSoon();
        Map<Integer, Long> known = ends;
        return positions.entrySet().stream()
                .mapToLong(at -> Math.max(0, known.getOrDefault(at.getKey(), 0L) - at.getValue()))
                .sum();
    }

    private void refreshSoon() {
        if (refresher.isShutdown()
                || System.nanoTime() - nextRefreshNanos < 0
                || !refreshing.compareAndSet(false, true)) {
            return;
        }
        try {
            refresher.execute(this::refresh);
        } catch (RejectedExecutionException e) {
            LOG.debug("The reader ends", e);
        }
    }

    private void refresh() {
        try {
            ends = connection.get().offsets(new OffsetQuery.Latest()).offsets();
        } catch (RuntimeException e) {
            // a metric must not fail the job: readers report a lost store themselves
            LOG.debug("Could not ask for changelog ends", e);
        } finally {
            nextRefreshNanos = System.nanoTime() + REFRESH_PAUSE_NANOS;
            refreshing.set(false);
        }
    }

    @Override
    public void close() {
        refresher.shutdownNow();
    }
}
