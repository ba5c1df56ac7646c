package io.thermocline.source.enumerator;

import io.thermocline.hotstore.ReadFigures;
import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.plan.Claim;
import io.thermocline.unionread.plan.LeaseHolder;
import io.thermocline.unionread.plan.ReadLease;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the lease of a read and moves it after the readers: the changelog as far as it was read
 * and checkpointed, the state (lake snapshot, key-index snapshot) as a whole once it was read.
 * Confined to the coordinator thread; calls to the store are made by its worker threads.
 */
final class LeaseKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

    /** Renewals per lease age. */
    private static final int RENEWALS = 3;

    private final SplitEnumeratorContext<?> context;
    private final HotConnection connection;
    private final LeaseHolder holder;
    private final Duration age;
    private final boolean bounded;
    private final Map<Integer, Long> read = new HashMap<>();
    private @Nullable ReadLease lease;
    private @Nullable Claim claim;
    private boolean taking;
    private boolean stateRead;
    private boolean stateReleasable;

    /** Whether there is, or will be, a checkpoint that a restart goes back to. */
    private boolean checkpointed;

    private long stateReadNanos;
    private ReadFigures unreported = ReadFigures.NONE;
    private long releasingCheckpoint = Long.MAX_VALUE;

    /**
     * @param connection to the hot tier; only used in worker threads
     */
    LeaseKeeper(SplitEnumeratorContext<?> context, ReadRequest request, HotConnection connection) {
        this.context = context;
        this.connection = connection;
        this.holder = request.holder();
        this.age = request.leaseAge();
        this.bounded = request.bounded();
    }

    /** Takes the lease for a restored claim; begins to renew. */
    void start() {
        long period = Math.max(1, age.toMillis() / RENEWALS);
        context.callAsync(() -> true, (tick, error) -> renew(), period, period);
        take();
    }

    /** What to write into the state. */
    @Nullable Claim claim() {
        Claim held = lease == null ? claim : lease.claim();
        return held == null ? null : held.movedTo(read);
    }

    void hold(@Nullable ReadLease taken) {
        lease = taken;
    }

    /**
     * Goes on from the state of an earlier coordinator.
     *
     * @param restored a claim that no lease could be taken for yet; null for none
     */
    void restore(@Nullable Claim restored) {
        claim = restored;
        checkpointed = true;
    }

    /**
     * Records that need not be kept any more.
     *
     * @param inCheckpoint whether a completed checkpoint lies behind them. Those that were only
     *     read count while there are no checkpoints: a restart would begin anew
     */
    void changelogRead(Map<Integer, Long> offsets, boolean inCheckpoint) {
        if (inCheckpoint || !checkpointed) {
            offsets.forEach((bucket, offset) -> read.merge(bucket, offset, Math::max));
        }
    }

    /** All states were read to their ends. */
    void stateRead() {
        if (!stateRead) {
            stateRead = true;
            stateReadNanos = System.nanoTime();
        }
    }

    void checkpointTaken(long checkpointId) {
        checkpointed = true;
        if (stateRead && releasingCheckpoint == Long.MAX_VALUE) {
            releasingCheckpoint = checkpointId;
        }
    }

    void checkpointCompleted(long checkpointId) {
        if (checkpointId >= releasingCheckpoint) {
            // no restore can want the state again
            stateReleasable = true;
        }
    }

    /** Adds to what the store is told with the next renewal, or with the release. */
    void wasRead(ReadFigures figures) {
        unreported = unreported.plus(figures);
    }

    /** Tells the store now what was read. */
    void report() {
        ReadLease reporting = lease;
        if (reporting == null || unreported.equals(ReadFigures.NONE)) {
            return;
        }
        ReadFigures figures = takeUnreported();
        context.callAsync(
                () -> reporting.report(figures),
                (reported, error) -> {
                    if (error != null || !reported) {
                        wasRead(figures);
                    }
                });
    }

    private ReadFigures takeUnreported() {
        ReadFigures figures = unreported;
        unreported = ReadFigures.NONE;
        return figures;
    }

    void release() {
        if (lease != null) {
            lease.release();
            // only now: the store has answered, so that this takes no time
            lease.report(takeUnreported());
        }
    }

    private void take() {
        Claim wanted = claim();
        if (lease != null || wanted == null || taking) {
            return;
        }
        taking = true;
        context.callAsync(
                () -> ReadLease.take(connection.get(), holder, wanted),
                (taken, error) -> {
                    taking = false;
                    if (error == null) {
                        hold(taken);
                    } else {
                        // readers tell what is missing, if anything is
                        LOG.warn(
                                "Could not take the lease of a restored read; will try again",
                                error);
                    }
                });
    }

    private void renew() {
        if (lease == null) {
            take();
            return;
        }
        // A bounded read may be asked for its rows again as long as its query runs.
        if (stateRead
                && !bounded
                && !checkpointed
                && Duration.ofNanos(System.nanoTime() - stateReadNanos).compareTo(age) > 0) {
            stateReleasable = true;
        }
        ReadLease renewed = lease;
        Map<Integer, Long> offsets = new HashMap<>(read);
        boolean releaseState = stateReleasable;
        context.callAsync(
                () -> {
                    renewed.moveTo(offsets);
                    if (releaseState) {
                        renewed.releaseState();
                    }
                    return true;
                },
                (done, error) -> {
                    if (error == null) {
                        report();
                    } else {
                        LOG.warn("Could not renew the lease of a read; will try again", error);
                    }
                });
    }
}
