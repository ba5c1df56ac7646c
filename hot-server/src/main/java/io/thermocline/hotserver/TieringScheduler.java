package io.thermocline.hotserver;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeTable;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.flink.util.TimeUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tiers every table at its freshness, one round of a table at a time, several tables side by side.
 * Where nothing is to be tiered, it looks whether others have changed the lake table. A round that
 * fails is logged and tried again later, ever less often. Thread-safe.
 */
final class TieringScheduler implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TieringScheduler.class);

    private static final String ENABLED = "tiering.enabled";
    private static final String FRESHNESS = "tiering.freshness";
    private static final Duration DEFAULT_FRESHNESS = Duration.ofMinutes(1);

    private static final long TICK_MILLIS = 200;
    private static final int ROUNDS_SIDE_BY_SIDE = 2;
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration MAX_BACKOFF = Duration.ofMinutes(5);

    private final Supplier<Collection<HotTable>> tables;
    private final Consumer<HotTable> refresh;
    private final LakeCatalog lake;
    private final TieringRounds rounds;
    private final Map<String, TableTiering> byTable = new ConcurrentHashMap<>();
    private final ScheduledExecutorService clock;
    private final ExecutorService workers;

    /**
     * @param tables the tables there are
     * @param refresh brings a table's definition up to date with the lake
     */
    TieringScheduler(
            Supplier<Collection<HotTable>> tables,
            Consumer<HotTable> refresh,
            LakeCatalog lake,
            TieringRounds rounds) {
        this.tables = tables;
        this.refresh = refresh;
        this.lake = lake;
        this.rounds = rounds;
        this.clock = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "clock"));
        this.workers =
                Executors.newFixedThreadPool(ROUNDS_SIDE_BY_SIDE, task -> daemon(task, "round"));
    }

    private static Thread daemon(Runnable task, String role) {
        Thread thread = new Thread(task, "hot-tiering-" + role);
        thread.setDaemon(true);
        return thread;
    }

    /** One table's rounds. */
    private static final class TableTiering {
        private int claims; // changed while the map's entry is computed
        private final ReentrantLock running = new ReentrantLock();
        private volatile long lastStartNanos = System.nanoTime();
        private volatile long notBeforeNanos = System.nanoTime();
        private volatile long lastLookNanos;
        private volatile boolean looked;
        private volatile int failures;
        private volatile boolean queued;
        private @Nullable TableOffsets nothingPendingAt; // of the clock's thread

        private void succeeded() {
            failures = 0;
        }

        private Duration failed() {
            int doublings = Math.min(failures++, 20);
            Duration wait = FIRST_BACKOFF.multipliedBy(1L << doublings);
            Duration bounded = wait.compareTo(MAX_BACKOFF) > 0 ? MAX_BACKOFF : wait;
            notBeforeNanos = System.nanoTime() + bounded.toNanos();
            return bounded;
        }

        private boolean isDue(Duration freshness) {
            return isFree() && isOver(lastStartNanos, freshness);
        }

        /** Whether it is time to see whether others have changed the lake table. */
        private boolean isLookDue(Duration freshness) {
            return isFree() && (!looked || isOver(lastLookNanos, freshness));
        }

        private boolean isFree() {
            return !queued && System.nanoTime() - notBeforeNanos >= 0;
        }

        private static boolean isOver(long sinceNanos, Duration freshness) {
            return Duration.ofNanos(System.nanoTime() - sinceNanos).compareTo(freshness) >= 0;
        }

        private void looks() {
            lastLookNanos = System.nanoTime();
            looked = true;
        }
    }

    void start() {
        clock.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Runs a round of one table now; waits for one that is running first.
     *
     * @throws HotStoreException {@code LAKE_FAILED}, {@code TABLE_RECREATED}
     */
    TieringResult tier(HotTable table) {
        TableTiering tiering = claim(table);
        tiering.running.lock();
        try {
            long before = tiering.lastStartNanos;
            tiering.lastStartNanos = System.nanoTime();
            tiering.looks();
            TieringResult result = recorded(table);
            if (!result.committed()) {
                // what comes next is not to wait for this round
                tiering.lastStartNanos = before;
            }
            tiering.succeeded();
            return result;
        } catch (LakeException e) {
            throw LakeAccess.failed("tier " + table.spec().path().getFullName(), e);
        } finally {
            tiering.running.unlock();
            release(table);
        }
    }

    /** A table's entry, which stays until it is released. */
    private TableTiering claim(HotTable table) {
        return byTable.compute(
                table.spec().tableId(),
                (id, known) -> {
                    TableTiering tiering = known == null ? new TableTiering() : known;
                    tiering.claims++;
                    return tiering;
                });
    }

    private void release(HotTable table) {
        byTable.computeIfPresent(
                table.spec().tableId(),
                (id, tiering) -> {
                    tiering.claims--;
                    return tiering;
                });
    }

    /**
     * Forgets tables that are gone, unless a round of theirs runs or waits: it would not be seen by
     * one that begins meanwhile.
     */
    private void keepOnly(Set<String> tableIds) {
        for (String tableId : byTable.keySet()) {
            if (!tableIds.contains(tableId)) {
                byTable.computeIfPresent(
                        tableId,
                        (id, tiering) -> tiering.claims == 0 && !tiering.queued ? null : tiering);
            }
        }
    }

    /** Runs a round that the table's history tells of, whatever comes of it. */
    private TieringResult recorded(HotTable table) {
        long startMillis = System.currentTimeMillis();
        long startNanos = System.nanoTime();
        LakeTable lakeTable;
        TieringResult result;
        try {
            lakeTable = lakeTable(table);
            result = rounds.run(table, lakeTable);
        } catch (RuntimeException e) {
            report(table, new TieringReport(startMillis, since(startNanos), null, e.toString()));
            throw e;
        }
        if (result.committed()) {
            report(table, new TieringReport(startMillis, since(startNanos), result, null));
        }
        rounds.after(table, lakeTable, result);
        return result;
    }

    private static void report(HotTable table, TieringReport report) {
        try {
            table.history().reportTiering(report);
        } catch (HotStoreException e) {
            LOG.debug("a tiering round of {} is not kept", table.spec().path(), e);
        }
    }

    private static long since(long startNanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }

    /**
     * Tiers everything that is pending, as far as that is possible within the time. What is left is
     * durable in the hot store.
     */
    void tierPending(Duration time) {
        long deadline = System.nanoTime() + time.toNanos();
        for (HotTable table : tables.get()) {
            if (System.nanoTime() < deadline) {
                try {
                    if (isEnabled(table) && hasPending(table)) {
                        tier(table);
                    }
                } catch (RuntimeException e) {
                    LOG.warn("{} was not tiered before the end", table.spec().path(), e);
                }
            }
        }
    }

    /** Whether a round is running or about to. */
    boolean isBusy() {
        return byTable.values().stream()
                .anyMatch(tiering -> tiering.queued || tiering.running.isLocked());
    }

    private void tick() {
        try {
            Collection<HotTable> present = tables.get();
            for (HotTable table : present) {
                tick(table, of(table));
            }
            keepOnly(
                    present.stream()
                            .map(table -> table.spec().tableId())
                            .collect(Collectors.toSet()));
        } catch (RuntimeException e) {
            // the next tick looks again
            LOG.warn("looking for tables to tier failed", e);
        }
    }

    private void tick(HotTable table, TableTiering tiering) {
        Duration freshness = freshness(table);
        boolean due = tiering.isDue(freshness);
        if ((!due && !tiering.isLookDue(freshness)) || !isEnabled(table)) {
            return;
        }
        boolean pending;
        try {
            pending = isPending(table, tiering);
            if (pending ? !due : !tiering.isLookDue(freshness)) {
                return;
            }
        } catch (HotStoreException e) {
            // the other tables are looked at all the same
            LOG.warn(
                    "looking for rows of {} to tier failed, next try in {} s",
                    table.spec().path(),
                    tiering.failed().toSeconds(),
                    e);
            return;
        }
        tiering.queued = true;
        workers.execute(() -> round(table, tiering, pending));
    }

    private static boolean isPending(HotTable table, TableTiering tiering) {
        TableOffsets ends = table.offsets(new OffsetQuery.Latest());
        if (ends.equals(tiering.nothingPendingAt)) {
            return false;
        }
        boolean pending = hasPending(table);
        tiering.nothingPendingAt = pending ? null : ends;
        return pending;
    }

    /**
     * @param pending whether rows are due; those that come meanwhile are not
     */
    private void round(HotTable table, TableTiering tiering, boolean pending) {
        try {
            if (!pending) {
                tiering.looks();
                if (!rounds.areNeededFor(lakeTable(table))) {
                    return;
                }
            }
            long start = System.nanoTime();
            TieringResult result = tier(table);
            if (result.committed()) {
                LOG.info(
                        "tiered {}: {} rows in {} files, snapshot {}, {} ms",
                        table.spec().path(),
                        result.rows(),
                        result.files(),
                        result.snapshotId(),
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            }
        } catch (RuntimeException e) {
            Duration wait = tiering.failed();
            LOG.warn(
                    "tiering {} failed ({} times in a row), next try in {} s",
                    table.spec().path(),
                    tiering.failures,
                    wait.toSeconds(),
                    e);
        } finally {
            tiering.queued = false;
        }
    }

    private LakeTable lakeTable(HotTable table) {
        Optional<LakeTable> found = findLakeTable(table);
        if (found.isEmpty()) {
            refresh.accept(table);
            found = findLakeTable(table);
        }
        return found.orElseThrow(
                () ->
                        new HotStoreException(
                                ErrorCode.TABLE_RECREATED,
                                "cannot tier "
                                        + table.spec().path()
                                        + ": the lake's table of this name is not the one with id "
                                        + table.spec().tableId()
                                        + " that the hot data belongs to"));
    }

    /** The table's lake table; empty if its name belongs to another one, or to none. */
    private Optional<LakeTable> findLakeTable(HotTable table) {
        try {
            return Optional.of(lake.table(table.spec().path()))
                    .filter(
                            found ->
                                    found.definition()
                                            .tableId()
                                            .equals(Optional.of(table.spec().tableId())));
        } catch (LakeException e) {
            if (e.reason() == LakeException.Reason.TABLE_NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private TableTiering of(HotTable table) {
        return byTable.computeIfAbsent(table.spec().tableId(), id -> new TableTiering());
    }

    private static boolean hasPending(HotTable table) {
        for (BucketStatus bucket : table.status()) {
            if (bucket.readableEnd() > bucket.tieredOffset()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEnabled(HotTable table) {
        return !table.spec().isAttaching()
                && Boolean.parseBoolean(table.spec().options().getOrDefault(ENABLED, "true"));
    }

    private static Duration freshness(HotTable table) {
        String text = table.spec().options().get(FRESHNESS);
        if (text == null) {
            return DEFAULT_FRESHNESS;
        }
        try {
            return TimeUtils.parseDuration(text);
        } catch (IllegalArgumentException e) {
            // the catalog refuses such a value; another engine may have written it
            return DEFAULT_FRESHNESS;
        }
    }

    /** Starts no more rounds and waits for the running ones. */
    void stop(Duration time) {
        clock.shutdownNow();
        workers.shutdown();
        try {
            if (!workers.awaitTermination(time.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("a tiering round is cut off after {} s", time.toSeconds());
                workers.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            workers.shutdownNow();
        }
    }

    @Override
    public void close() {
        stop(Duration.ZERO);
    }
}
