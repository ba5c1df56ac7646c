package io.thermocline.hotstore;

/**
 * Where a batch went.
 *
 * @param baseOffset offset of its first changelog record
 * @param endOffset exclusive; equal to {@code baseOffset} if the batch changed nothing
 * @param commitTimestamp milliseconds since the epoch, monotone over the store
 */
public record AppendResult(long baseOffset, long endOffset, long commitTimestamp) {}
