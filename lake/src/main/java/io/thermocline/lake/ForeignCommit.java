package io.thermocline.lake;

import java.io.Serializable;

/**
 * A snapshot that another program committed and that changed rows of a table with a hot tier.
 *
 * @param snapshotId the lake's id of it
 * @param sequence orders the snapshots of a table: of two, the later one has the higher number
 * @param commitMillis when it was committed, milliseconds since the epoch by the committer's clock
 * @param change what it did and who did it, for messages: {@code APPEND by 'spark-7': 2 files
 *     added, 0 removed}
 */
public record ForeignCommit(long snapshotId, long sequence, long commitMillis, String change)
        implements Serializable {

    @Override
    public String toString() {
        return "snapshot " + snapshotId + " (" + change + ")";
    }
}
