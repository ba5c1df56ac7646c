package io.thermocline.hotstore.local.segment;

import io.thermocline.hotstore.local.file.SharedFile;

/**
 * Where a frame group is, and what it holds.
 *
 * @param baseOffset offset of its first record
 * @param recordCount records in it, at least one
 * @param minTimestamp lowest and
 * @param maxTimestamp highest commit timestamp in it, milliseconds since the epoch
 * @param file the journal file or segment
 * @param position of its first byte there
 * @param length of it in bytes
 */
public record GroupPlace(
        long baseOffset,
        int recordCount,
        long minTimestamp,
        long maxTimestamp,
        SharedFile file,
        long position,
        int length) {

    /** Offset after its last record. */
    public long endOffset() {
        return baseOffset + recordCount;
    }
}
