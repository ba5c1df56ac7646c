package io.thermocline.hotserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.tiering.TieringRound;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.table.catalog.ObjectPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Background rounds that fail. */
@Timeout(600)
class TieringSchedulerITCase {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final ObjectPath FAILING = new ObjectPath("default", "failing");
    private static final ObjectPath HEALTHY = new ObjectPath("default", "healthy");
    private static final Map<String, String> AT_ONCE =
            Map.of("thermocline.tiering.freshness", "0 s");

    @TempDir Path directory;
    private TestWarehouse warehouse;
    private LocalHotStore store;

    @BeforeEach
    void create() {
        warehouse = new TestWarehouse(directory.resolve("warehouse"));
        store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory.resolve("store")),
                        path ->
                                Optional.of(
                                        LogicalTable.specOf(
                                                warehouse.lake().table(path).definition())),
                        (path, tableId) -> {
                            throw new UnsupportedOperationException("rounds run by themselves");
                        });
    }

    @AfterEach
    void close() {
        store.close();
        warehouse.close();
    }

    @Test
    void aRoundThatFailsIsTriedAgainEverLaterAndHoldsUpNoOtherTable() throws Exception {
        warehouse.createTable(FAILING, AT_ONCE);
        warehouse.createTable(HEALTHY, AT_ONCE);
        List<Long> attempts = new CopyOnWriteArrayList<>();
        AtomicBoolean fails = new AtomicBoolean(true);
        try (HotTable failing = open(FAILING);
                HotTable healthy = open(HEALTHY);
                TieringScheduler scheduler =
                        new TieringScheduler(
                                () -> List.of(failing, healthy),
                                hot -> {},
                                warehouse.lake(),
                                (hot, lakeTable) -> {
                                    if (hot.spec().path().equals(FAILING)) {
                                        attempts.add(System.nanoTime());
                                        if (fails.get() || attempts.size() < 3) {
                                            throw new LakeException(
                                                    LakeException.Reason.IO, "the disk is away");
                                        }
                                    }
                                    return round(hot, lakeTable);
                                })) {
            append(failing, 0);
            append(healthy, 0);
            scheduler.start();

            await().atMost(PATIENCE).until(() -> tieredOffset(healthy) == 1);
            assertThat(tieredOffset(failing)).isZero();
            fails.set(false);
            await().atMost(PATIENCE).until(() -> tieredOffset(failing) == 1);
            assertThat(attempts).hasSizeGreaterThanOrEqualTo(3);
            assertThat(attempts.get(1) - attempts.get(0))
                    .isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
            assertThat(attempts.get(2) - attempts.get(1))
                    .isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(2));

            append(failing, 1);
            await().atMost(PATIENCE).until(() -> tieredOffset(failing) == 2);
        }
    }

    private HotTable open(ObjectPath path) {
        return store.openTable(path, warehouse.spec(path).tableId());
    }

    private void append(HotTable table, long id) throws Exception {
        warehouse.append(table, UUID.randomUUID(), 0, id).get(180, TimeUnit.SECONDS);
    }

    private TieringResult round(HotTable hot, LakeTable lakeTable) {
        return new TieringRound(hot, lakeTable, directory.resolve("round")).run();
    }

    private static long tieredOffset(HotTable table) {
        return table.status().get(0).tieredOffset();
    }
}
