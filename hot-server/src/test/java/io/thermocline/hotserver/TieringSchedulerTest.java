package io.thermocline.hotserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TieringSchedulerTest {

    @TempDir private Path directory;

    @Test
    void everyRoundThatCommitsOrFailsIsKept() {
        TieringResult committed =
                new TieringResult(2, Map.of(0, 0L), Map.of(0, 3L), 3, 1, 700, 50L, 0);
        TieringResult nothing = TieringResult.nothing(2, Map.of(0, 3L));
        long before = System.currentTimeMillis();
        try (TestWarehouse warehouse = new TestWarehouse(directory.resolve("warehouse"))) {
            HotTableSpec spec = warehouse.spec();
            try (LocalHotStore store = open(spec);
                    HotTable table = store.openTable(spec.path(), spec.tableId())) {
                tier(warehouse, table, (hot, lake) -> committed);
                tier(warehouse, table, (hot, lake) -> nothing);
                assertThatThrownBy(
                                () ->
                                        tier(
                                                warehouse,
                                                table,
                                                (hot, lake) -> {
                                                    throw new LakeException(
                                                            Reason.IO, "the lake is away");
                                                }))
                        .hasMessageContaining("cannot tier default.t: IO: the lake is away");

                List<TieringReport> rounds = table.history().tieringRounds();
                assertThat(rounds)
                        .extracting(TieringReport::result)
                        .containsExactly(committed, null);
                assertThat(rounds.get(1).error()).contains("IO: the lake is away");
                assertThat(rounds)
                        .allSatisfy(
                                round ->
                                        assertThat(round.startMillis())
                                                .isBetween(before, System.currentTimeMillis()));
            }
        }
    }

    private LocalHotStore open(HotTableSpec spec) {
        return LocalHotStore.open(
                LocalHotStoreConfig.of(directory.resolve("hot")),
                path -> Optional.of(spec),
                (path, tableId) -> {
                    throw new UnsupportedOperationException("the test tiers by itself");
                });
    }

    private static void tier(TestWarehouse warehouse, HotTable table, TieringRounds rounds) {
        try (TieringScheduler scheduler =
                new TieringScheduler(() -> List.of(table), warehouse.lake(), rounds)) {
            scheduler.tier(table);
        }
    }
}
