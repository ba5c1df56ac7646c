package io.thermocline.lake;

import java.io.Serializable;
import org.apache.flink.table.data.RowData;

/**
 * The lake format's own assignment of rows to buckets. Serializable; instances are not thread-safe.
 */
public interface BucketFunction extends Serializable {

    /**
     * @param bucketKey a row of exactly the table's bucket-key columns, in {@link
     *     LakeTableDefinition#bucketKeys()} order
     * @return bucket number in {@code [0, bucketCount)}
     */
    int bucket(RowData bucketKey);
}
