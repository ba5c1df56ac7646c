package io.thermocline.benchmarks.driver;

import io.thermocline.benchmarks.driver.TargetTable.RowWriter;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How long it takes until others see a row that is written. */
final class FreshnessMeasurement {

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long PAUSE_NANOS = 100_000;
    private static final long LAST_ROW_SECONDS = 60;
    private static final int VERSION = 7;
    private static final int WARM_UP_LOOKUPS = 50;

    private final TargetTable table;
    private final Runnable begin;

    FreshnessMeasurement(TargetTable table, Runnable begin) {
        this.table = table;
        this.begin = begin;
    }

    /** Rows at a fixed rate, and a tailing reader in the same process. The first rows warm up. */
    Fields tail(Fields command) throws Exception {
        int rate = (int) command.number("rate");
        int warm = (int) (rate * command.number("warmUpSeconds"));
        int count = warm + (int) (rate * command.number("seconds"));
        long keys = command.number("keys");
        long[] visible = new long[count];
        long[] acknowledged = new long[count];
        CompletableFuture<Void> seen =
                table.tail(count, (number, time) -> visible[number] = System.nanoTime() - time);
        BenchRow row = new BenchRow(Shape.NARROW);
        try (RowWriter writer = table.writer()) {
            SplittableRandom random = new SplittableRandom(count);
            long start = System.nanoTime();
            long measured = start;
            for (int i = 0; i < count; i++) {
                if (i == warm) {
                    measured = System.nanoTime();
                    begin.run();
                }
                await(start + i * (NANOS_PER_SECOND / rate));
                Shape.NARROW.fill(row, random.nextLong(keys), VERSION);
                row.setInteger(Shape.NUMBER, i);
                int number = i;
                long now = System.nanoTime();
                row.setInteger(Shape.TIME, now);
                writer.write(row, () -> acknowledged[number] = System.nanoTime() - now);
            }
            writer.flush();
            long end = System.nanoTime();
            seen.get(LAST_ROW_SECONDS, TimeUnit.SECONDS);
            Fields result = Operations.result(count - warm, end - measured);
            Latencies.report(result, "", Arrays.copyOfRange(visible, warm, count));
            Latencies.report(result, "ack-", Arrays.copyOfRange(acknowledged, warm, count));
            return result;
        }
    }

    private static void await(long dueNanos) {
        long now = System.nanoTime();
        while (now < dueNanos) {
            LockSupport.parkNanos(Math.min(PAUSE_NANOS, dueNanos - now));
            now = System.nanoTime();
        }
    }

    /** One row at a time: written, then looked up until it is seen. */
    Fields lookup(Fields command) throws Exception {
        int count = (int) command.number("count");
        SplittableRandom random = new SplittableRandom(count);
        long keys = command.number("keys");
        long[] visible = new long[count];
        int stale = 0;
        BenchRow row = new BenchRow(Shape.NARROW);
        try (RowWriter writer = table.writer()) {
            long start = System.nanoTime();
            for (int i = -WARM_UP_LOOKUPS; i < count; i++) {
                if (i == 0) {
                    start = System.nanoTime();
                    begin.run();
                }
                long key = random.nextLong(keys);
                Shape.NARROW.fill(row, key, VERSION);
                long written = System.nanoTime();
                row.setInteger(Shape.TIME, written);
                CompletableFuture<Void> acknowledged = new CompletableFuture<>();
                writer.write(row, () -> acknowledged.complete(null));
                acknowledged.get(LAST_ROW_SECONDS, TimeUnit.SECONDS);
                Long found = table.lookup(key).get();
                while (found == null || found != written) {
                    stale += i >= 0 ? 1 : 0;
                    found = table.lookup(key).get();
                }
                if (i >= 0) {
                    visible[i] = System.nanoTime() - written;
                }
            }
            Fields result =
                    Operations.result(count, System.nanoTime() - start).with("stale", stale);
            Latencies.report(result, "", visible);
            return result;
        }
    }
}
