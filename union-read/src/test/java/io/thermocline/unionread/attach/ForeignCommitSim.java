package io.thermocline.unionread.attach;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.unionread.testing.RunningStream;
import io.thermocline.unionread.tiering.ForeignCommitPolicy;
import io.thermocline.unionread.verify.Comparison;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories in which writers of the hot tier and of the lake table take turns and tiering
 * rounds are killed at random points, against a model.
 */
class ForeignCommitSim {

    private static final int STEPS = 16;
    private static final int KEYS = 12;

    @TempDir private Path directory;

    /** What each tier must have, and who has changed what since tiering's last commit. */
    private static final class Model {

        private final Map<Long, String> hot = new TreeMap<>();
        private final Map<Long, String> lake = new TreeMap<>();
        private final Set<Long> changedByHot = new HashSet<>();
        private final Set<Long> changedByOthers = new HashSet<>();

        /** What the hot tier has changed itself wins. */
        private void tiered() {
            for (long id : changedByOthers) {
                if (!changedByHot.contains(id)) {
                    if (lake.containsKey(id)) {
                        hot.put(id, lake.get(id));
                    } else {
                        hot.remove(id);
                    }
                }
            }
            lake.clear();
            lake.putAll(hot);
            changedByHot.clear();
            changedByOthers.clear();
        }

        private List<String> rows() {
            List<String> rows = new ArrayList<>();
            lake.forEach((id, value) -> rows.add(id + "=" + value));
            rows.sort(null);
            return rows;
        }
    }

    static List<Arguments> histories() {
        return Seeds.of(
                List.of("paimon, 1", "iceberg, 1", "paimon-dynamic, 1"),
                List.of(
                        "paimon, 2",
                        "paimon, 4",
                        "iceberg, 3",
                        "paimon-dynamic, 2",
                        "paimon-dynamic, 3"));
    }

    @ParameterizedTest
    @MethodSource("histories")
    void bothTiersAgreeAfterEveryRound(String lake, long seed) throws Exception {
        Random random = new Random(seed);
        Model model = new Model();
        Map<String, String> absorb = Map.of(ForeignCommitPolicy.OPTION, "absorb");
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake, absorb)) {
            table.attach(step -> {});
            ForeignCommitTest.StreamState stream =
                    new ForeignCommitTest.StreamState(table.stream());
            for (int step = 0; step < STEPS; step++) {
                String what = act(table, model, random, "s" + step);
                if (what.startsWith("tier")) {
                    String as = "seed %d step %d: %s".formatted(seed, step, what);
                    List<String> expected = model.rows();
                    assertThat(table.rows()).as(as).isEqualTo(expected);
                    assertThat(table.lakeRows()).as(as).hasSameElementsAs(expected);
                    assertThat(table.lakeRows()).as(as).hasSameSizeAs(expected);
                    assertThat(stream.now()).as(as).isEqualTo(expected);
                    assertThat(table.verify()).as(as).allMatch(Comparison::agrees);
                }
            }
        }
    }

    private static String act(TableUnderTest table, Model model, Random random, String value) {
        switch (random.nextInt(10)) {
            case 0 -> {
                table.restartStore();
                return "restart";
            }
            case 9 -> {
                if (table.isOnPaimon() && !model.lake.isEmpty()) {
                    table.compactPaimon();
                }
                return "compaction";
            }
            case 1 -> {
                table.tier();
                model.tiered();
                return "tier";
            }
            case 2, 3, 8 -> {
                return killed(table, model, random);
            }
            case 4, 5 -> {
                List<RowData> rows = new ArrayList<>();
                for (long id : ids(random)) {
                    boolean deletes = random.nextInt(3) == 0;
                    rows.add(change(id, value + "-lake", deletes, model.lake));
                    model.changedByOthers.add(id);
                }
                table.writePlain(rows.toArray(RowData[]::new));
                return "others";
            }
            default -> {
                List<RowData> rows = new ArrayList<>();
                for (long id : ids(random)) {
                    // whether it deletes anything depends on how far a killed round has come
                    boolean deletes =
                            !model.changedByOthers.contains(id)
                                    && model.hot.containsKey(id)
                                    && random.nextInt(3) == 0;
                    rows.add(change(id, value + "-hot", deletes, model.hot));
                    model.changedByHot.add(id);
                }
                table.writeHot(rows.toArray(RowData[]::new));
                return "hot";
            }
        }
    }

    private static long[] ids(Random random) {
        return random.longs(1 + random.nextInt(8), 0, KEYS).distinct().toArray();
    }

    private static RowData change(long id, String value, boolean deletes, Map<Long, String> state) {
        if (deletes) {
            state.remove(id);
            return TableUnderTest.delete(id);
        }
        state.put(id, value);
        return TableUnderTest.row(id, value);
    }

    private static String killed(TableUnderTest table, Model model, Random random) {
        if (model.changedByHot.isEmpty() && model.changedByOthers.isEmpty()) {
            return "nothing to kill";
        }
        int point = random.nextInt(3);
        if (point == 0 && model.changedByOthers.isEmpty()) {
            return "nothing to take over";
        }
        if (isCommitted(table, point, random)) {
            model.tiered();
            return "tier, killed after its commit";
        }
        return "killed at " + point;
    }

    /** Runs a round that is killed, unless it ends before it comes to that. */
    private static boolean isCommitted(TableUnderTest table, int point, Random random) {
        int batches = random.nextInt(TableUnderTest.BUCKETS);
        try {
            table.tierKilled(
                    point == 0
                            ? UnaryOperator.identity()
                            : lake -> Interrupted.atCommit(lake, point == 2),
                    point == 0
                            ? hot -> Interrupted.afterBatches(hot, batches)
                            : UnaryOperator.identity());
            return true;
        } catch (Interrupted.Killed e) {
            return point == 2;
        }
    }

    @ParameterizedTest
    @CsvSource({"paimon, 1", "iceberg, 2"})
    void everyAppendedRowIsReadOnce(String lake, long seed) throws Exception {
        Random random = new Random(seed);
        List<String> model = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        boolean others = false;
        try (TableUnderTest table = TableUnderTest.log(directory, lake)) {
            table.attach(step -> {});
            RunningStream stream = table.stream();
            for (int step = 0; step < STEPS; step++) {
                String as = "seed %d step %d".formatted(seed, step);
                switch (random.nextInt(6)) {
                    case 0 -> table.restartStore();
                    case 1 -> {
                        table.tier();
                        others = false;
                        stream.advance(row -> seen.add(TableUnderTest.text(row)));
                        assertThat(seen).as(as).containsExactlyInAnyOrderElementsOf(model);
                        assertThat(table.lakeRows())
                                .as(as)
                                .containsExactlyInAnyOrderElementsOf(model);
                    }
                    case 2 -> {
                        if (others) {
                            others = !isCommitted(table, random.nextInt(3), random);
                        }
                    }
                    case 3 -> {
                        table.writePlain(rows(model, random));
                        others = true;
                    }
                    default -> table.writeHot(rows(model, random));
                }
                // at any time, from wherever it begins
                List<String> expected = new ArrayList<>(model);
                expected.sort(null);
                assertThat(table.rows()).as(as).isEqualTo(expected);
                List<String> fresh = new ArrayList<>();
                table.stream().advance(row -> fresh.add(TableUnderTest.text(row)));
                assertThat(fresh).as(as).containsExactlyInAnyOrderElementsOf(model);
                assertThat(table.verify()).as(as).allMatch(Comparison::agrees);
            }
        }
    }

    private static RowData[] rows(List<String> model, Random random) {
        RowData[] rows = new RowData[1 + random.nextInt(6)];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = TableUnderTest.row(model.size(), "v");
            model.add(model.size() + "=v");
        }
        return rows;
    }
}
