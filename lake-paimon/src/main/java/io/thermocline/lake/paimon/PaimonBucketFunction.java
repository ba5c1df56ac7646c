package io.thermocline.lake.paimon;

import io.thermocline.lake.BucketFunction;
import org.apache.flink.table.data.RowData;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.codegen.CodeGenUtils;
import org.apache.paimon.codegen.Projection;
import org.apache.paimon.flink.FlinkRowWrapper;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.RowType;

/** Paimon's hash of the bucket key, computed with the code that Paimon's own writers use. */
final class PaimonBucketFunction implements BucketFunction {

    private static final long serialVersionUID = 1L;

    private final org.apache.paimon.bucket.BucketFunction function;
    private final RowType bucketKeyType;
    private final int bucketCount;

    private transient Projection projection;

    PaimonBucketFunction(TableSchema schema) {
        CoreOptions options = new CoreOptions(schema.options());
        this.bucketKeyType = schema.logicalBucketKeyType();
        this.function = org.apache.paimon.bucket.BucketFunction.create(options, bucketKeyType);
        this.bucketCount = options.bucket();
    }

    @Override
    public int bucket(RowData bucketKey) {
        if (projection == null) {
            int[] all = new int[bucketKeyType.getFieldCount()];
            for (int field = 0; field < all.length; field++) {
                all[field] = field;
            }
            projection = CodeGenUtils.newProjection(bucketKeyType, all);
        }
        return function.bucket(projection.apply(new FlinkRowWrapper(bucketKey)), bucketCount);
    }
}
