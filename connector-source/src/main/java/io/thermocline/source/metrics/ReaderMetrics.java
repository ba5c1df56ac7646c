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
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics of one reader: {@code numRecordsIn}, {@code numBytesIn}, both by tier, {@code
 * pendingRecords} and {@code currentFetchEventTimeLag}, and the position in each bucket that it
 * tails. Pending records are counted against the ends that the hot store gave last; asking for the
 * metric makes them be asked anew, in the background, at most once per pause. Updates come from the
 * task thread, gauges are read by any.
 */
public final class ReaderMetrics implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ReaderMetrics.class);

    /** Name that FLIP-33 gives it. */
    private static final String FETCH_EVENT_TIME_LAG = "currentFetchEventTimeLag";

    /** No record with an event time was fetched yet. */
    private static final long UNDEFINED = -1;

    private static final long REFRESH_PAUSE_NANOS = 5_000_000_000L;

    private final Counter bytesIn;
    private final Counter recordsIn;
    private final TierCounters fromHotTier;
    private final TierCounters fromLake;
    private final SourceReaderMetricGroup group;
    private final HotConnection connection;
    private volatile long fetchLagMillis = UNDEFINED;
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
        this.fromHotTier = TierCounters.register(group, "Hot");
        this.fromLake = TierCounters.register(group, "Lake");
        this.group = group;
        this.connection = connection;
        group.setPendingRecordsGauge(this::pendingRecords);
        group.gauge(FETCH_EVENT_TIME_LAG, () -> fetchLagMillis);
    }

    /** What came from one tier. */
    private record TierCounters(Counter records, Counter bytes) {

        private static TierCounters register(MetricGroup group, String tier) {
            return new TierCounters(
                    group.counter("numRecordsInFrom" + tier),
                    group.counter("numBytesInFrom" + tier));
        }

        private void count(RowChunk chunk) {
            records.inc(chunk.rowCount());
            bytes.inc(chunk.sizeBytes());
        }
    }

    /** A chunk has arrived; may be called by any thread. */
    public void chunkFetched(RowChunk chunk) {
        if (chunk.rowCount() == 0) {
            return;
        }
        long timestamp = chunk.commitTimestamp(chunk.rowCount() - 1);
        if (timestamp != RowChunk.NO_TIMESTAMP) {
            fetchLagMillis = Math.max(0, System.currentTimeMillis() - timestamp);
        }
    }

    /** All rows of a chunk were emitted, and its end was reached. */
    public void chunkEmitted(RowChunk chunk, boolean isFromLake) {
        // Flink has counted the end of the chunk as a record
        recordsIn.dec();
        bytesIn.inc(chunk.sizeBytes());
        (isFromLake ? fromLake : fromHotTier).count(chunk);
    }

    /** The reader goes on at this offset of a bucket. */
    public void atOffset(int bucket, long offset) {
        if (positions.put(bucket, offset) == null) {
            MetricGroup ofBucket = group.addGroup("bucket", String.valueOf(bucket));
            ofBucket.gauge("currentOffset", () -> positions.get(bucket));
            ofBucket.gauge("readableOffset", () -> readableOffset(bucket));
        }
    }

    private long readableOffset(int bucket) {
        refreshSoon();
        return ends.getOrDefault(bucket, positions.get(bucket));
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
