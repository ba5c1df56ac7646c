package io.thermocline.unionread.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.reader.SpillSettings;
import io.thermocline.unionread.testing.PlanRows;
import io.thermocline.unionread.testing.RunningStream;
import io.thermocline.unionread.testing.TestWarehouse;
import io.thermocline.unionread.testing.WarehouseTable;
import io.thermocline.unionread.verify.Comparison;
import io.thermocline.unionread.verify.TableVerification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random histories with tiering at random points, read in every way, against a map. */
class UnionReadSim {

    private static final LeaseHolder HOLDER = new LeaseHolder("test", Duration.ofMinutes(5), true);
    private static final int STEPS = 10;
    private static final int KEYS = 150;

    @TempDir Path directory;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Boolean.getBoolean("thermocline.test.full") ? 20 : 2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void primaryKeyTableReadsLikeItsModel(long seed) throws Exception {
        Random random = new Random(seed);
        boolean partitioned = random.nextBoolean();
        TestTable definition =
                new TestTable()
                        .column("value", DataTypes.STRING())
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("day", DataTypes.DATE().notNull());
        definition =
                partitioned
                        ? definition.primaryKey("id", "day").partitionedBy("day")
                        : definition.primaryKey("id", "day");
        try (TestWarehouse warehouse = TestWarehouse.in(directory)) {
            WarehouseTable table =
                    warehouse.createTable("t", definition, List.of("id"), 1 + random.nextInt(4));
            Map<String, String> model = new TreeMap<>();
            Map<String, String> tiered = Map.of();
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(6)) {
                    case 0 -> {
                        table.tier();
                        tiered = new TreeMap<>(model);
                    }
                    case 1 -> warehouse.restartStore();
                    default -> write(table, model, random, "s" + step);
                }
                try (HotTable hot = table.openHot()) {
                    Reads reads = new Reads(table, hot, warehouse.spillDirectory(), random);
                    assertThat(reads.bounded(Tier.UNION)).as("union %d", step).isEqualTo(model);
                    assertThat(reads.bounded(Tier.HOT)).as("hot %d", step).isEqualTo(model);
                    assertThat(reads.bounded(Tier.LAKE)).as("lake %d", step).isEqualTo(tiered);
                    assertThat(reads.changes()).as("changes %d", step).isEqualTo(model);
                    assertVerified(table, hot, model.size());
                }
            }
        }
    }

    private static void write(
            WarehouseTable table, Map<String, String> model, Random random, String value) {
        List<RowData> rows = new ArrayList<>();
        int count = 1 + random.nextInt(60);
        for (int i = 0; i < count; i++) {
            long id = random.nextInt(KEYS);
            int day = (int) (id % 3);
            boolean delete = random.nextInt(4) == 0;
            GenericRowData row = GenericRowData.of(StringData.fromString(value + "-" + i), id, day);
            row.setRowKind(delete ? RowKind.DELETE : RowKind.INSERT);
            rows.add(row);
            if (delete) {
                model.remove(id + "/" + day);
            } else {
                model.put(id + "/" + day, value + "-" + i);
            }
        }
        table.write(rows.toArray(RowData[]::new));
    }

    /** Reads of one moment; every key may come once only. */
    private record Reads(WarehouseTable table, HotTable hot, Path spillDirectory, Random random) {

        private UnionScan scan() {
            // the key column "day" is not asked for, but needed on the way
            return UnionScan.of(List.of("id", "value", "day"));
        }

        private UnionPlanner planner() {
            return new UnionPlanner(table.logical(), scan(), () -> hot, HOLDER);
        }

        private PlanRows rows() {
            SpillSettings spill = new SpillSettings(spillDirectory, SpillSettings.MIN_MEMORY_BYTES);
            return new PlanRows(table.logical(), scan(), hot, spill, random);
        }

        private Map<String, String> bounded(Tier tier) {
            Map<String, String> state = new TreeMap<>();
            ReadPlan plan = planner().planBounded(new Startup.Full(), tier);
            rows().forEach(
                            plan,
                            row -> {
                                assertThat(row.getRowKind()).isEqualTo(RowKind.INSERT);
                                String before = state.put(key(row), row.getString(1).toString());
                                assertThat(before).as("key %s twice", key(row)).isNull();
                            });
            if (plan.lease() != null) {
                plan.lease().release();
            }
            return state;
        }

        /** A streaming read up to now, applied to an empty table; every -U and -D must fit. */
        private Map<String, String> changes() {
            Map<String, String> state = new TreeMap<>();
            ReadPlan plan = planner().planUnbounded(new Startup.Full(), Tier.UNION);
            Map<Integer, Long> ends = ends();
            List<ReadUnit> bounded =
                    plan.units().stream().map(unit -> RunningStream.upTo(unit, ends)).toList();
            rows().forEach(new ReadPlan(bounded, null), row -> apply(state, row));
            plan.lease().release();
            return state;
        }

        private Map<Integer, Long> ends() {
            return hot.offsets(new OffsetQuery.Latest()).offsets();
        }

        private static void apply(Map<String, String> state, RowData row) {
            String value = row.getString(1).toString();
            switch (row.getRowKind()) {
                case INSERT -> assertThat(state.put(key(row), value)).isNull();
                case UPDATE_AFTER -> state.put(key(row), value);
                case UPDATE_BEFORE -> assertThat(state.get(key(row))).isEqualTo(value);
                case DELETE -> assertThat(state.remove(key(row))).isEqualTo(value);
            }
        }

        private static String key(RowData row) {
            return row.getLong(0) + "/" + row.getInt(2);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void logTableReadsEveryRowOnce(long seed) throws Exception {
        Random random = new Random(seed);
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("value", DataTypes.STRING());
        List<String> bucketKeys = random.nextBoolean() ? List.of("id") : List.of();
        try (TestWarehouse warehouse = TestWarehouse.in(directory)) {
            WarehouseTable table =
                    warehouse.createTable("t", definition, bucketKeys, 1 + random.nextInt(3));
            List<Long> model = new ArrayList<>();
            int tiered = 0;
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(4) == 0) {
                    table.tier();
                    tiered = model.size();
                } else {
                    int count = 1 + random.nextInt(40);
                    RowData[] rows = new RowData[count];
                    for (int i = 0; i < count; i++) {
                        rows[i] =
                                GenericRowData.of(
                                        (long) model.size(), StringData.fromString("v" + i));
                        model.add((long) model.size());
                    }
                    table.write(rows);
                }
                try (HotTable hot = table.openHot()) {
                    assertThat(ids(table, hot, Tier.UNION, warehouse, random))
                            .containsExactlyInAnyOrderElementsOf(model);
                    assertThat(ids(table, hot, Tier.LAKE, warehouse, random))
                            .containsExactlyInAnyOrderElementsOf(model.subList(0, tiered));
                    assertVerified(table, hot, tiered);
                }
            }
        }
    }

    private static void assertVerified(WarehouseTable table, HotTable hot, long rows) {
        List<Comparison> comparisons = new TableVerification(table.logical(), hot).run();
        assertThat(comparisons).allMatch(Comparison::agrees);
        assertThat(comparisons.stream().mapToLong(Comparison::targetRows).sum()).isEqualTo(rows);
    }

    private static List<Long> ids(
            WarehouseTable table, HotTable hot, Tier tier, TestWarehouse warehouse, Random random) {
        UnionScan scan = UnionScan.of(List.of("id"));
        ReadPlan plan =
                new UnionPlanner(table.logical(), scan, () -> hot, HOLDER)
                        .planBounded(new Startup.Full(), tier);
        List<Long> ids = new ArrayList<>();
        SpillSettings spill = SpillSettings.in(warehouse.spillDirectory());
        new PlanRows(table.logical(), scan, hot, spill, random)
                .forEach(plan, row -> ids.add(row.getLong(0)));
        if (plan.lease() != null) {
            plan.lease().release();
        }
        return ids;
    }
}
