package io.thermocline.unionread.plan;

import io.thermocline.lake.LakeSnapshot;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lake snapshot and where its hot tail begins.
 *
 * @param snapshot the snapshot
 * @param offsets tiered offset of every bucket
 * @param lease claim on both; null if the changelog does not reach back to {@code offsets}
 */
record LakeCut(LakeSnapshot snapshot, Map<Integer, Long> offsets, @Nullable ReadLease lease) {}
