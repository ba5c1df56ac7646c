package io.thermocline.hotstore.local.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

class CanonicalKeysTest {

    private static final RowType ROW_TYPE =
            RowType.of(
                    false,
                    new LogicalType[] {
                        new DoubleType(), new DoubleType(false), new FloatType(false)
                    },
                    new String[] {"v", "d", "f"});
    private static final double OTHER_NAN = Double.longBitsToDouble(0xfff8_0000_0000_0001L);
    private static final float OTHER_FLOAT_NAN = Float.intBitsToFloat(0xffc0_0001);

    @Test
    void keyColumnsGetOneBitPatternPerValueAndOthersKeepTheirs() {
        HotTableSpec spec =
                new HotTableSpec(
                        new ObjectPath("db", "t"),
                        "id",
                        0,
                        ROW_TYPE,
                        List.of("f", "d"),
                        List.of(),
                        List.of("f", "d"),
                        1,
                        Map.of());
        List<RowData> rows =
                List.of(
                        GenericRowData.of(-0.0, -0.0, -0.0f),
                        GenericRowData.of(OTHER_NAN, OTHER_NAN, OTHER_FLOAT_NAN),
                        GenericRowData.of(null, Double.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY),
                        GenericRowData.of(1.5, -1.5, Float.MIN_VALUE));
        try (BufferAllocator allocator = ArrowMemory.newAllocator("test");
                RowBatch batch = RowBatches.of(ROW_TYPE, rows, allocator)) {

            new CanonicalKeys(spec).apply(batch);

            assertBits(batch.row(0), -0.0, 0.0, 0.0f);
            assertBits(batch.row(1), OTHER_NAN, Double.NaN, Float.NaN);
            assertThat(batch.row(2).isNullAt(0)).isTrue();
            assertThat(batch.row(2).getDouble(1)).isEqualTo(Double.NEGATIVE_INFINITY);
            assertThat(batch.row(2).getFloat(2)).isEqualTo(Float.POSITIVE_INFINITY);
            assertBits(batch.row(3), 1.5, -1.5, Float.MIN_VALUE);
        }
    }

    private static void assertBits(RowData row, double v, double d, float f) {
        assertThat(Double.doubleToRawLongBits(row.getDouble(0)))
                .isEqualTo(Double.doubleToRawLongBits(v));
        assertThat(Double.doubleToRawLongBits(row.getDouble(1)))
                .isEqualTo(Double.doubleToRawLongBits(d));
        assertThat(Float.floatToRawIntBits(row.getFloat(2))).isEqualTo(Float.floatToRawIntBits(f));
    }
}
