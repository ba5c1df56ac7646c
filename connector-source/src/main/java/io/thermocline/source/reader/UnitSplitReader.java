package io.thermocline.source.reader;

import io.thermocline.source.ReadFailures;
import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.reader.ReadContext;
import io.thermocline.unionread.reader.RowChunk;
import io.thermocline.unionread.reader.UnionReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.util.IOUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reads the splits of one fetcher, one after the other; the first one that is not paused is read to
 * its end. Confined to the fetcher's thread, except {@link #wakeUp()}.
 */
final class UnitSplitReader implements SplitReader<ChunkCursor, ThermoclineSplit> {

    /**
     * Longest wait of one fetch: then pauses and new splits are seen even if a wake-up was missed.
     */
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(500);

    private static final long PERMIT_WAIT_MILLIS = 50;

    private final ReadContext context;
    private final OpenChunks openChunks;
    private final Consumer<RowChunk> fetchListener;
    private final Semaphore statePermits;
    private final Map<String, Active> splits = new LinkedHashMap<>();
    private final Object wakeUpLock = new Object();
    private boolean wokenUp;
    private volatile @Nullable UnionReader polled;

    /** A split that is being read, or waits for it. */
    private final class Active {
        private final ThermoclineSplit split;
        private @Nullable UnionReader reader;
        private boolean holdsPermit;
        private boolean paused;

        private Active(ThermoclineSplit split) {
            this.split = split;
        }

        private UnionReader reader() {
            if (reader == null) {
                reader = new UnionReader(context, split.unit(), split.position());
            }
            return reader;
        }

        private void releasePermit() {
            if (holdsPermit) {
                holdsPermit = false;
                statePermits.release();
            }
        }

        private void close() {
            releasePermit();
            if (reader != null) {
                reader.close();
            }
        }
    }

    /**
     * @param fetchListener told of every chunk that was fetched; thread-safe
     * @param statePermits bounds how many fetchers of a task read a state at the same time
     */
    UnitSplitReader(
            ReadContext context,
            OpenChunks openChunks,
            Consumer<RowChunk> fetchListener,
            Semaphore statePermits) {
        this.context = context;
        this.openChunks = openChunks;
        this.fetchListener = fetchListener;
        this.statePermits = statePermits;
    }

    @Override
    public RecordsWithSplitIds<ChunkCursor> fetch() {
        try {
            return fetchNext();
        } catch (RuntimeException e) {
            throw ReadFailures.forFlink(e);
        }
    }

    private RecordsWithSplitIds<ChunkCursor> fetchNext() {
        Active active = firstRunning();
        if (active == null) {
            awaitWakeUp();
            return ChunkRecords.none(openChunks);
        }
        UnionReader reader = active.reader();
        if (reader.isFinished()) {
            splits.remove(active.split.splitId());
            active.close();
            return ChunkRecords.finished(active.split.splitId(), openChunks);
        }
        if (reader.isInChangelog()) {
            active.releasePermit();
        } else if (!active.holdsPermit) {
            active.holdsPermit = tryPermit();
            if (!active.holdsPermit) {
                return ChunkRecords.none(openChunks);
            }
        }
        polled = reader;
        RowChunk chunk = reader.poll(POLL_TIMEOUT);
        polled = null;
        if (chunk == null) {
            return ChunkRecords.none(openChunks);
        }
        fetchListener.accept(chunk);
        return ChunkRecords.of(active.split.splitId(), chunk, openChunks);
    }

    @Override
    public void handleSplitsChanges(SplitsChange<ThermoclineSplit> change) {
        if (!(change instanceof SplitsAddition)) {
            throw new UnsupportedOperationException(
                    "splits can only be added, not " + change.getClass().getSimpleName());
        }
        change.splits().forEach(split -> splits.put(split.splitId(), new Active(split)));
    }

    @Override
    public void pauseOrResumeSplits(
            Collection<ThermoclineSplit> toPause, Collection<ThermoclineSplit> toResume) {
        toPause.forEach(split -> setPaused(split.splitId(), true));
        toResume.forEach(split -> setPaused(split.splitId(), false));
    }

    @Override
    public void wakeUp() {
        synchronized (wakeUpLock) {
            wokenUp = true;
            wakeUpLock.notifyAll();
        }
        UnionReader reader = polled;
        if (reader != null) {
            reader.wakeUp();
        }
    }

    @Override
    public void close() throws Exception {
        List<AutoCloseable> open = new ArrayList<>();
        splits.values().forEach(active -> open.add(active::close));
        splits.clear();
        IOUtils.closeAll(open);
    }

    private @Nullable Active firstRunning() {
        for (Active active : splits.values()) {
            if (!active.paused) {
                return active;
            }
        }
        return null;
    }

    private void setPaused(String splitId, boolean paused) {
        Active active = splits.get(splitId);
        if (active != null) {
            active.paused = paused;
            if (paused) {
                // others may need the permit to reach the watermark that this split waits for
                active.releasePermit();
            }
        }
    }

    private boolean tryPermit() {
        try {
            return statePermits.tryAcquire(PERMIT_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void awaitWakeUp() {
        synchronized (wakeUpLock) {
            if (!wokenUp) {
                try {
                    wakeUpLock.wait(POLL_TIMEOUT.toMillis());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            wokenUp = false;
        }
    }
}
