package io.thermocline.sink.shuffle;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.BucketFunction;
import java.io.Serializable;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.jspecify.annotations.Nullable;

/**
 * Assigns rows of a table to buckets by the lake's own function, and refuses rows without a
 * complete primary key. Not thread-safe; every task works with its own deserialized copy.
 */
public final class BucketAssigner implements Serializable {

    private static final long serialVersionUID = 1L;

    private final String table;
    private final BucketFunction function;
    private final int bucketCount;
    private final int[] bucketKeyPositions;
    private final int[] primaryKeyPositions;
    private final List<String> primaryKey;

    private transient @Nullable ProjectedRowData bucketKey;

    /**
     * @param spec table with at least one bucket-key column
     * @param function the lake's bucket function of that table
     */
    public BucketAssigner(HotTableSpec spec, BucketFunction function) {
        this.table = spec.path().getFullName();
        this.function = function;
        this.bucketCount = spec.bucketCount();
        this.bucketKeyPositions = positions(spec, spec.bucketKeys());
        this.primaryKeyPositions = positions(spec, spec.primaryKey());
        this.primaryKey = spec.primaryKey();
    }

    /**
     * Bucket of a row.
     *
     * @throws HotStoreException {@code NULL_IN_KEY} naming table and column
     */
    public int bucket(RowData row) {
        for (int i = 0; i < primaryKeyPositions.length; i++) {
            if (row.isNullAt(primaryKeyPositions[i])) {
                throw new HotStoreException(
                        ErrorCode.NULL_IN_KEY,
                        "cannot write a row to table %s: primary-key column '%s' is null; filter such"
                                        .formatted(table, primaryKey.get(i))
                                + " rows out or give the column a value");
            }
        }
        if (bucketKey == null) {
            bucketKey = ProjectedRowData.from(bucketKeyPositions);
        }
        int bucket = function.bucket(bucketKey.replaceRow(row));
        if (bucket < 0 || bucket >= bucketCount) {
            throw new HotStoreException(
                    ErrorCode.INTERNAL,
                    "the bucket function of table %s gave bucket %d of %d"
                            .formatted(table, bucket, bucketCount));
        }
        return bucket;
    }

    private static int[] positions(HotTableSpec spec, List<String> columns) {
        return columns.stream().mapToInt(spec.rowType()::getFieldIndex).toArray();
    }
}
