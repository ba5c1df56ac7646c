package io.thermocline.hotstore.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowBatchJoinerTest {

    private BufferAllocator allocator;

    @BeforeEach
    void openAllocator() {
        allocator = ArrowMemory.newAllocator("test");
    }

    @AfterEach
    void noMemoryIsLeaked() {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void partsOfAllTypesAndKindsAreJoinedInOrder(long seed) {
        RowType type = RandomRows.allTypes();
        RandomRows random = new RandomRows(seed);
        List<RowData> expected = new ArrayList<>();
        try (RowBatchJoiner joiner = new RowBatchJoiner(type, allocator)) {
            for (int rows : new int[] {0, 13, 1, 300, 0, 64}) {
                List<RowData> part = random.rows(type, rows);
                expected.addAll(part);
                joiner.add(RowBatches.of(type, part, allocator));
            }
            assertThat(joiner.rowCount()).isEqualTo(378);
            try (RowBatch joined = joiner.finish()) {
                assertThat(RowValues.of(joined)).isEqualTo(RowValues.of(expected, type));
            }
            assertThat(joiner.rowCount()).isZero();
            assertThat(joiner.sizeBytes()).isZero();
        }
    }

    @Test
    void slicesAreJoined() {
        RowType type = RandomRows.allTypes();
        List<RowData> rows = new RandomRows(6).rows(type, 200);
        try (RowBatchJoiner joiner = new RowBatchJoiner(type, allocator)) {
            try (RowBatch batch = RowBatches.of(type, rows, allocator)) {
                joiner.add(batch.slice(3, 50));
                joiner.add(batch.slice(50, 51));
                joiner.add(batch.slice(51, 198));
            }
            try (RowBatch joined = joiner.finish()) {
                assertThat(RowValues.of(joined))
                        .isEqualTo(RowValues.of(rows.subList(3, 198), type));
            }
        }
    }

    @Test
    void whatWasNotHandedOutIsClosed() {
        RowType type = RandomRows.allTypes();
        try (RowBatchJoiner joiner = new RowBatchJoiner(type, allocator)) {
            joiner.add(RowBatches.of(type, new RandomRows(7).rows(type, 5), allocator));
            assertThat(joiner.sizeBytes()).isPositive();
        }
        assertThat(allocator.getAllocatedMemory()).isZero();
    }
}
