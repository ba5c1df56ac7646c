package io.thermocline.hotstore.local.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RandomRows;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.local.keyindex.StoredRow;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredRowEncoderTest {

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void valuesAreThoseOfFlinksSerializerWhateverTheRowKind(long seed) {
        RowType type = RandomRows.allTypes();
        List<RowData> rows = new RandomRows(seed).rows(type, 300);
        RowDataSerializer serializer = new RowDataSerializer(type);
        StoredRowEncoder encoder = new StoredRowEncoder(type, 7);
        try (BufferAllocator allocator = ArrowMemory.newAllocator("test");
                RowBatch batch = RowBatches.of(type, rows, allocator)) {
            for (int row = 0; row < batch.rowCount(); row++) {
                BinaryRowData binary = serializer.toBinaryRow(batch.row(row));
                binary.setRowKind(RowKind.INSERT);
                assertThat(encoder.encode(batch.row(row)))
                        .isEqualTo(StoredRow.encode(7, 0, binary));
            }
        }
    }
}
