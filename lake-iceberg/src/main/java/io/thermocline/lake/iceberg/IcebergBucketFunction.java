package io.thermocline.lake.iceberg;

import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeTableDefinition;
import java.util.function.UnaryOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.RowDataWrapper;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.SerializableFunction;
import org.jspecify.annotations.Nullable;

/**
 * Iceberg's bucket transform of the bucket key. The transform of NULL is NULL; such rows are in
 * bucket 0. Of one bucket there is no transform.
 */
final class IcebergBucketFunction implements BucketFunction {

    private static final long serialVersionUID = 1L;

    /** Bucket of rows whose bucket key is NULL. */
    static final int BUCKET_OF_NULL = 0;

    private final Schema keySchema;
    private final RowType keyType;
    private final int bucketCount;

    private transient @Nullable SerializableFunction<Object, Integer> transform;
    private transient @Nullable RowDataWrapper wrapper;
    private transient @Nullable UnaryOperator<Object> intoLake;

    private IcebergBucketFunction(Schema keySchema, RowType keyType, int bucketCount) {
        this.keySchema = keySchema;
        this.keyType = keyType;
        this.bucketCount = bucketCount;
    }

    static IcebergBucketFunction of(Schema schema, LakeTableDefinition definition) {
        RowType rowType = definition.rowType();
        return new IcebergBucketFunction(
                new Schema(definition.bucketKeys().stream().map(schema::findField).toList()),
                new RowType(
                        false,
                        definition.bucketKeys().stream()
                                .map(key -> rowType.getFields().get(rowType.getFieldIndex(key)))
                                .toList()),
                definition.bucketCount());
    }

    @Override
    public int bucket(RowData bucketKey) {
        if (bucketCount == 1) {
            return 0;
        }
        if (transform == null) {
            open();
        }
        Object value = wrapper.wrap((RowData) intoLake.apply(bucketKey)).get(0, Object.class);
        return value == null ? BUCKET_OF_NULL : transform.apply(value);
    }

    private void open() {
        Types.NestedField column = keySchema.columns().get(0);
        intoLake = ValueConversion.intoLake(keyType).orElse(UnaryOperator.identity());
        wrapper =
                new RowDataWrapper(
                        (RowType) ValueConversion.written(keyType), keySchema.asStruct());
        transform = Transforms.bucket(bucketCount).bind(column.type());
    }
}
