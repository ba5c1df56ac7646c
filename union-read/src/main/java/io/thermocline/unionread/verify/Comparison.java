package io.thermocline.unionread.verify;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was found for one bucket and partition: rows that the base and the changelog after it lead
 * to, and rows that are there.
 *
 * <p>On a primary-key table the base is the newest lake snapshot, and what it leads to is compared
 * with the key index. On a log table the base is an older lake snapshot, or the empty table, and it
 * is compared with the newest one.
 *
 * @param bucket bucket number; null where the lake does not keep buckets apart
 * @param partition {@code column=value/…}; null for a table without partitions
 * @param base lake snapshot that is the base; null for the empty table
 * @param changes changelog range that was applied to it; null where buckets are not kept apart
 * @param baseRows rows in the base
 * @param changedRows by how many rows the changelog range changes their number
 * @param target what it was compared with: {@code key index}, or {@code lake snapshot} and its id
 * @param targetRows rows there
 * @param expectedChecksum order-independent checksum of the rows that base and changelog lead to
 * @param targetChecksum the same of the rows that are there
 * @param differences texts that name rows that differ, some of them
 */
public record Comparison(
        @Nullable Integer bucket,
        @Nullable String partition,
        @Nullable Long base,
        @Nullable Offsets changes,
        long baseRows,
        long changedRows,
        String target,
        long targetRows,
        String expectedChecksum,
        String targetChecksum,
        List<String> differences) {

    public Comparison {
        differences = List.copyOf(differences);
    }

    /**
     * A changelog range.
     *
     * @param start first offset
     * @param end exclusive
     */
    public record Offsets(long start, long end) {}

    /** Whether both sides are the same rows. */
    public boolean agrees() {
        return baseRows + changedRows == targetRows && expectedChecksum.equals(targetChecksum);
    }
}
