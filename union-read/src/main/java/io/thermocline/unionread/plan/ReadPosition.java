package io.thermocline.unionread.plan;

import java.io.Serializable;

/**
 * How far a {@link ReadUnit} was read.
 *
 * @param step index of the present step; the number of steps when everything was read
 * @param progress what was done of it, see {@link ReadStep}
 */
public record ReadPosition(int step, long progress)
        implements Serializable, Comparable<ReadPosition> {

    /** Nothing was read. */
    public static final ReadPosition START = new ReadPosition(0, 0);

    @Override
    public int compareTo(ReadPosition other) {
        return step != other.step
                ? Integer.compare(step, other.step)
                : Long.compare(progress, other.progress);
    }
}
