package io.thermocline.unionread.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories of a primary-key table that gets and loses its hot tier, by statements that are
 * killed at random points, against a map.
 */
class TableAttachmentSim {

    private static final int STEPS = 14;
    private static final int KEYS = 40;

    @TempDir private Path directory;

    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    static List<Arguments> histories() {
        return Seeds.of(
                List.of("paimon, 1", "iceberg, 1", "paimon-dynamic, 1"),
                List.of(
                        "paimon, 2",
                        "paimon, 3",
                        "iceberg, 2",
                        "iceberg, 3",
                        "paimon-dynamic, 2",
                        "paimon-dynamic, 3"));
    }

    @ParameterizedTest
    @MethodSource("histories")
    void everyRowIsThereWhateverIsKilled(String lake, long seed) throws Exception {
        Random random = new Random(seed);
        Map<Long, String> model = new TreeMap<>();
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            for (int step = 0; step < STEPS; step++) {
                String what = act(table, model, random, "s" + step);
                List<String> expected = new ArrayList<>();
                model.forEach((id, value) -> expected.add(id + "=" + value));
                expected.sort(null);
                assertThat(table.rows())
                        .as("seed %d step %d: %s", seed, step, what)
                        .isEqualTo(expected);
            }
            table.detach(step -> {});
            table.detach(step -> {});
            assertThat(table.rows()).hasSize(model.size());
            assertThat(table.store().openTables()).isEmpty();
        }
    }

    private static String act(
            TableUnderTest table, Map<Long, String> model, Random random, String value) {
        switch (random.nextInt(8)) {
            case 0 -> {
                table.restartStore();
                return "restart";
            }
            case 1 -> {
                if (table.isHot()) {
                    table.tier();
                }
                return "tier";
            }
            case 2, 3 -> {
                return "attach, " + killed(random, table::attach);
            }
            case 4 -> {
                return "detach, " + killed(random, table::detach);
            }
            default -> {
                return write(table, model, random, value);
            }
        }
    }

    /** Runs a statement that may be killed at any of its steps. */
    private static String killed(Random random, Consumer<Consumer<AttachStep>> statement) {
        int[] left = {random.nextInt(7)};
        try {
            statement.accept(
                    step -> {
                        if (left[0]-- == 0) {
                            throw new Killed();
                        }
                    });
            return "done";
        } catch (Killed e) {
            return "killed";
        }
    }

    private static String write(
            TableUnderTest table, Map<Long, String> model, Random random, String value) {
        Map<Long, String> changed = new TreeMap<>(model);
        List<RowData> rows = new ArrayList<>();
        for (long id : random.longs(1 + random.nextInt(15), 0, KEYS).distinct().toArray()) {
            if (random.nextInt(4) == 0) {
                rows.add(TableUnderTest.delete(id));
                changed.remove(id);
            } else {
                rows.add(TableUnderTest.row(id, value + "-" + id));
                changed.put(id, value + "-" + id);
            }
        }
        RowData[] batch = rows.toArray(RowData[]::new);
        switch (table.attachment().state()) {
            case ATTACHED -> table.writeHot(batch);
            case DETACHED, ATTACHING -> table.writePlain(batch);
            case DRAINING -> {
                return "nothing to write to";
            }
        }
        model.clear();
        model.putAll(changed);
        return "write";
    }
}
