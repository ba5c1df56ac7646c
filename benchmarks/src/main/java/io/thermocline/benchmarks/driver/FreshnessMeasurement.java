package io.thermocline.benchmarks.driver;

import io.thermocline.benchmarks.driver.TargetTable.RowWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * How long it takes until others see a row, while rows are written at a fixed rate. The first rows
 * warm up.
 */
final class FreshnessMeasurement {

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long PAUSE_NANOS = 100_000;
    private static final long LAST_ROW_SECONDS = 60;
    private static final int VERSION = 7;

    /** Keys at the end of all keys that only probes write. */
    private static final int PROBE_KEYS = 1_000;

    /** One in so many rows may be a probe. */
    private static final int ROWS_PER_PROBE = 50;

    private final TargetTable table;
    private final Runnable begin;

    FreshnessMeasurement(TargetTable table, Runnable begin) {
        this.table = table;
        this.begin = begin;
    }

    /** How many rows are written: so many to warm up, then the others. */
    private record Pace(int rate, int warm, int count, long keys) {

        static Pace of(Fields command) {
            int rate = (int) command.number("rate");
            int warm = (int) (rate * command.number("warmUpSeconds"));
            int count = warm + (int) (rate * command.number("seconds"));
            return new Pace(rate, warm, count, command.number("keys"));
        }

        int measured() {
            return count - warm;
        }
    }

    /** Until a tailing reader in the same process has the row. */
    Fields tail(Fields command) throws Exception {
        Pace pace = Pace.of(command);
        long[] visible = new long[pace.count()];
        CompletableFuture<Void> seen =
                table.tail(
                        pace.count(),
                        (number, time, bucket, offset) ->
                                visible[number] = System.nanoTime() - time);
        Fields result = write(pace, Probes.NONE);
        seen.get(LAST_ROW_SECONDS, TimeUnit.SECONDS);
        Latencies.report(result, "", Arrays.copyOfRange(visible, pace.warm(), pace.count()));
        return result;
    }

    /** Until the ends of the changelog, as a union read takes them, include the row. */
    Fields union(Fields command) throws Exception {
        Pace pace = Pace.of(command);
        long[] times = new long[pace.count()];
        int[] buckets = new int[pace.count()];
        long[] offsets = new long[pace.count()];
        CompletableFuture<Void> seen =
                table.tail(
                        pace.count(),
                        (number, time, bucket, offset) -> {
                            times[number] = time;
                            buckets[number] = bucket;
                            offsets[number] = offset;
                        });
        Cuts cuts = new Cuts();
        cuts.thread.start();
        Fields result;
        try {
            result = write(pace, Probes.NONE);
            seen.get(LAST_ROW_SECONDS, TimeUnit.SECONDS);
        } finally {
            Map<Integer, Long> last = new HashMap<>();
            for (int i = 0; i < pace.count(); i++) {
                last.merge(buckets[i], offsets[i], Math::max);
            }
            cuts.end(last);
        }
        long[] visible = new long[pace.measured()];
        for (int i = 0; i < visible.length; i++) {
            int row = pace.warm() + i;
            visible[i] = cuts.firstWith(buckets[row], offsets[row]) - times[row];
        }
        Latencies.report(result.with("cuts", cuts.taken.size()), "", visible);
        return result;
    }

    private record Cut(Map<Integer, Long> ends, long nanos) {}

    /** Takes one cut after the other; keeps those that moved. */
    private final class Cuts {

        private final List<Cut> taken = new ArrayList<>();
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final Thread thread = new Thread(this::take, "cuts");
        private volatile Map<Integer, Long> last;

        private void take() {
            try {
                Map<Integer, Long> newest = Map.of();
                while (!includes(newest, last)) {
                    Map<Integer, Long> ends = table.cut();
                    long now = System.nanoTime();
                    if (!ends.equals(newest)) {
                        taken.add(new Cut(ends, now));
                        newest = ends;
                    }
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (Exception e) {
                failure.set(e);
            }
        }

        private static boolean includes(Map<Integer, Long> ends, Map<Integer, Long> offsets) {
            return offsets != null
                    && offsets.entrySet().stream()
                            .allMatch(
                                    entry ->
                                            ends.getOrDefault(entry.getKey(), 0L)
                                                    > entry.getValue());
        }

        /** Waits for a cut that includes the last records, by bucket; there are no more then. */
        private void end(Map<Integer, Long> lastOffsets) throws InterruptedException {
            last = lastOffsets;
            thread.join(TimeUnit.SECONDS.toMillis(LAST_ROW_SECONDS));
            if (failure.get() != null || thread.isAlive()) {
                throw new IllegalStateException(
                        "no cut includes the records " + lastOffsets, failure.get());
            }
        }

        /** When the first cut was there that includes a record. */
        private long firstWith(int bucket, long offset) {
            int low = 0;
            int high = taken.size() - 1;
            while (low < high) {
                int middle = (low + high) / 2;
                if (taken.get(middle).ends().get(bucket) > offset) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return taken.get(low).nanos();
        }
    }

    /** Until a lookup finds the row; one probe at a time. */
    Fields lookup(Fields command) throws Exception {
        Pace pace = Pace.of(command);
        Prober prober = new Prober(pace.keys() - PROBE_KEYS);
        Pace others = new Pace(pace.rate(), pace.warm(), pace.count(), pace.keys() - PROBE_KEYS);
        Fields result;
        try (prober) {
            prober.thread.start();
            result = write(others, prober);
        }
        Latencies.report(
                result.with("probes", prober.measured.size()),
                "",
                prober.measured.stream().mapToLong(Long::longValue).toArray());
        return result;
    }

    /** A row that is looked up until it is seen. */
    private record Probe(long key, long nanos, boolean warm) {}

    private final class Prober implements Probes, AutoCloseable {

        private final long firstKey;
        private final AtomicReference<Probe> present = new AtomicReference<>();
        private final List<Long> measured = new ArrayList<>();
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final Thread thread = new Thread(this::look, "probes");
        private int probes;
        private volatile boolean ending;

        private Prober(long firstKey) {
            this.firstKey = firstKey;
        }

        @Override
        public Long keyOf(int number) {
            return number % ROWS_PER_PROBE == 0 && present.get() == null
                    ? firstKey + probes++ % PROBE_KEYS
                    : null;
        }

        @Override
        public void written(Probe probe) {
            present.set(probe);
        }

        private void look() {
            try {
                while (!ending || present.get() != null) {
                    Probe probe = present.get();
                    if (probe == null) {
                        LockSupport.parkNanos(PAUSE_NANOS);
                        continue;
                    }
                    Long found = table.lookup(probe.key()).get();
                    if (found != null && found == probe.nanos()) {
                        if (!probe.warm()) {
                            measured.add(System.nanoTime() - probe.nanos());
                        }
                        present.set(null);
                    }
                }
            } catch (Exception e) {
                failure.set(e);
            }
        }

        @Override
        public void close() throws Exception {
            ending = true;
            thread.join(TimeUnit.SECONDS.toMillis(LAST_ROW_SECONDS));
            if (failure.get() != null || thread.isAlive()) {
                throw new IllegalStateException(
                        "a row was not found: " + present.get(), failure.get());
            }
        }
    }

    /** Which rows are probes. */
    private interface Probes {

        /** No row is one. */
        Probes NONE =
                new Probes() {
                    @Override
                    public Long keyOf(int number) {
                        return null;
                    }

                    @Override
                    public void written(Probe probe) {
                        throw new IllegalStateException("not a probe: " + probe);
                    }
                };

        /** Key of the n-th row if it is a probe, else null. */
        Long keyOf(int number);

        /** A probe is about to be written. */
        void written(Probe probe);
    }

    private Fields write(Pace pace, Probes probes) throws Exception {
        long[] acknowledged = new long[pace.count()];
        BenchRow row = new BenchRow(Shape.NARROW);
        SplittableRandom random = new SplittableRandom(pace.count());
        try (RowWriter writer = table.writer()) {
            long start = System.nanoTime();
            long measured = start;
            for (int i = 0; i < pace.count(); i++) {
                if (i == pace.warm()) {
                    measured = System.nanoTime();
                    begin.run();
                }
                await(start + i * (NANOS_PER_SECOND / pace.rate()));
                Long probe = probes.keyOf(i);
                long key = probe == null ? random.nextLong(pace.keys()) : probe;
                Shape.NARROW.fill(row, key, VERSION);
                row.setInteger(Shape.NUMBER, i);
                int number = i;
                long now = System.nanoTime();
                row.setInteger(Shape.TIME, now);
                if (probe != null) {
                    probes.written(new Probe(key, now, i < pace.warm()));
                }
                writer.write(row, () -> acknowledged[number] = System.nanoTime() - now);
            }
            writer.flush();
            Fields result = Operations.result(pace.measured(), System.nanoTime() - measured);
            Latencies.report(
                    result, "ack-", Arrays.copyOfRange(acknowledged, pace.warm(), pace.count()));
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
}
