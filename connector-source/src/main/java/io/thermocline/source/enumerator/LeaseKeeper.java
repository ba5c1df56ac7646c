package io.thermocline.source.enumerator;

import io.thermocline.unionread.plan.Claim;
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
    private final Duration age;
    private final Map<Integer, Long> read = new HashMap<>();
    private @Nullable ReadLease lease;
    private @Nullable Claim claim;
    private boolean stateRead;
    private boolean stateReleasable;
    private boolean checkpointed;
    private long stateReadNanos;
    private long releasingCheckpoint = Long.MAX_VALUE;

    LeaseKeeper(SplitEnumeratorContext<?> context, Duration age) {
        this.context = context;
        this.age = age;
    }

    void start() {
        long period = Math.max(1, age.toMillis() / RENEWALS);
        context.callAsync(() -> true, (tick, error) -> renew(), period, period);
    }

    /** What to write into the state. */
    @Nullable Claim claim() {
        return lease == null ? claim : lease.claim();
    }

    void hold(@Nullable ReadLease taken) {
        lease = taken;
        claim = taken == null ? null : taken.claim();
    }

    /** A claim from the state, for which no lease could be taken yet. */
    void restore(Claim restored) {
        claim = restored;
    }

    void changelogRead(Map<Integer, Long> offsets) {
        read.putAll(offsets);
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

    void release() {
        if (lease != null) {
            lease.release();
        }
    }

    private void renew() {
        if (lease == null) {
            return;
        }
        if (stateRead && !checkpointed && System.nanoTime() - stateReadNanos > age.toNanos()) {
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
                    if (error != null) {
                        LOG.warn("Could not renew the lease of a read; will try again", error);
                    }
                });
    }
}
