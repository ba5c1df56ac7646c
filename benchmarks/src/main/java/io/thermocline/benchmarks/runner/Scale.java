package io.thermocline.benchmarks.runner;

/**
 * How much work the rows do.
 *
 * @param keys rows of the table with a key
 * @param updates rows of a pass over existing keys
 * @param narrowRows rows appended of 10 columns
 * @param wideRows rows appended of 60 columns
 * @param lookups lookups with many in flight; a tenth of it one by one
 * @param seconds of the freshness measurement
 * @param repetitions of every row, interleaved between the systems
 * @param settles whether to wait after each until compactions and the like are over
 * @param jobs how much work those rows do that are Flink jobs
 */
record Scale(
        int keys,
        int updates,
        int narrowRows,
        int wideRows,
        int lookups,
        int seconds,
        int repetitions,
        boolean settles,
        Jobs jobs) {

    /**
     * Work of Flink jobs, and repetitions of what takes as long.
     *
     * @param probes keys of a lookup join
     * @param repetitions of every row, interleaved between the systems
     * @param liveIntervals intervals between commits for which freshness is measured
     * @param hourSeconds how much time of updates is simulated to look at the lake table's health
     * @param hourRate rows a second in it
     */
    record Jobs(int probes, int repetitions, int liveIntervals, int hourSeconds, int hourRate) {}

    /** The row counts of the published figures. */
    static final Scale FULL =
            new Scale(
                    5_000_000,
                    2_000_000,
                    3_000_000,
                    1_000_000,
                    400_000,
                    15,
                    3,
                    true,
                    new Jobs(1_000_000, 3, 3, 3_600, 1_000));

    /** Ends within ten minutes, with the rows of {@link Workloads#isQuick} only. */
    static final Scale QUICK =
            new Scale(
                    400_000,
                    200_000,
                    600_000,
                    150_000,
                    50_000,
                    5,
                    2,
                    true,
                    new Jobs(100_000, 1, 2, 1_200, 500));

    /** Shows that everything runs; its figures mean nothing. */
    static final Scale SMOKE =
            new Scale(2_000, 1_000, 2_000, 500, 500, 1, 1, false, new Jobs(500, 1, 1, 120, 10));
}
