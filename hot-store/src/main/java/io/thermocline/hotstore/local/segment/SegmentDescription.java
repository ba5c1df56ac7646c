package io.thermocline.hotstore.local.segment;

/**
 * A segment as the manifest lists it.
 *
 * @param name of the file
 * @param baseOffset first offset in it
 * @param endOffset exclusive
 * @param minTimestamp lowest and
 * @param maxTimestamp highest commit timestamp, milliseconds since the epoch
 * @param sizeBytes of the file
 */
public record SegmentDescription(
        String name,
        long baseOffset,
        long endOffset,
        long minTimestamp,
        long maxTimestamp,
        long sizeBytes) {}
