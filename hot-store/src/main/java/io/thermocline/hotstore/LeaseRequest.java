package io.thermocline.hotstore;

import java.io.Serializable;
import java.util.Map;

/**
 * A reader's claim.
 *
 * @param holder who asks, for diagnosis
 * @param fromOffsets per bucket, the lowest offset still needed
 * @param lakeSnapshotId lake snapshot that is being read; {@link #NO_SNAPSHOT} for none
 * @param maxAgeMillis the lease ends by itself this long after it was taken or last renewed
 * @param bounded whether the reader ends by itself, so that it is worth to wait for it
 */
public record LeaseRequest(
        String holder,
        Map<Integer, Long> fromOffsets,
        long lakeSnapshotId,
        long maxAgeMillis,
        boolean bounded)
        implements Serializable {

    /** No lake snapshot is claimed. */
    public static final long NO_SNAPSHOT = -1;

    public LeaseRequest {
        fromOffsets = Map.copyOf(fromOffsets);
    }
}
