package io.thermocline.benchmarks.driver;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

/** Point lookups of random keys with a fixed number under way. */
final class LookupMeasurement {

    /** A client that waits 100 ms for each would not come to an end. */
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LongFunction<CompletableFuture<Boolean>> lookup;
    private final Runnable begin;

    /** By the whole key. */
    static LookupMeasurement ofKeys(TargetTable table, Runnable begin) {
        return new LookupMeasurement(
                key -> table.lookup(key).thenApply(found -> found != null), begin);
    }

    /** By the first column of the key. */
    static LookupMeasurement ofPrefixes(TargetTable table, Runnable begin) {
        return new LookupMeasurement(
                first ->
                        table.lookupPrefix(first)
                                .thenApply(rows -> rows == TableKey.ROWS_PER_PREFIX),
                begin);
    }

    /**
     * @param lookup whether a key has the rows that it should have
     */
    private LookupMeasurement(LongFunction<CompletableFuture<Boolean>> lookup, Runnable begin) {
        this.lookup = lookup;
        this.begin = begin;
    }

    /** Keys are drawn from {@code [first, first + keys)}; keys without their rows are counted. */
    Fields run(Fields command) throws Exception {
        int most = (int) command.number("count");
        int inFlight = (int) command.number("inFlight");
        Keys keys = new Keys(Long.parseLong(command.get("first", "0")), command.number("keys"));
        int warmUp = Math.max(1, most / 5);
        lookups(keys, inFlight, new long[warmUp], WARM_UP_NANOS);
        long[] nanos = new long[most];
        begin.run();
        long start = System.nanoTime();
        Done done = lookups(keys, inFlight, nanos, MAX_NANOS);
        Fields result =
                Operations.result(done.count(), System.nanoTime() - start)
                        .with("misses", done.misses());
        Latencies.report(result, "", Arrays.copyOf(nanos, done.count()));
        return result;
    }

    private record Keys(long first, long count) {}

    private record Done(int count, int misses) {}

    private Done lookups(Keys keys, int inFlight, long[] nanos, long maxNanos) throws Exception {
        long deadline = System.nanoTime() + maxNanos;
        SplittableRandom random = new SplittableRandom(nanos.length);
        Semaphore free = new Semaphore(inFlight);
        AtomicInteger misses = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        int count = 0;
        while (count < nanos.length && System.nanoTime() < deadline) {
            free.acquire();
            long key = keys.first() + random.nextLong(keys.count());
            int number = count++;
            long start = System.nanoTime();
            lookup.apply(key)
                    .whenComplete(
                            (found, error) -> {
                                nanos[number] = System.nanoTime() - start;
                                if (error != null) {
                                    failure.compareAndSet(null, error);
                                } else if (!found) {
                                    misses.incrementAndGet();
                                }
                                free.release();
                            });
        }
        free.acquire(inFlight);
        if (failure.get() != null) {
            throw new IllegalStateException("a lookup failed", failure.get());
        }
        return new Done(count, misses.get());
    }
}
