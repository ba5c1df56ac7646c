package io.thermocline.lake;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to read of a snapshot.
 *
 * @param snapshotId the snapshot
 * @param projection column names in the order wanted; may be empty
 * @param filter what {@link LakeTable#toFilter} returned; rows that do not match may still come
 */
public record LakeScan(long snapshotId, List<String> projection, @Nullable LakeFilter filter)
        implements Serializable {

    public LakeScan {
        projection = List.copyOf(projection);
    }
}
