package io.thermocline.benchmarks.driver;

import java.util.SplittableRandom;

/**
 * Draws keys of which few are drawn often: the n-th most frequent one with a probability
 * proportional to {@code n^-0.99}. Frequent keys are spread over the whole range.
 */
final class ZipfianKeys {

    private static final double EXPONENT = 0.99;

    private final long keys;
    private final double normalization;
    private final double secondShare;
    private final double inverse;
    private final double shape;

    ZipfianKeys(long keys) {
        this.keys = keys;
        double sum = 0;
        for (long rank = 1; rank <= keys; rank++) {
            sum += 1 / Math.pow(rank, EXPONENT);
        }
        this.normalization = sum;
        this.secondShare = 1 + Math.pow(0.5, EXPONENT);
        this.inverse = 1 / (1 - EXPONENT);
        this.shape = (1 - Math.pow(2.0 / keys, 1 - EXPONENT)) / (1 - secondShare / normalization);
    }

    /** A key in {@code [0, keys)}. */
    long next(SplittableRandom random) {
        double share = random.nextDouble();
        double scaled = share * normalization;
        long rank;
        if (scaled < 1) {
            rank = 0;
        } else if (scaled < secondShare) {
            rank = 1;
        } else {
            rank = (long) (keys * Math.pow(shape * share - shape + 1, inverse));
        }
        return Long.remainderUnsigned(Shape.mix(rank), keys);
    }
}
