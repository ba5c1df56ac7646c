package io.thermocline.source.reader;

import io.thermocline.hotstore.ReadFigures;
import io.thermocline.source.metrics.ReaderMetrics;
import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.source.split.ThermoclineSplitState;
import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.plan.ReadStep;
import io.thermocline.unionread.reader.ReadContext;
import io.thermocline.unionread.reader.RowChunk;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.SourceReaderBase;
import org.apache.flink.table.data.RowData;

/**
 * Task side of the source. Asks for bounded splits one by one, and tells the coordinator which
 * states were read and which changelog records are not needed any more. Confined to the task
 * thread.
 */
public final class ThermoclineSourceReader
        extends SourceReaderBase<ChunkCursor, RowData, ThermoclineSplit, ThermoclineSplitState> {

    /** Splits of a task that may read their state at the same time. */
    private static final int PARALLEL_STATES = 2;

    /** Pause between reports of progress while no checkpoints are taken. */
    private static final long REPORT_PAUSE_NANOS = 10_000_000_000L;

    private final HotConnection connection;
    private final ReadContext readContext;
    private final OpenChunks openChunks;
    private final ReaderMetrics metrics;
    private final Progress progress;

    private ThermoclineSourceReader(
            SourceReaderContext context,
            HotConnection connection,
            ReadContext readContext,
            OpenChunks openChunks,
            ReaderMetrics metrics,
            Progress progress) {
        super(
                new UnitFetcherManager(
                        new SplitReaders(readContext, openChunks, metrics)::create,
                        context.getConfiguration()),
                new RowEmitter(metrics, progress::onAdvanced),
                context.getConfiguration(),
                context);
        this.connection = connection;
        this.readContext = readContext;
        this.openChunks = openChunks;
        this.metrics = metrics;
        this.progress = progress;
    }

    /**
     * A reader; it owns both of these.
     *
     * @param connection to the hot tier
     * @param readContext shared by its fetchers
     */
    public static ThermoclineSourceReader create(
            SourceReaderContext context, HotConnection connection, ReadContext readContext) {
        ReaderMetrics metrics = new ReaderMetrics(context.metricGroup(), connection);
        return new ThermoclineSourceReader(
                context,
                connection,
                readContext,
                new OpenChunks(),
                metrics,
                new Progress(context, metrics));
    }

    private record SplitReaders(
            ReadContext readContext,
            OpenChunks openChunks,
            ReaderMetrics metrics,
            Semaphore statePermits) {

        private SplitReaders(
                ReadContext readContext, OpenChunks openChunks, ReaderMetrics metrics) {
            this(readContext, openChunks, metrics, new Semaphore(PARALLEL_STATES));
        }

        private UnitSplitReader create() {
            return new UnitSplitReader(
                    readContext, openChunks, metrics::chunkFetched, statePermits);
        }
    }

    @Override
    public void start() {
        progress.onStart();
        // restored splits or not: the coordinator may hold splits that no one asked for yet
        context.sendSplitRequest();
    }

    @Override
    public List<ThermoclineSplit> snapshotState(long checkpointId) {
        List<ThermoclineSplit> splits = super.snapshotState(checkpointId);
        progress.onSnapshot(checkpointId, splits);
        return splits;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        progress.onCheckpointComplete(checkpointId);
    }

    @Override
    protected void onSplitFinished(Map<String, ThermoclineSplitState> finished) {
        finished.values().forEach(progress::onFinished);
        context.sendSplitRequest();
    }

    @Override
    protected ThermoclineSplitState initializedState(ThermoclineSplit split) {
        ThermoclineSplitState state = new ThermoclineSplitState(split);
        progress.onAdded(state);
        return state;
    }

    @Override
    protected ThermoclineSplit toSplitType(String splitId, ThermoclineSplitState state) {
        return state.toSplit();
    }

    @Override
    public void close() throws Exception {
        readContext.close();
        try {
            super.close();
        } finally {
            openChunks.close();
            metrics.close();
            connection.close();
        }
    }

    /** What the coordinator and the metrics are told. */
    private static final class Progress {

        private final SourceReaderContext context;
        private final ReaderMetrics metrics;
        private final Set<String> unreadStates = new HashSet<>();
        private final Map<Integer, Long> offsets = new HashMap<>();
        private final NavigableMap<Long, Map<Integer, Long>> snapshots = new TreeMap<>();
        private ReadFigures unreported = ReadFigures.NONE;
        private boolean checkpointed;
        private long lastReportNanos = System.nanoTime();

        private Progress(SourceReaderContext context, ReaderMetrics metrics) {
            this.context = context;
            this.metrics = metrics;
        }

        private void onAdded(ThermoclineSplitState state) {
            ThermoclineSplit split = state.toSplit();
            if (split.hasUnreadState()) {
                unreadStates.add(split.splitId());
            }
            trackOffset(state);
        }

        private void onStart() {
            context.sendSourceEventToCoordinator(new StatesHeld(unreadStates));
        }

        private void onAdvanced(ThermoclineSplitState state, RowChunk chunk) {
            count(chunk, state.isFromLake(chunk.endPosition()));
            ThermoclineSplit split = state.toSplit();
            if (!split.hasUnreadState()) {
                stateRead(split.splitId());
            }
            trackOffset(state);
            long now = System.nanoTime();
            if (!checkpointed && now - lastReportNanos > REPORT_PAUSE_NANOS) {
                lastReportNanos = now;
                report(offsets, false);
            }
        }

        private void count(RowChunk chunk, boolean fromLake) {
            metrics.chunkEmitted(chunk, fromLake);
            long rows = chunk.rowCount();
            unreported =
                    unreported.plus(
                            fromLake
                                    ? ReadFigures.ofRows(0, 0, rows, chunk.sizeBytes())
                                    : ReadFigures.ofRows(rows, chunk.sizeBytes(), 0, 0));
        }

        private void reportRows() {
            if (!unreported.equals(ReadFigures.NONE)) {
                context.sendSourceEventToCoordinator(new RowsRead(unreported));
                unreported = ReadFigures.NONE;
            }
        }

        private void onFinished(ThermoclineSplitState state) {
            // before the next split is asked for: when there is none, the coordinator knows all
            reportRows();
            stateRead(state.toSplit().splitId());
        }

        private void stateRead(String splitId) {
            if (unreadStates.remove(splitId)) {
                reportRows();
                context.sendSourceEventToCoordinator(new StateRead(splitId));
            }
        }

        private void trackOffset(ThermoclineSplitState state) {
            OptionalLong offset = state.changelogOffset();
            ThermoclineSplit split = state.toSplit();
            if (offset.isPresent() && split.unit().isUnbounded()) {
                offsets.put(split.unit().bucket(), offset.getAsLong());
                metrics.atOffset(split.unit().bucket(), offset.getAsLong());
            }
        }

        private void onSnapshot(long checkpointId, List<ThermoclineSplit> splits) {
            checkpointed = true;
            Map<Integer, Long> taken = new HashMap<>();
            for (ThermoclineSplit split : splits) {
                if (split.unit().isUnbounded() && !split.hasUnreadState()) {
                    ReadStep.Changelog changelog =
                            (ReadStep.Changelog) split.unit().steps().get(split.position().step());
                    taken.put(
                            split.unit().bucket(),
                            changelog.startOffset() + split.position().progress());
                }
            }
            snapshots.put(checkpointId, taken);
        }

        private void onCheckpointComplete(long checkpointId) {
            Map.Entry<Long, Map<Integer, Long>> completed = snapshots.floorEntry(checkpointId);
            if (completed != null) {
                report(completed.getValue(), true);
                snapshots.headMap(checkpointId, true).clear();
            }
        }

        private void report(Map<Integer, Long> read, boolean inCheckpoint) {
            reportRows();
            if (!read.isEmpty()) {
                context.sendSourceEventToCoordinator(new ChangelogProgress(read, inCheckpoint));
            }
        }
    }
}
