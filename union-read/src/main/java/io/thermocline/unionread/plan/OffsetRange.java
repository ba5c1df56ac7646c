package io.thermocline.unionread.plan;

import java.io.Serializable;

/**
 * A range of one bucket's changelog.
 *
 * @param start first offset
 * @param end exclusive
 */
public record OffsetRange(long start, long end) implements Serializable {

    public OffsetRange {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException(
                    "range [" + start + ", " + end + ") has a negative start or ends before it");
        }
    }

    public boolean isEmpty() {
        return start == end;
    }

    /** Number of offsets. */
    public long length() {
        return end - start;
    }
}
