package io.thermocline.hotstore;

/**
 * Figures of one bucket.
 *
 * @param bucket bucket number
 * @param earliestOffset first offset that can be read
 * @param readableEnd exclusive end of what readers see
 * @param appliedOffset the key index holds the effect of everything below; equals {@code
 *     readableEnd} for log tables
 * @param tieredOffset the store's last report of what the lake holds
 * @param keyIndexRows rows of the key index at {@code appliedOffset}; 0 for log tables, {@link
 *     #UNKNOWN} for an index of a version that did not count them
 * @param changelogBytes bytes on disk of this bucket's changelog
 * @param keyIndexBytes bytes on disk of its key index; 0 for log tables
 * @param leases leases in force that claim a part of this bucket's changelog
 * @param boundedLeases those of them whose readers end by themselves
 * @param tailingReaders open changelog readers without an end; one that was told that the hot tier
 *     is being taken away does not count any more
 */
public record BucketStatus(
        int bucket,
        long earliestOffset,
        long readableEnd,
        long appliedOffset,
        long tieredOffset,
        long keyIndexRows,
        long changelogBytes,
        long keyIndexBytes,
        int leases,
        int boundedLeases,
        int tailingReaders) {

    /** A figure that is not known. */
    public static final long UNKNOWN = -1;
}
