package io.thermocline.benchmarks.driver;

import io.thermocline.benchmarks.driver.TargetTable.RowWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long lookups and writes go without a success while the server is killed and comes back. Both
 * use all buckets. {@code BEGIN} says that the server may be killed now.
 */
final class OutageMeasurement {

    /** Rows or keys of one try: enough to touch every bucket. */
    private static final int KEYS_PER_TRY = 64;

    /**
     * A gap that is longer than this, and longer than any pause of a healthy server, is the kill.
     */
    private static final long MIN_GAP_MILLIS = 250;

    private static final long PAUSE_NANOS = 5_000_000;

    private final TargetTable table;
    private final Runnable begin;

    OutageMeasurement(TargetTable table, Runnable begin) {
        this.table = table;
        this.begin = begin;
    }

    private interface Attempt {
        void run() throws Exception;
    }

    Fields run(Fields command) throws Exception {
        long keys = command.number("keys");
        long limitSeconds = command.number("limitSeconds");
        SplittableRandom random = new SplittableRandom(1);
        Attempt lookups = () -> lookUp(random, keys, limitSeconds);
        try (RowWriter writer = table.writer()) {
            BenchRow row = new BenchRow(Shape.NARROW);
            Attempt writes = () -> write(writer, row);
            lookups.run();
            writes.run();
            CompletableFuture<Long> lookupGap = gap(lookups, limitSeconds);
            CompletableFuture<Long> writeGap = gap(writes, limitSeconds);
            begin.run();
            long start = System.nanoTime();
            long lookupMillis = lookupGap.get();
            long writeMillis = writeGap.get();
            return Operations.result(1, System.nanoTime() - start)
                    .with("lookupsMs", lookupMillis)
                    .with("writesMs", writeMillis);
        }
    }

    private void lookUp(SplittableRandom random, long keys, long limitSeconds) throws Exception {
        List<CompletableFuture<Long>> found = new ArrayList<>();
        for (int i = 0; i < KEYS_PER_TRY; i++) {
            found.add(table.lookup(random.nextLong(keys)));
        }
        CompletableFuture.allOf(found.toArray(new CompletableFuture<?>[0]))
                .get(limitSeconds, TimeUnit.SECONDS);
    }

    private void write(RowWriter writer, BenchRow row) throws Exception {
        for (int key = 0; key < KEYS_PER_TRY; key++) {
            Shape.NARROW.fill(row, key, System.nanoTime());
            writer.write(row, null);
        }
        writer.flush();
    }

    /** The first long time between two successes, in milliseconds. */
    private static CompletableFuture<Long> gap(Attempt attempt, long limitSeconds) {
        CompletableFuture<Long> gap = new CompletableFuture<>();
        Thread thread = new Thread(() -> gap(attempt, limitSeconds, gap), "outage");
        thread.setDaemon(true);
        thread.start();
        return gap;
    }

    private static void gap(Attempt attempt, long limitSeconds, CompletableFuture<Long> gap) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        long lastSuccess = System.nanoTime();
        Exception last = null;
        while (System.nanoTime() < deadline) {
            try {
                attempt.run();
                long now = System.nanoTime();
                long millis = TimeUnit.NANOSECONDS.toMillis(now - lastSuccess);
                if (millis > MIN_GAP_MILLIS) {
                    gap.complete(millis);
                    return;
                }
                lastSuccess = now;
            } catch (Exception e) {
                last = e;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        gap.completeExceptionally(
                new IllegalStateException("no outage that ended in " + limitSeconds + " s", last));
    }
}
