package io.thermocline.unionread.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.testing.TestWarehouse;
import io.thermocline.unionread.testing.WarehouseTable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnionPlannerTest {

    private static final LeaseHolder HOLDER = new LeaseHolder("test", Duration.ofMinutes(5), true);

    @TempDir Path directory;

    private TestWarehouse warehouse;

    @BeforeEach
    void openWarehouse() throws Exception {
        warehouse = TestWarehouse.in(directory);
    }

    @AfterEach
    void closeWarehouse() {
        warehouse.close();
    }

    @Test
    void anEarliestStartFollowsRetentionUntilItIsClaimed() {
        WarehouseTable table = logTable();
        table.write(row(1), row(2), row(3));
        try (HotTable hot = table.openHot()) {
            long[] earliest = {0, 2, 2, 2};
            int[] asked = {0};
            HotTable trimmed =
                    answering(
                            hot,
                            (query, offsets) ->
                                    query instanceof OffsetQuery.Earliest
                                            ? Map.of(0, earliest[asked[0]++])
                                            : offsets);
            ReadPlan plan =
                    planner(table, trimmed).planUnbounded(new Startup.Earliest(), Tier.UNION);
            assertThat(plan.units())
                    .containsExactly(
                            ReadUnit.of(
                                    "bucket-0",
                                    0,
                                    new ReadStep.Changelog(0, 2, ChangelogScan.UNBOUNDED)));
            assertThat(plan.lease().claim().fromOffsets()).isEqualTo(Map.of(0, 2L));
            assertThat(leases(hot)).isEqualTo(1);
            plan.lease().release();
        }
    }

    @Test
    void aPlanThatFailsGivesItsLeaseBack() {
        WarehouseTable table = keyedTable();
        table.write(row(1), row(2));
        table.tier();
        try (HotTable hot = table.openHot()) {
            HotTable rolledBack =
                    answering(
                            hot,
                            (query, offsets) ->
                                    query instanceof OffsetQuery.Latest ? Map.of(0, 1L) : offsets);
            UnionPlanner planner = planner(table, rolledBack);
            String message =
                    "the lake holds table db.keyed bucket 0 up to offset 2, but the hot store's"
                            + " changelog ends at 1";
            assertThatThrownBy(() -> planner.planBounded(new Startup.Full(), Tier.UNION))
                    .isInstanceOf(HotStoreException.class)
                    .hasMessageContaining(message);
            assertThatThrownBy(() -> planner.planUnbounded(new Startup.Full(), Tier.UNION))
                    .isInstanceOf(HotStoreException.class)
                    .hasMessageContaining(message);
            assertThat(leases(hot)).isZero();
        }
    }

    @Test
    void theHotTierAloneNeverReadsTheLake() {
        WarehouseTable table = logTable();
        table.write(row(1), row(2), row(3));
        table.tier();
        try (HotTable hot = table.openHot()) {
            HotTable trimmed =
                    answering(
                            hot,
                            (query, offsets) ->
                                    query instanceof OffsetQuery.Latest ? offsets : Map.of(0, 2L));
            ReadPlan plan = planner(table, trimmed).planBounded(new Startup.Timestamp(0), Tier.HOT);
            assertThat(plan.units())
                    .containsExactly(
                            ReadUnit.of("changelog-0-2", 0, new ReadStep.Changelog(0, 2, 3)));
            plan.lease().release();

            // both tiers together reach back further than the changelog
            plan = planner(table, trimmed).planBounded(new Startup.Timestamp(0), Tier.UNION);
            assertThat(plan.units())
                    .extracting(unit -> unit.steps().get(0))
                    .singleElement()
                    .isInstanceOf(ReadStep.Lake.class);
            plan.lease().release();
        }
    }

    @Test
    void aLostKeyIndexSnapshotDoesNotEndTheClaimOnTheChangelog() {
        WarehouseTable table = keyedTable();
        table.write(row(1), row(2));
        try (HotTable hot = table.openHot()) {
            ReadPlan plan = planner(table, hot).planUnbounded(new Startup.Full(), Tier.HOT);
            try (KeyIndexSnapshot lost =
                    hot.attachKeyIndexSnapshot(plan.lease().claim().keyIndexSnapshotId())) {
                assertThat(lost.offsets().offsets()).isEqualTo(Map.of(0, 2L));
            }
            plan.lease().moveTo(Map.of(0, 2L));
            assertThat(leases(hot)).isEqualTo(1);

            ReadLease again = ReadLease.take(hot, HOLDER, plan.lease().claim());
            assertThat(leases(hot)).isEqualTo(2);
            plan.lease().releaseState();
            assertThat(plan.lease().claim()).isEqualTo(new Claim(Map.of(0, 2L), -1, null));
            plan.lease().release();
            again.release();
            assertThat(leases(hot)).isZero();
        }
    }

    /** The table with other answers to questions for offsets. */
    private static HotTable answering(
            HotTable hot, BiFunction<OffsetQuery, Map<Integer, Long>, Map<Integer, Long>> answer) {
        return (HotTable)
                Proxy.newProxyInstance(
                        HotTable.class.getClassLoader(),
                        new Class<?>[] {HotTable.class},
                        (proxy, method, arguments) -> {
                            Object result;
                            try {
                                result = method.invoke(hot, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                            return result instanceof TableOffsets offsets
                                    ? new TableOffsets(
                                            answer.apply(
                                                    (OffsetQuery) arguments[0], offsets.offsets()),
                                            offsets.commitTimestamp())
                                    : result;
                        });
    }

    private static UnionPlanner planner(WarehouseTable table, HotTable hot) {
        return new UnionPlanner(table.logical(), UnionScan.of(List.of("id")), () -> hot, HOLDER);
    }

    private static int leases(HotTable hot) {
        return hot.status().stream().mapToInt(BucketStatus::leases).sum();
    }

    private WarehouseTable logTable() {
        TestTable definition = new TestTable().column("id", DataTypes.BIGINT().notNull());
        return warehouse.createTable("log", definition, List.of("id"), 1);
    }

    private WarehouseTable keyedTable() {
        TestTable definition =
                new TestTable().column("id", DataTypes.BIGINT().notNull()).primaryKey("id");
        return warehouse.createTable("keyed", definition, List.of("id"), 1);
    }

    private static RowData row(long id) {
        return GenericRowData.of(id);
    }
}
