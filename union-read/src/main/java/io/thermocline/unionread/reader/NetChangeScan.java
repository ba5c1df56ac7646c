package io.thermocline.unionread.reader;

import io.thermocline.hotstore.filter.RowPredicate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to read of a bucket's net changes.
 *
 * @param bucket bucket number
 * @param startOffset first offset of the range
 * @param endOffset exclusive end of the range; must be readable already
 * @param projection column names in the order wanted
 * @param withDeletes whether keys whose last record is -D are handed out, as -D; else they are left
 *     out
 * @param skipFilter as in a changelog scan; may only speak of primary-key columns, so that either
 *     all records of a key can be skipped or none. Null: skip nothing
 */
public record NetChangeScan(
        int bucket,
        long startOffset,
        long endOffset,
        List<String> projection,
        boolean withDeletes,
        @Nullable RowPredicate skipFilter) {

    public NetChangeScan {
        projection = List.copyOf(projection);
        if (startOffset < 0 || endOffset < startOffset) {
            throw new IllegalArgumentException(
                    "range of bucket "
                            + bucket
                            + " is ["
                            + startOffset
                            + ", "
                            + endOffset
                            + "): start must not be negative nor above the end");
        }
    }
}
