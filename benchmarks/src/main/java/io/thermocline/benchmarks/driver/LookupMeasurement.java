package io.thermocline.benchmarks.driver;

import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Point lookups of random keys with a fixed number under way. */
final class LookupMeasurement {

    private final TargetTable table;
    private final Runnable begin;

    LookupMeasurement(TargetTable table, Runnable begin) {
        this.table = table;
        this.begin = begin;
    }

    /** Keys are drawn from {@code [first, first + keys)}; keys without a row are counted. */
    Fields run(Fields command) throws Exception {
        int count = (int) command.number("count");
        int inFlight = (int) command.number("inFlight");
        Keys keys = new Keys(Long.parseLong(command.get("first", "0")), command.number("keys"));
        lookups(keys, inFlight, Math.max(1, count / 5), new long[Math.max(1, count / 5)]);
        long[] nanos = new long[count];
        begin.run();
        long start = System.nanoTime();
        int misses = lookups(keys, inFlight, count, nanos);
        Fields result = Operations.result(count, System.nanoTime() - start).with("misses", misses);
        Latencies.report(result, "", nanos);
        return result;
    }

    private record Keys(long first, long count) {}

    private int lookups(Keys keys, int inFlight, int count, long[] nanos) throws Exception {
        SplittableRandom random = new SplittableRandom(count);
        Semaphore free = new Semaphore(inFlight);
        AtomicInteger misses = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < count; i++) {
            free.acquire();
            long key = keys.first() + random.nextLong(keys.count());
            int number = i;
            long start = System.nanoTime();
            table.lookup(key)
                    .whenComplete(
                            (found, error) -> {
                                nanos[number] = System.nanoTime() - start;
                                if (error != null) {
                                    failure.compareAndSet(null, error);
                                } else if (found == null) {
                                    misses.incrementAndGet();
                                }
                                free.release();
                            });
        }
        free.acquire(inFlight);
        if (failure.get() != null) {
            throw new IllegalStateException("a lookup failed", failure.get());
        }
        return misses.get();
    }
}
