package io.thermocline.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TableKeyTest {

    @Test
    void everyPrefixOfACompositeKeyHasTenRows() {
        BenchRow row = new BenchRow(Shape.NARROW);
        Set<String> keys = new HashSet<>();
        Map<Long, Integer> rows = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            TableKey.COMPOSITE.fill(Shape.NARROW, row, i, 0);
            keys.add(row.integer(Shape.KEY) + "/" + row.integer(Shape.NUMBER));
            rows.merge(row.integer(Shape.KEY), 1, Integer::sum);
        }

        assertThat(keys).hasSize(2_000);
        assertThat(rows).hasSize(200).containsKeys(0L, 199L);
        assertThat(rows.values()).containsOnly(TableKey.ROWS_PER_PREFIX);
        assertThat(TableKey.COMPOSITE.columnNames(Shape.NARROW)).containsExactly("k", "i3");
        assertThat(TableKey.COMPOSITE.bucketColumnNames(Shape.NARROW)).containsExactly("k");
    }

    @Test
    void aPermutationHasEveryKeyOnce() {
        for (int keys : new int[] {2_000, 500_000, 5_000_000}) {
            Set<Long> seen = new HashSet<>();
            for (int n = 0; n < 2_000; n++) {
                seen.add(Operations.permuted(n, keys));
            }

            assertThat(seen).hasSize(2_000).allMatch(key -> key >= 0 && key < keys);
        }
    }
}
