package io.thermocline.source.enumerator;

import io.thermocline.source.ReadFailures;
import io.thermocline.source.reader.ChangelogProgress;
import io.thermocline.source.reader.RowsRead;
import io.thermocline.source.reader.StateRead;
import io.thermocline.source.reader.StatesHeld;
import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.plan.ReadPlan;
import io.thermocline.unionread.plan.UnionPlanner;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coordinator of the source: plans the read once, hands out its splits and keeps the lease.
 * Confined to the coordinator thread; planning runs in its worker threads and shares nothing with
 * it.
 */
public final class ThermoclineEnumerator
        implements SplitEnumerator<ThermoclineSplit, EnumeratorState> {

    private static final Logger LOG = LoggerFactory.getLogger(ThermoclineEnumerator.class);

    private final SplitEnumeratorContext<ThermoclineSplit> context;
    private final ReadRequest request;
    private final HotConnection connection;
    private final LeaseKeeper leaseKeeper;
    private final PendingSplits pending = new PendingSplits();
    private final Set<String> unreadStates = new HashSet<>();

    /**
     * Restored unread states that nobody is known to hold. A reader may have told of a state after
     * this side's part of the checkpoint was taken and before its own was: nobody tells of it
     * again.
     */
    private final Set<String> unclaimedStates = new HashSet<>();

    /** Readers that have told which states they hold. */
    private final Set<Integer> heardReaders = new HashSet<>();

    /** Readers that asked for a split and got none. */
    private final Set<Integer> waitingReaders = new TreeSet<>();

    private boolean planned;

    /** For the metric, which another thread reads. */
    private volatile long unassignedSplits;

    /**
     * @param connection to the hot tier; owned by the enumerator
     * @param restored state to go on from; null for a new read
     */
    public ThermoclineEnumerator(
            SplitEnumeratorContext<ThermoclineSplit> context,
            ReadRequest request,
            HotConnection connection,
            @Nullable EnumeratorState restored) {
        this.context = context;
        this.request = restored == null ? request : request.startingAt(restored.startup());
        this.connection = connection;
        this.leaseKeeper = new LeaseKeeper(context, request, connection);
        if (restored != null) {
            planned = restored.planned();
            pending.add(restored.pending());
            unreadStates.addAll(restored.unreadStates());
            unclaimedStates.addAll(unreadStates);
            restored.pending().forEach(split -> unclaimedStates.remove(split.splitId()));
            leaseKeeper.restore(restored.claim());
        }
    }

    @Override
    public void start() {
        context.metricGroup().setUnassignedSplitsGauge(() -> unassignedSplits);
        leaseKeeper.start();
        if (!planned) {
            UnionPlanner planner = request.planner(connection);
            context.callAsync(() -> request.plan(planner), this::onPlanned);
            return;
        }
        onStateChanged();
    }

    @Override
    public void handleSplitRequest(int reader, @Nullable String host) {
        waitingReaders.add(reader);
        handOut();
    }

    @Override
    public void addSplitsBack(List<ThermoclineSplit> splits, int reader) {
        waitingReaders.remove(reader);
        pending.addBack(splits);
        handOut();
    }

    @Override
    public void addReader(int reader) {
        handOut();
    }

    @Override
    public void handleSourceEvent(int reader, SourceEvent event) {
        if (event instanceof StateRead stateRead) {
            unreadStates.remove(stateRead.splitId());
            onStateChanged();
        } else if (event instanceof StatesHeld held) {
            statesHeld(reader, held.splitIds());
        } else if (event instanceof ChangelogProgress progress) {
            leaseKeeper.changelogRead(progress.offsets(), progress.inCheckpoint());
        } else if (event instanceof RowsRead rows) {
            leaseKeeper.wasRead(rows.figures());
        } else {
            throw new IllegalArgumentException(
                    "reader " + reader + " sent an unknown event: " + event);
        }
    }

    private void statesHeld(int reader, Set<String> splitIds) {
        unclaimedStates.removeAll(splitIds);
        heardReaders.add(reader);
        if (!unclaimedStates.isEmpty() && heardReaders.size() >= context.currentParallelism()) {
            unreadStates.removeAll(unclaimedStates);
            unclaimedStates.clear();
            onStateChanged();
        }
    }

    @Override
    public EnumeratorState snapshotState(long checkpointId) {
        leaseKeeper.checkpointTaken(checkpointId);
        return new EnumeratorState(
                request.table().spec().tableId(),
                request.startup(),
                planned,
                pending.all(),
                unreadStates,
                leaseKeeper.claim());
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        leaseKeeper.checkpointCompleted(checkpointId);
    }

    @Override
    public void close() {
        try {
            if (request.bounded()) {
                leaseKeeper.release();
            }
            // the lease of an unbounded read ends by age: a restart needs the same state again
        } finally {
            connection.close();
        }
    }

    private void onPlanned(@Nullable ReadPlan plan, @Nullable Throwable error) {
        if (error != null) {
            throw ReadFailures.ofPlanning(
                    new FlinkRuntimeException(
                            "cannot plan the read of table "
                                    + request.table().spec().path()
                                    + ": "
                                    + error.getMessage(),
                            error));
        }
        planned = true;
        leaseKeeper.hold(plan.lease());
        leaseKeeper.wasRead(plan.figures());
        List<ThermoclineSplit> splits = plan.units().stream().map(ThermoclineSplit::of).toList();
        for (ThermoclineSplit split : splits) {
            if (split.hasUnreadState()) {
                unreadStates.add(split.splitId());
            }
        }
        pending.add(splits);
        LOG.info("Planned {} splits of table {}", splits.size(), request.table().spec().path());
        onStateChanged();
        handOut();
    }

    private void onStateChanged() {
        if (!request.bounded()) {
            context.setIsProcessingBacklog(!unreadStates.isEmpty());
        }
        if (unreadStates.isEmpty()) {
            leaseKeeper.stateRead();
            if (!request.bounded()) {
                leaseKeeper.report();
            }
        }
    }

    private void handOut() {
        if (!planned) {
            return;
        }
        int parallelism = context.currentParallelism();
        for (int reader : context.registeredReaders().keySet()) {
            List<ThermoclineSplit> own = pending.takeUnbounded(reader, parallelism);
            if (!own.isEmpty()) {
                context.assignSplits(new SplitsAssignment<>(Map.of(reader, own)));
            }
        }
        for (Iterator<Integer> waiting = waitingReaders.iterator(); waiting.hasNext(); ) {
            int reader = waiting.next();
            if (!context.registeredReaders().containsKey(reader)) {
                waiting.remove();
                continue;
            }
            ThermoclineSplit split = pending.takeBounded(reader);
            if (split != null) {
                context.assignSplit(split, reader);
                waiting.remove();
            } else if (request.bounded()) {
                context.signalNoMoreSplits(reader);
                waiting.remove();
            }
        }
        unassignedSplits = pending.size();
    }
}
