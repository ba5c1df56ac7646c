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
 */
record Scale(
        int keys,
        int updates,
        int narrowRows,
        int wideRows,
        int lookups,
        int seconds,
        int repetitions,
        boolean settles) {

    /** The row counts of the published figures. */
    static final Scale FULL =
            new Scale(5_000_000, 2_000_000, 3_000_000, 1_000_000, 400_000, 15, 3, true);

    /** Ends within ten minutes. */
    static final Scale QUICK = new Scale(500_000, 300_000, 600_000, 150_000, 100_000, 5, 3, true);

    /** Shows that everything runs; its figures mean nothing. */
    static final Scale SMOKE = new Scale(2_000, 1_000, 2_000, 500, 500, 1, 1, false);
}
