package io.thermocline.lake;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A committed version of a lake table.
 *
 * @param snapshotId the lake's id of it
 * @param sequence place in the lake's own order: later snapshots have higher numbers
 * @param commitMillis when it was committed, milliseconds since the epoch by the committer's clock
 * @param hasData whether it may hold rows; false only if it certainly holds none
 * @param tieredState what it holds of the changelog; null on a plain lake table
 */
public record LakeSnapshot(
        long snapshotId,
        long sequence,
        long commitMillis,
        boolean hasData,
        @Nullable TieredState tieredState)
        implements Serializable {}
