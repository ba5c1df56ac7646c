package io.thermocline.lake.paimon;

import io.thermocline.lake.BucketFunction;
import org.apache.flink.table.data.RowData;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.codegen.CodeGenUtils;
import org.apache.paimon.codegen.Projection;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.flink.FlinkRowWrapper;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.RowType;

/** Paimon's hash of the bucket key, computed with the code that Paimon's own writers use. */
final class PaimonBucketFunction implements BucketFunction {

    private static final long serialVersionUID = 1L;

    private final org.apache.paimon.bucket.BucketFunction function;
    private final RowType bucketKeyType;
    private final int bucketCount;
    private final boolean hasPrimaryKey;

    private transient Projection projection;

    PaimonBucketFunction(TableSchema schema) {
        CoreOptions options = new CoreOptions(schema.options());
        this.bucketKeyType = schema.logicalBucketKeyType();
        this.function = org.apache.paimon.bucket.BucketFunction.create(options, bucketKeyType);
        this.bucketCount = options.bucket();
        this.hasPrimaryKey = !schema.primaryKeys().isEmpty();
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
        InternalRow row =
                hasPrimaryKey ? new PrimaryKeyRow(bucketKey) : new FlinkRowWrapper(bucketKey);
        return function.bucket(projection.apply(row), bucketCount);
    }

    /** Values that are one key have one bit pattern, as in the rows that tiering writes. */
    private static final class PrimaryKeyRow extends FlinkRowWrapper {

        PrimaryKeyRow(RowData row) {
            super(row);
        }

        @Override
        public float getFloat(int pos) {
            return Float.intBitsToFloat(Float.floatToIntBits(super.getFloat(pos) + 0.0f));
        }

        @Override
        public double getDouble(int pos) {
            return Double.longBitsToDouble(Double.doubleToLongBits(super.getDouble(pos) + 0.0));
        }
    }
}
