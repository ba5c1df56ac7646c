package io.thermocline.hotstore;

import io.thermocline.hotstore.filter.RowPredicate;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to read of one bucket's changelog.
 *
 * @param bucket bucket number
 * @param startOffset first offset wanted
 * @param endOffset exclusive end; {@link #UNBOUNDED} tails for ever
 * @param projection column names in the order wanted; may be empty (row kinds only)
 * @param skipFilter lets the store skip whole frame groups in which no row can match; rows that do
 *     not match may still come. Null: skip nothing
 */
public record ChangelogScan(
        int bucket,
        long startOffset,
        long endOffset,
        List<String> projection,
        @Nullable RowPredicate skipFilter)
        implements Serializable {

    /** End offset of a scan that waits for new records for ever. */
    public static final long UNBOUNDED = Long.MAX_VALUE;

    public ChangelogScan {
        projection = List.copyOf(projection);
    }
}
