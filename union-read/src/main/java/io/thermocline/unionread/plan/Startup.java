package io.thermocline.unionread.plan;

import java.io.Serializable;

/** Where a new streaming read starts. */
public sealed interface Startup extends Serializable {

    /** The table's state, then every change. */
    record Full() implements Startup {}

    /** Every change that the changelog still holds. */
    record Earliest() implements Startup {}

    /** Changes from now on. */
    record Latest() implements Startup {}

    /**
     * Changes whose commit timestamp is at or after a point in time. Where the changelog does not
     * reach back so far, the read starts like {@link Full}.
     *
     * @param millis milliseconds since the epoch
     */
    record Timestamp(long millis) implements Startup {}
}
