package io.thermocline.hotserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.LogicalTable;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.ObjectPath;
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

    @Test
    void aTableThatIsNeverDueHoldsUpNoOther() {
        Queue<ObjectPath> tiered = new ConcurrentLinkedQueue<>();
        try (TestWarehouse warehouse = new TestWarehouse(directory.resolve("warehouse"))) {
            HotTableSpec often = withFreshness(warehouse.spec(), TestWarehouse.PATH, "1 ms");
            ObjectPath other = new ObjectPath("default", "never");
            HotTableSpec never = withFreshness(warehouse.spec(), other, "365000 d");
            try (LocalHotStore store = open(never, often);
                    HotTable first = store.openTable(never.path(), never.tableId());
                    HotTable second = store.openTable(often.path(), often.tableId());
                    TieringScheduler scheduler =
                            new TieringScheduler(
                                    () -> List.of(first, second),
                                    hot -> {},
                                    warehouse.lake(),
                                    (hot, lake) -> {
                                        tiered.add(hot.spec().path());
                                        return TieringResult.nothing(1, Map.of());
                                    })) {
                warehouse.append(first, UUID.randomUUID(), 0, 1).join();
                warehouse.append(second, UUID.randomUUID(), 0, 1).join();
                scheduler.start();
                await().until(() -> tiered.size() >= 2);
                assertThat(tiered).containsOnly(TestWarehouse.PATH);
            }
        }
    }

    @Test
    void aTableWithNothingToTierIsLookedAtAtItsFreshness() {
        Queue<ObjectPath> looked = new ConcurrentLinkedQueue<>();
        Queue<ObjectPath> tiered = new ConcurrentLinkedQueue<>();
        AtomicInteger looks = new AtomicInteger();
        try (TestWarehouse warehouse = new TestWarehouse(directory.resolve("warehouse"))) {
            HotTableSpec often = withFreshness(warehouse.spec(), TestWarehouse.PATH, "1 ms");
            ObjectPath other = new ObjectPath("default", "once");
            warehouse.createTable(other, Map.of());
            HotTableSpec once =
                    withFreshness(
                            LogicalTable.specOf(warehouse.lake().table(other).definition()),
                            other,
                            "365000 d");
            try (LocalHotStore store = open(once, often);
                    HotTable first = store.openTable(once.path(), once.tableId());
                    HotTable second = store.openTable(often.path(), often.tableId());
                    TieringScheduler scheduler =
                            new TieringScheduler(
                                    () -> {
                                        looks.incrementAndGet();
                                        return List.of(first, second);
                                    },
                                    hot -> {},
                                    warehouse.lake(),
                                    roundsWhereNeeded(looked, TestWarehouse.PATH, tiered))) {
                scheduler.start();
                await().until(() -> Collections.frequency(looked, TestWarehouse.PATH) >= 3);
                await().until(() -> looks.get() >= 5);
                assertThat(looked).filteredOn(other::equals).hasSize(1);
                await().until(() -> !tiered.isEmpty());
                assertThat(tiered).containsOnly(TestWarehouse.PATH);
            }
        }
    }

    /** Rounds that are needed for one table only. */
    private static TieringRounds roundsWhereNeeded(
            Queue<ObjectPath> looked, ObjectPath needed, Queue<ObjectPath> tiered) {
        return new TieringRounds() {
            @Override
            public TieringResult run(HotTable hot, LakeTable lake) {
                tiered.add(hot.spec().path());
                return TieringResult.nothing(1, Map.of());
            }

            @Override
            public boolean areNeededFor(LakeTable lake) {
                looked.add(lake.definition().path());
                return lake.definition().path().equals(needed);
            }
        };
    }

    @Test
    void roundsOfATableThatIsNotListedNowAreOneAtATimeToo() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        try (TestWarehouse warehouse = new TestWarehouse(directory.resolve("warehouse"))) {
            HotTableSpec spec = warehouse.spec();
            try (LocalHotStore store = open(spec);
                    HotTable table = store.openTable(spec.path(), spec.tableId());
                    TieringScheduler scheduler =
                            new TieringScheduler(
                                    () -> {
                                        looks.incrementAndGet();
                                        return List.of();
                                    },
                                    hot -> {},
                                    warehouse.lake(),
                                    (hot, lake) -> {
                                        begun.incrementAndGet();
                                        awaitQuietly(end);
                                        return TieringResult.nothing(1, Map.of());
                                    })) {
                Thread first = new Thread(() -> scheduler.tier(table));
                first.start();
                await().until(() -> begun.get() == 1);
                scheduler.start();
                await().until(() -> looks.get() >= 3);

                Thread second = new Thread(() -> scheduler.tier(table));
                second.start();
                await().until(() -> second.getState() == Thread.State.WAITING);
                assertThat(begun).as("rounds side by side").hasValue(1);
                assertThat(scheduler.isBusy()).isTrue();

                end.countDown();
                first.join();
                second.join();
                assertThat(begun).hasValue(2);
                assertThat(scheduler.isBusy()).isFalse();
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static HotTableSpec withFreshness(HotTableSpec spec, ObjectPath path, String value) {
        return new HotTableSpec(
                path,
                path.equals(spec.path()) ? spec.tableId() : UUID.randomUUID().toString(),
                spec.schemaVersion(),
                spec.rowType(),
                spec.primaryKey(),
                spec.partitionKeys(),
                spec.bucketKeys(),
                spec.bucketCount(),
                Map.of("tiering.freshness", value));
    }

    private LocalHotStore open(HotTableSpec... specs) {
        return LocalHotStore.open(
                LocalHotStoreConfig.of(directory.resolve("hot")),
                path -> Stream.of(specs).filter(spec -> spec.path().equals(path)).findFirst(),
                (path, tableId) -> {
                    throw new UnsupportedOperationException("the test tiers by itself");
                });
    }

    private static void tier(TestWarehouse warehouse, HotTable table, TieringRounds rounds) {
        try (TieringScheduler scheduler =
                new TieringScheduler(() -> List.of(table), hot -> {}, warehouse.lake(), rounds)) {
            scheduler.tier(table);
        }
    }
}
