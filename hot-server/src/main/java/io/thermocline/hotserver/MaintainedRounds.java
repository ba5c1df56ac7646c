package io.thermocline.hotserver;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeTable;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.util.TimeUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rounds after which the lake table is compacted and old snapshots expire, now and then. */
final class MaintainedRounds implements TieringRounds {

    private static final Logger LOG = LoggerFactory.getLogger(MaintainedRounds.class);

    private static final String LOG_RETENTION = "hot.log.retention";
    private static final Duration DEFAULT_LOG_RETENTION = Duration.ofDays(1);

    /** A table is maintained at most this often. */
    private static final Duration INTERVAL = Duration.ofMinutes(5);

    private final TieringRounds rounds;
    private final LocalHotStore store;
    private final ConcurrentHashMap<String, Long> nextNanos = new ConcurrentHashMap<>();

    MaintainedRounds(TieringRounds rounds, LocalHotStore store) {
        this.rounds = rounds;
        this.store = store;
    }

    @Override
    public TieringResult run(HotTable hot, LakeTable lake) {
        return rounds.run(hot, lake);
    }

    @Override
    public boolean areNeededFor(LakeTable lake) {
        return rounds.areNeededFor(lake);
    }

    @Override
    public void after(HotTable hot, LakeTable lake, TieringResult result) {
        if (result.committed() && isDue(hot.spec().tableId())) {
            maintain(hot, lake);
        }
    }

    private boolean isDue(String tableId) {
        long now = System.nanoTime();
        Long next = nextNanos.get(tableId);
        if (next == null) {
            // not right after a start, when a job may be waiting
            nextNanos.put(tableId, now + INTERVAL.toNanos());
            return false;
        }
        if (now - next < 0) {
            return false;
        }
        nextNanos.put(tableId, now + INTERVAL.toNanos());
        return true;
    }

    /** Never makes a round fail: what it did is committed. */
    private void maintain(HotTable hot, LakeTable lake) {
        try {
            String retention = hot.spec().options().get(LOG_RETENTION);
            Duration retain =
                    retention == null ? DEFAULT_LOG_RETENTION : TimeUtils.parseDuration(retention);
            lake.maintain(
                    new LakeMaintenance(
                            retain.toMillis(), store.leasedLakeSnapshots(hot.spec().tableId())));
        } catch (LakeException | IllegalArgumentException e) {
            LOG.warn("maintenance of {} failed, it is tried again later", hot.spec().path(), e);
        }
    }
}
