package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeTable;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;

/** The bucket of a row that has all columns. Not thread-safe. */
public final class RowPlacement {

    private final BucketFunction function;
    private final ProjectedRowData bucketKey;

    /**
     * @param spec the table, which has a bucket key
     * @param lake the same table in the lake
     */
    public RowPlacement(HotTableSpec spec, LakeTable lake) {
        List<String> columns = spec.rowType().getFieldNames();
        this.function = lake.bucketFunction();
        this.bucketKey =
                ProjectedRowData.from(
                        spec.bucketKeys().stream().mapToInt(columns::indexOf).toArray());
    }

    /** Bucket number. */
    public int bucket(RowData row) {
        return function.bucket(bucketKey.replaceRow(row));
    }
}
