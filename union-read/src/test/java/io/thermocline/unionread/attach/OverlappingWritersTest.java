package io.thermocline.unionread.attach;

import static io.thermocline.unionread.attach.TableUnderTest.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.unionread.tiering.ForeignCommitPolicy;
import io.thermocline.unionread.verify.Comparison;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs that write to the lake table begin before a tiering round and commit after it, so that
 * neither knows what the other has written.
 */
class OverlappingWritersTest {

    private static final int ROUNDS = Boolean.getBoolean("thermocline.test.full") ? 10 : 3;
    private static final int KEYS = 40;

    @TempDir private Path directory;

    static List<Arguments> histories() {
        return Seeds.of(
                List.of("paimon-dynamic, 1"),
                List.of(
                        "paimon, 1",
                        "iceberg, 1",
                        "paimon, 2",
                        "paimon, 3",
                        "iceberg, 2",
                        "paimon-dynamic, 2",
                        "paimon-dynamic, 3",
                        "paimon-dynamic, 5"));
    }

    @ParameterizedTest
    @MethodSource("histories")
    void everyKeyIsThereOnceAfterTheRound(String lake, long seed) throws Exception {
        Random random = new Random(seed);
        Map<Long, Set<String>> possible = new TreeMap<>();
        Map<String, String> absorb = Map.of(ForeignCommitPolicy.OPTION, "absorb");
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake, absorb)) {
            table.writePlain(rows(possible, random, "first"));
            table.attach(step -> {});
            ForeignCommitTest.StreamState stream =
                    new ForeignCommitTest.StreamState(table.stream());
            for (int round = 0; round < ROUNDS; round++) {
                Map<Long, Set<String>> others = new HashMap<>();
                Runnable commit = table.preparePlain(rows(others, random, "others" + round));
                table.writeHot(rows(possible, random, "hot" + round));
                table.tier();
                commit.run();
                others.forEach(
                        (id, values) ->
                                possible.computeIfAbsent(id, i -> new TreeSet<>()).addAll(values));
                if (random.nextBoolean()) {
                    // of a key that is there twice it may change one row
                    Map<Long, Set<String>> more = new HashMap<>();
                    table.writePlain(rows(more, random, "more" + round));
                    more.forEach(
                            (id, values) ->
                                    possible.computeIfAbsent(id, i -> new TreeSet<>())
                                            .addAll(values));
                }
                table.tier();

                List<String> rows = table.rows();
                String as = "seed %d round %d".formatted(seed, round);
                assertThat(rows).as(as).hasSameSizeAs(possible.keySet());
                for (String row : rows) {
                    String[] cells = row.split("=");
                    assertThat(possible.get(Long.parseLong(cells[0]))).as(as).contains(cells[1]);
                }
                assertThat(table.lakeRows()).as(as).containsExactlyInAnyOrderElementsOf(rows);
                assertThat(stream.now()).as(as).isEqualTo(rows);
                assertThat(table.verify()).as(as).allMatch(Comparison::agrees);
            }
            table.detach(step -> {});
            // a plain program alone finds every key where it is
            RowData[] last = new RowData[possible.size()];
            int i = 0;
            for (long id : possible.keySet()) {
                last[i++] = row(id, "last");
            }
            table.writePlain(last);
            assertThat(table.lakeRows())
                    .containsExactlyInAnyOrderElementsOf(
                            possible.keySet().stream().map(id -> id + "=last").toList());
        }
    }

    /** Rows of some keys, which replace what these keys may have. */
    private static RowData[] rows(Map<Long, Set<String>> possible, Random random, String value) {
        List<RowData> rows = new ArrayList<>();
        for (long id : random.longs(2 + random.nextInt(8), 0, KEYS).distinct().toArray()) {
            rows.add(row(id, value));
            possible.put(id, new TreeSet<>(Set.of(value)));
        }
        return rows.toArray(RowData[]::new);
    }
}
