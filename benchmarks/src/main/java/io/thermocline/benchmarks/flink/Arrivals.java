package io.thermocline.benchmarks.flink;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** What has arrived at the sink of the job that runs in this process. Thread-safe. */
final class Arrivals {

    private static final AtomicReference<Arrivals> PRESENT = new AtomicReference<>();

    private final AtomicLong rows = new AtomicLong();
    private final AtomicLong checksum = new AtomicLong();
    private final AtomicLong firstNanos = new AtomicLong();
    private final long expectedRows;
    private final long[] delays;
    private final CountDownLatch complete = new CountDownLatch(1);

    private Arrivals(long expectedRows, int numbers) {
        this.expectedRows = expectedRows;
        this.delays = new long[numbers];
    }

    /**
     * Begins anew.
     *
     * @param expectedRows number of rows at which everything has arrived
     */
    static Arrivals ofState(long expectedRows) {
        return begin(new Arrivals(expectedRows, 0));
    }

    /** Begins anew, for timed rows with numbers below {@code count}, each of which arrives once. */
    static Arrivals ofTimedRows(int count) {
        return begin(new Arrivals(count, count));
    }

    private static Arrivals begin(Arrivals arrivals) {
        PRESENT.set(arrivals);
        return arrivals;
    }

    static Arrivals present() {
        return PRESENT.get();
    }

    void added(long sum, int number, long time) {
        if (firstNanos.get() == 0) {
            firstNanos.compareAndSet(0, System.nanoTime());
        }
        checksum.addAndGet(sum);
        if (delays.length > 0) {
            delays[number] = System.nanoTime() - time;
        }
        if (rows.incrementAndGet() == expectedRows) {
            complete.countDown();
        }
    }

    void removed(long sum) {
        checksum.addAndGet(-sum);
        if (delays.length == 0) {
            rows.decrementAndGet();
        }
    }

    void await(long seconds) throws InterruptedException, TimeoutException {
        if (!complete.await(seconds, TimeUnit.SECONDS)) {
            throw new TimeoutException(
                    rows + " of " + expectedRows + " rows have come in " + seconds + " s");
        }
    }

    long rows() {
        return rows.get();
    }

    long checksum() {
        return checksum.get();
    }

    /** When the first row was there; 0: not yet. */
    long firstNanos() {
        return firstNanos.get();
    }

    /** By number, how long each timed row took. */
    long[] delays() {
        return delays;
    }
}
