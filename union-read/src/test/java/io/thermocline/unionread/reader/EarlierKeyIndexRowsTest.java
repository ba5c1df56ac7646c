package io.thermocline.unionread.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.HotTable;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.LeaseHolder;
import io.thermocline.unionread.plan.ReadPlan;
import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadUnit;
import io.thermocline.unionread.plan.Startup;
import io.thermocline.unionread.plan.Tier;
import io.thermocline.unionread.plan.UnionPlanner;
import io.thermocline.unionread.testing.TestWarehouse;
import io.thermocline.unionread.testing.WarehouseTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streaming reads whose key-index snapshot ends with the store before it was read. */
class EarlierKeyIndexRowsTest {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final int KEYS = 40;

    @TempDir Path directory;

    private TestWarehouse warehouse;
    private WarehouseTable table;
    private List<String> projection = List.of("v", "id");

    @BeforeEach
    void openWarehouse() throws Exception {
        warehouse = TestWarehouse.in(directory);
        table =
                warehouse.createTable(
                        "t",
                        new TestTable()
                                .column("v", DataTypes.STRING())
                                .column("id", DataTypes.BIGINT().notNull())
                                .primaryKey("id"),
                        List.of("id"),
                        1);
    }

    @AfterEach
    void closeWarehouse() {
        warehouse.close();
    }

    @Test
    void undoesWhatHappenedSince() {
        for (long id : new long[] {1, 3, 5, 7, 9}) {
            table.write(row(RowKind.INSERT, "old", id));
        }
        ReadUnit unit = plan();
        List<String> rows = new ArrayList<>();
        ReadPosition position = read(unit, ReadPosition.START, 2, rows);
        warehouse.restartStore();
        table.write(
                // before, at and behind what was read: new, changed, deleted
                row(RowKind.INSERT, "new", 2),
                row(RowKind.INSERT, "new", 3),
                row(RowKind.INSERT, "new", 4),
                row(RowKind.DELETE, null, 1),
                row(RowKind.DELETE, null, 5),
                row(RowKind.INSERT, "new", 7),
                row(RowKind.INSERT, "newer", 7),
                row(RowKind.INSERT, "new", 10));
        read(unit, position, 14, rows);
        assertThat(rows)
                .startsWith("+I old 1", "+I old 3", "+I old 5", "+I old 7", "+I old 9")
                .hasSize(16);
        assertThat(state(rows, true))
                .isEqualTo(
                        Map.of(
                                "2", "new", "3", "new", "4", "new", "7", "newer", "9", "old", "10",
                                "new"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyChangeFitsTheRowsBefore(long seed) {
        Random random = new Random(seed);
        projection = random.nextBoolean() ? List.of("id", "v") : List.of("v", "id");
        Map<String, String> expected = new TreeMap<>();
        change(random, 60, expected);
        ReadUnit unit = plan();
        List<String> rows = new ArrayList<>();
        ReadPosition position = ReadPosition.START;
        for (int life = 0; life < 6; life++) {
            position = read(unit, position, random.nextInt(8), rows);
            change(random, random.nextInt(30), expected);
            warehouse.restartStore();
            change(random, random.nextInt(30), expected);
        }
        read(unit, position, Integer.MAX_VALUE, rows);
        assertThat(state(rows, projection.get(0).equals("v"))).isEqualTo(expected);
    }

    @Test
    void rowsWithoutTheirKeyAreTheSame() {
        projection = List.of("v");
        table.write(row(RowKind.INSERT, "a", 1), row(RowKind.INSERT, "b", 2));
        ReadUnit unit = plan();
        List<String> rows = new ArrayList<>();
        ReadPosition position = read(unit, ReadPosition.START, 1, rows);
        warehouse.restartStore();
        table.write(row(RowKind.INSERT, "c", 2));
        read(unit, position, 3, rows);
        assertThat(rows).containsExactly("+I a", "+I b", "-U b", "+U c");
    }

    @Test
    void failsForGoodWhenTooMuchHappenedSince() {
        table.write(row(RowKind.INSERT, "a", 1));
        ReadUnit unit = plan();
        warehouse.restartStore();
        table.write(row(RowKind.INSERT, "x".repeat(10_000), 2));
        table.write(row(RowKind.DELETE, null, 2));
        table.write(row(RowKind.INSERT, "x".repeat(10_000), 1));
        table.write(row(RowKind.INSERT, "x".repeat(10_000), 3));
        List<String> rows = new ArrayList<>();
        // the rows that were changed are small
        read(unit, ReadPosition.START, 1, rows, SpillSettings.MIN_MEMORY_BYTES);
        assertThat(rows).containsExactly("+I a 1");

        ReadUnit large = plan();
        warehouse.restartStore();
        table.write(row(RowKind.INSERT, "b", 3));
        assertThatThrownBy(
                        () ->
                                read(
                                        large,
                                        ReadPosition.START,
                                        1,
                                        rows,
                                        SpillSettings.MIN_MEMORY_BYTES))
                .isInstanceOf(LostPositionException.class)
                .hasMessageContaining(
                        "cannot go on reading the state of table db.t bucket 0: the key-index"
                                + " snapshot that was read ended with the hot store that made it,"
                                + " or was not used for too long, and the changes since, offsets 6 to 8, cannot be undone: they take"
                                + " more than the 4096 bytes of scan.key-memory");
    }

    @Test
    void aBoundedReadDoesNotGoOn() {
        table.write(row(RowKind.INSERT, "a", 1));
        ReadUnit unit;
        try (HotTable hot = table.openHot()) {
            ReadPlan plan = planner(hot).planBounded(new Startup.Full(), Tier.HOT);
            unit = plan.units().get(0);
        }
        warehouse.restartStore();
        assertThatThrownBy(() -> read(unit, ReadPosition.START, 1, new ArrayList<>()))
                .isInstanceOf(LostPositionException.class)
                .hasMessageContaining("cannot go on reading table db.t bucket 0")
                .hasMessageContaining("Run the query again");
    }

    private ReadUnit plan() {
        try (HotTable hot = table.openHot()) {
            ReadPlan plan = planner(hot).planUnbounded(new Startup.Full(), Tier.HOT);
            return plan.units().get(0);
        }
    }

    private UnionPlanner planner(HotTable hot) {
        return new UnionPlanner(
                table.logical(),
                UnionScan.of(projection),
                () -> hot,
                new LeaseHolder("test", Duration.ofMinutes(5), false));
    }

    private ReadPosition read(ReadUnit unit, ReadPosition start, int count, List<String> rows) {
        return read(unit, start, count, rows, SpillSettings.DEFAULT_MEMORY_BYTES);
    }

    /** Reads so many rows, or, with the greatest number, until nothing more comes. */
    private ReadPosition read(
            ReadUnit unit, ReadPosition start, int count, List<String> rows, long memory) {
        SpillSettings spill = new SpillSettings(warehouse.spillDirectory(), memory);
        ReadPosition position = start;
        int wanted = count;
        try (HotTable hot = table.openHot();
                ReadContext context =
                        new ReadContext(
                                table.logical(), UnionScan.of(projection), () -> hot, spill);
                UnionReader reader = new UnionReader(context, unit, start)) {
            while (wanted > 0) {
                try (RowChunk chunk = reader.poll(POLL)) {
                    if (chunk == null && count == Integer.MAX_VALUE && reader.isInChangelog()) {
                        break;
                    }
                    int taken = chunk == null ? 0 : Math.min(wanted, chunk.rowCount());
                    for (int i = 0; i < taken; i++) {
                        rows.add(text(chunk.row(i)));
                        position = chunk.positionAfter(i);
                    }
                    wanted -= taken;
                    if (chunk != null && taken == chunk.rowCount()) {
                        position = chunk.endPosition();
                    }
                }
            }
        }
        return position;
    }

    private void change(Random random, int changes, Map<String, String> expected) {
        for (int i = 0; i < changes; i++) {
            long id = random.nextInt(KEYS);
            if (random.nextInt(3) == 0) {
                table.write(row(RowKind.DELETE, null, id));
                expected.remove(String.valueOf(id));
            } else {
                String value = "v" + random.nextInt(1_000);
                table.write(row(RowKind.INSERT, value, id));
                expected.put(String.valueOf(id), value);
            }
        }
    }

    /** Applies changes; each must fit what is there. */
    private static Map<String, String> state(List<String> changes, boolean valueFirst) {
        Map<String, String> state = new TreeMap<>();
        for (String change : changes) {
            String[] parts = change.split(" ");
            String key = parts[valueFirst ? 2 : 1];
            String value = parts[valueFirst ? 1 : 2];
            if (parts[0].startsWith("+")) {
                assertThat(state.put(key, value)).as(change).isNull();
            } else {
                assertThat(state.remove(key)).as(change).isEqualTo(value);
            }
        }
        return state;
    }

    private String text(RowData row) {
        StringBuilder text = new StringBuilder(row.getRowKind().shortString());
        for (int i = 0; i < projection.size(); i++) {
            text.append(' ');
            if (projection.get(i).equals("id")) {
                text.append(row.getLong(i));
            } else {
                text.append(row.getString(i));
            }
        }
        return text.toString();
    }

    private static RowData row(RowKind kind, String value, long id) {
        return GenericRowData.ofKind(kind, StringData.fromString(value), id);
    }
}
