package io.thermocline.hotstore.local;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.ReadFigures;
import java.util.List;

/**
 * Figures of a table for its operators. Counts begin with the opening of the store.
 *
 * @param spec the table
 * @param buckets per bucket; {@link BucketStatus#UNKNOWN} for what only an open key index tells
 *     where it is not open
 * @param work what clients made it do
 * @param reads what was read
 * @param tiering what was tiered
 */
public record TableFigures(
        HotTableSpec spec,
        List<BucketStatus> buckets,
        Work work,
        ReadFigures reads,
        TieringTotal tiering) {

    /**
     * Work for clients.
     *
     * @param appendedRows rows of acknowledged batches
     * @param appendedBytes their bytes in memory
     * @param failedAppends batches that were not acknowledged
     * @param lookups keys and key prefixes looked up
     * @param lookupMisses those without a row
     */
    public record Work(
            long appendedRows,
            long appendedBytes,
            long failedAppends,
            long lookups,
            long lookupMisses) {}
}
