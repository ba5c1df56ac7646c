package io.thermocline.hotstore;

import java.util.List;

/**
 * Keys to look up, all in one message.
 *
 * @param buckets bucket of each key; {@link #ALL_BUCKETS} where a prefix does not determine it
 * @param keys encoded keys or key prefixes (see {@code KeyEncoder})
 * @param prefix whether {@code keys} are prefixes: any number of rows each
 * @param projection column names in the order wanted
 */
public record LookupRequest(
        int[] buckets, List<byte[]> keys, boolean prefix, List<String> projection) {

    /** Bucket number that means: ask every bucket. */
    public static final int ALL_BUCKETS = -1;

    public LookupRequest {
        projection = List.copyOf(projection);
    }
}
