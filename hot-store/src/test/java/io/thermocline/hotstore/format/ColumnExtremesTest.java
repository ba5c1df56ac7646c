package io.thermocline.hotstore.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RandomRows;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.key.KeyColumnEncoder;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ColumnExtremesTest {

    private static final int ROWS = 500;

    private BufferAllocator allocator;

    @BeforeEach
    void openAllocator() {
        allocator = ArrowMemory.newAllocator("test");
    }

    @AfterEach
    void closeAllocator() {
        allocator.close();
    }

    static Stream<LogicalType> keyTypes() {
        return RandomRows.keyTypes().stream().flatMap(type -> Stream.of(type, type.copy(false)));
    }

    /** In the order of the key encoding, which is what bounds are compared by. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("keyTypes")
    void noValueIsOutside(LogicalType type) {
        RowType rowType = RandomRows.rowType(List.of(type));
        List<RowData> rows = new RandomRows(type.hashCode()).rows(rowType, ROWS);
        KeyColumnEncoder encoder = KeyColumnEncoder.of(type, "c0");
        try (RowBatch batch = RowBatches.of(rowType, rows, allocator)) {
            ColumnExtremes extremes =
                    ColumnExtremes.of(type, batch.vectors().getVector(0), batch.rowCount());

            byte[] min = encoder.encodeField(batch.row(extremes.minRow()), 0);
            byte[] max = encoder.encodeField(batch.row(extremes.maxRow()), 0);
            for (int row = 0; row < ROWS; row++) {
                if (!batch.row(row).isNullAt(0)) {
                    byte[] value = encoder.encodeField(batch.row(row), 0);
                    assertThat(Arrays.compareUnsigned(min, value)).isLessThanOrEqualTo(0);
                    assertThat(Arrays.compareUnsigned(max, value)).isGreaterThanOrEqualTo(0);
                }
            }
        }
    }

    @Test
    void notANumberIsAboveInfinity() {
        LogicalType type = new DoubleType(false);
        RowType rowType = RandomRows.rowType(List.of(type));
        List<RowData> rows =
                Stream.of(1.0, Double.POSITIVE_INFINITY, Double.NaN, -0.0, 0.0)
                        .<RowData>map(GenericRowData::of)
                        .toList();
        try (RowBatch batch = RowBatches.of(rowType, rows, allocator)) {
            ColumnExtremes extremes =
                    ColumnExtremes.of(type, batch.vectors().getVector(0), batch.rowCount());

            assertThat(extremes.maxRow()).isEqualTo(2);
            assertThat(extremes.minRow()).isBetween(3, 4);
        }
    }

    @Test
    void typesWithoutOrderHaveNone() {
        LogicalType type = new MapType(new IntType(false), new IntType());
        RowType rowType = RandomRows.rowType(List.of(type));
        try (RowBatch batch =
                RowBatches.of(rowType, new RandomRows(1).rows(rowType, 20), allocator)) {
            assertThat(ColumnExtremes.of(type, batch.vectors().getVector(0), 20)).isNull();
        }
    }
}
