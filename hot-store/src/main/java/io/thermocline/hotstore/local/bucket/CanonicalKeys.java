package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RowBatch;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * Gives the floating-point columns of the primary key one bit pattern per value, in place. The key
 * index takes -0.0 and 0.0 for one key; the lake would take them for two. Thread-safe.
 */
final class CanonicalKeys {

    private final int[] columns;

    CanonicalKeys(HotTableSpec spec) {
        List<Integer> floating = new ArrayList<>();
        for (String column : spec.primaryKey()) {
            int position = spec.rowType().getFieldIndex(column);
            LogicalType type = spec.rowType().getTypeAt(position);
            if (type.is(LogicalTypeRoot.FLOAT) || type.is(LogicalTypeRoot.DOUBLE)) {
                floating.add(position);
            }
        }
        this.columns = floating.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Changes the rows in place. */
    void apply(RowBatch rows) {
        for (int column : columns) {
            FieldVector vector = rows.vectors().getVector(column);
            for (int row = 0; row < rows.rowCount(); row++) {
                if (vector.isNull(row)) {
                    continue;
                }
                if (vector instanceof Float4Vector floats) {
                    floats.set(row, canonical(floats.get(row)));
                } else {
                    Float8Vector doubles = (Float8Vector) vector;
                    doubles.set(row, canonical(doubles.get(row)));
                }
            }
        }
    }

    // Adding zero turns -0.0 into 0.0; the conversion to bits makes every NaN the same.

    private static float canonical(float value) {
        return Float.intBitsToFloat(Float.floatToIntBits(value + 0.0f));
    }

    private static double canonical(double value) {
        return Double.longBitsToDouble(Double.doubleToLongBits(value + 0.0));
    }
}
