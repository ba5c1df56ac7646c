package io.thermocline.benchmarks.driver;

import java.util.Arrays;
import java.util.Locale;

/** Percentiles of measured times. */
public final class Latencies {

    private static final double NANOS_PER_MICRO = 1e3;

    private Latencies() {}

    /** Adds {@code <prefix>p50} to {@code <prefix>max} in microseconds. */
    public static void report(Fields result, String prefix, long[] nanos) {
        if (nanos.length == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        result.with(prefix + "p50us", micros(at(sorted, 0.50)));
        result.with(prefix + "p95us", micros(at(sorted, 0.95)));
        result.with(prefix + "p99us", micros(at(sorted, 0.99)));
        result.with(prefix + "maxus", micros(sorted[sorted.length - 1]));
    }

    private static long at(long[] sorted, double share) {
        return sorted[Math.min(sorted.length - 1, (int) (sorted.length * share))];
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos / NANOS_PER_MICRO);
    }
}
