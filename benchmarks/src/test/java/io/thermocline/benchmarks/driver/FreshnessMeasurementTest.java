package io.thermocline.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** On a table that shows rows only after a known delay. */
class FreshnessMeasurementTest {

    private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    /** One bucket; everything is seen so much later than it was written. */
    private static final class LateTable implements TargetTable {

        private record Row(long key, long time, long seenAt) {}

        private final Queue<Row> hidden = new ArrayDeque<>();
        private final Map<Long, Long> times = new HashMap<>();
        private long end;
        private TailListener listener = (number, time, bucket, offset) -> {};
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private int left;

        private synchronized void reveal() {
            while (!hidden.isEmpty() && hidden.peek().seenAt() <= System.nanoTime()) {
                Row row = hidden.remove();
                times.put(row.key(), row.time());
                end++;
            }
        }

        @Override
        public RowWriter writer() {
            return new RowWriter() {
                @Override
                public void write(BenchRow row, Runnable acknowledged) {
                    int number = (int) row.integer(Shape.NUMBER);
                    long time = row.integer(Shape.TIME);
                    synchronized (LateTable.this) {
                        hidden.add(new Row(row.integer(Shape.KEY), time, time + DELAY_NANOS));
                    }
                    listener.arrived(number, time, 0, number);
                    acknowledged.run();
                    if (--left == 0) {
                        done.complete(null);
                    }
                }

                @Override
                public void flush() {
                    // Everything was acknowledged.
                }

                @Override
                public void close() {
                    // Nothing is open.
                }
            };
        }

        @Override
        public CompletableFuture<Void> tail(int count, TailListener tail) {
            listener = tail;
            left = count;
            return done;
        }

        @Override
        public synchronized Map<Integer, Long> cut() {
            reveal();
            return Map.of(0, end);
        }

        @Override
        public synchronized CompletableFuture<Long> lookup(long key) {
            reveal();
            return CompletableFuture.completedFuture(times.get(key));
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private static Fields command() {
        return new Fields("freshness")
                .with("rate", 1_000)
                .with("warmUpSeconds", 0)
                .with("seconds", 1)
                .with("keys", 5_000);
    }

    private static double millis(Fields result, String name) {
        return Double.parseDouble(result.get(name)) / 1_000;
    }

    @Test
    void aLookupSeesARowWhenTheTableShowsIt() throws Exception {
        Fields result = new FreshnessMeasurement(new LateTable(), () -> {}).lookup(command());

        assertThat(result.number("rows")).isEqualTo(1_000);
        assertThat(result.number("probes")).isPositive();
        assertThat(millis(result, "p50us")).isGreaterThanOrEqualTo(40);
        assertThat(millis(result, "ack-p50us")).isLessThan(40);
    }

    @Test
    void aUnionReadSeesARowWhenACutIncludesIt() throws Exception {
        LateTable table = new LateTable();

        Fields result = new FreshnessMeasurement(table, () -> {}).union(command());

        assertThat(millis(result, "p50us")).isGreaterThanOrEqualTo(40);
        assertThat(result.number("cuts")).isGreaterThan(10);
    }

    @Test
    void aTailSeesARowWhenItArrives() throws Exception {
        Fields result = new FreshnessMeasurement(new LateTable(), () -> {}).tail(command());

        assertThat(millis(result, "p50us")).isLessThan(40);
    }
}
