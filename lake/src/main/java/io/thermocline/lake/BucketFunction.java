package io.thermocline.lake;

import java.io.Serializable;
import org.apache.flink.table.data.RowData;

/**
 * The lake format's own assignment of rows to buckets. Where the bucket key is part of a primary
 * key, -0.0 goes where 0.0 goes, and every NaN where the others go: they are one key. Serializable;
 * instances are not thread-safe.
 */
public interface BucketFunction extends Serializable {

    /**
     * @param bucketKey a row of exactly the table's bucket-key columns, in {@link
     *     LakeTableDefinition#bucketKeys()} order
     * @return bucket number in {@code [0, bucketCount)}
     */
    int bucket(RowData bucketKey);
}
