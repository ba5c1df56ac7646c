package io.thermocline.unionread.attach;

import static io.thermocline.unionread.attach.TableUnderTest.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.TieredState;
import io.thermocline.unionread.testing.RunningStream;
import io.thermocline.unionread.tiering.ForeignCommitPolicy;
import io.thermocline.unionread.verify.Comparison;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Log tables to which other programs append, and streams that begin meanwhile. */
class OthersAppendsTest {

    private static final int COMMITS = 6;

    @TempDir private Path directory;

    /** A stream that was begun, and what it has seen. */
    private record Seen(RunningStream stream, List<String> rows) {

        private Seen(RunningStream stream) {
            this(stream, new ArrayList<>());
        }

        private List<String> now() {
            stream.advance(row -> rows.add(TableUnderTest.text(row)));
            return rows;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aStreamThatBeginsInTheMidstOfAnAbsorptionSeesEachRowOnce(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.log(directory, lake)) {
            table.writePlain(row(1, "before"));
            table.attach(step -> {});
            table.writeHot(row(2, "hot"), row(3, "hot"));
            table.writePlain(row(4, "others"), row(5, "others"));
            table.writePlain(row(6, "others"));
            List<Seen> begun = new ArrayList<>();
            table.tierKilled(
                    UnaryOperator.identity(),
                    hot ->
                            Interrupted.beforeBatches(
                                    hot, () -> begun.add(new Seen(table.stream()))));
            table.writePlain(row(7, "later"));
            table.tier();

            assertThat(begun).hasSizeGreaterThan(1);
            List<String> all =
                    List.of(
                            "1=before",
                            "2=hot",
                            "3=hot",
                            "4=others",
                            "5=others",
                            "6=others",
                            "7=later");
            for (Seen seen : begun) {
                assertThat(seen.now()).containsExactlyInAnyOrderElementsOf(all);
            }
            assertThat(table.lakeRows()).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg", TableUnderTest.DYNAMIC})
    void aStreamThatBeginsInTheMidstOfAnAbsorptionOfKeysComesToTheSameState(String lake)
            throws Exception {
        Map<String, String> absorb = Map.of(ForeignCommitPolicy.OPTION, "absorb");
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake, absorb)) {
            table.writePlain(row(1, "a"), row(2, "b"), row(3, "c"), row(4, "d"));
            table.attach(step -> {});
            table.writeHot(row(2, "hot"), row(5, "hot"));
            table.writePlain(
                    row(1, "others"),
                    TableUnderTest.delete(3),
                    row(5, "others"),
                    row(6, "others"),
                    row(7, "others"));
            List<ForeignCommitTest.StreamState> begun = new ArrayList<>();
            table.tierKilled(
                    UnaryOperator.identity(),
                    hot ->
                            Interrupted.beforeBatches(
                                    hot,
                                    () ->
                                            begun.add(
                                                    new ForeignCommitTest.StreamState(
                                                            table.stream()))));
            table.writeHot(row(6, "later"));

            String[] expected = {"1=others", "2=hot", "4=d", "5=hot", "6=later", "7=others"};
            assertThat(begun).isNotEmpty();
            for (ForeignCommitTest.StreamState stream : begun) {
                assertThat(stream.now()).containsExactly(expected);
            }
            assertThat(table.rows()).containsExactly(expected);
        }
    }

    /** What a version has written that did not absorb. */
    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aStateThatDoesNotSayWhatWasAbsorbedBeginsWithTheNextCommits(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.log(directory, lake)) {
            table.attach(step -> {});
            table.writeHot(row(1, "hot"));
            table.tier();
            LakeTable earlier = table.lake().table(TableUnderTest.PATH);
            TieredState state = earlier.latestTieredSnapshot().orElseThrow().tieredState();
            TieredState without = new TieredState(state.tableId(), state.buckets());
            earlier.commit(new LakeCommit(state, without, List.of()));
            assertThat(state.absorbedSnapshotId()).isNotNull();
            table.writePlain(row(2, "of its time"));
            Seen stream = new Seen(table.stream());

            assertThat(table.tier().foreignCommits()).isNull();
            table.writeHot(row(3, "hot"));
            TieringResult first = table.tier();
            assertThat(first.foreignCommits()).isZero();
            table.writePlain(row(4, "others"));
            assertThat(table.tier().foreignCommits()).isOne();

            List<String> all = List.of("1=hot", "2=of its time", "3=hot", "4=others");
            assertThat(stream.now()).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.rows()).isEqualTo(all);
            assertThat(table.lakeRows()).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aTableToWhichOnlyOthersAppendIsMaintained(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.log(directory, lake)) {
            table.attach(step -> {});
            Seen stream = new Seen(table.stream());
            List<String> all = new ArrayList<>();
            for (int i = 0; i < COMMITS; i++) {
                append(table, i, all);
                TieringResult result = table.tier();
                assertThat(result.committed()).isTrue();
                assertThat(result.rows()).isZero();
            }
            append(table, COMMITS, all);
            maintain(table);
            // what is not taken over yet is still there afterwards
            table.tier();
            assertThat(stream.now()).containsExactlyInAnyOrderElementsOf(all);
            long before = dataFiles();

            maintain(table);
            append(table, COMMITS + 1, all);
            table.tier();
            maintain(table);

            assertThat(dataFiles()).isLessThan(before);
            assertThat(table.lake().table(TableUnderTest.PATH).tieredSnapshots()).hasSize(1);
            assertThat(stream.now()).containsExactlyInAnyOrderElementsOf(all);
            assertThat(new Seen(table.stream()).now()).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.lakeRows()).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.verify()).allMatch(Comparison::agrees);
        }
    }

    private static void append(TableUnderTest table, int number, List<String> all) {
        List<RowData> rows = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            rows.add(row(number * 3L + i, "others"));
            all.add(number * 3L + i + "=others");
        }
        table.writePlain(rows.toArray(RowData[]::new));
    }

    private static void maintain(TableUnderTest table) {
        table.lake().table(TableUnderTest.PATH).maintain(new LakeMaintenance(0, Set.of()));
    }

    private long dataFiles() throws Exception {
        try (Stream<Path> files = Files.walk(directory.resolve("lake"))) {
            return files.filter(file -> file.toString().endsWith(".parquet")).count();
        }
    }
}
