package io.thermocline.unionread.attach;

import static io.thermocline.unionread.attach.TableUnderTest.delete;
import static io.thermocline.unionread.attach.TableUnderTest.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.Attachment.State;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.testing.RunningStream;
import io.thermocline.unionread.tiering.ForeignCommitPolicy;
import io.thermocline.unionread.verify.Comparison;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Other programs write to the lake table of a table that has a hot tier. */
class ForeignCommitTest {

    private static final Map<String, String> ABSORB = Map.of(ForeignCommitPolicy.OPTION, "absorb");

    @TempDir private Path directory;

    /** The state that a stream has led to; every change must fit. */
    static final class StreamState {

        private final RunningStream stream;
        private final Map<Long, String> rows = new TreeMap<>();

        StreamState(RunningStream stream) {
            this.stream = stream;
        }

        List<String> now() {
            stream.advance(this::apply);
            List<String> now = new ArrayList<>();
            rows.forEach((id, value) -> now.add(id + "=" + value));
            now.sort(null);
            return now;
        }

        private void apply(RowData row) {
            long id = row.getLong(0);
            String value = row.getString(1).toString();
            switch (row.getRowKind()) {
                case INSERT -> assertThat(rows.put(id, value)).as("insert of %d", id).isNull();
                case UPDATE_AFTER -> rows.put(id, value);
                case UPDATE_BEFORE -> assertThat(rows.get(id)).as("%d", id).isEqualTo(value);
                case DELETE -> assertThat(rows.remove(id)).as("%d", id).isEqualTo(value);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void tieringStopsUntilSomebodyDecides(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"), row(2, "b"));
            table.attach(step -> {});
            table.writeHot(row(1, "A"));
            table.tier();
            long own = table.newestSnapshot();
            table.writePlain(row(2, "foreign"), row(9, "foreign"));
            long foreign = table.newestSnapshot();

            // also with nothing to tier
            assertStopped(table, own, foreign);
            table.writeHot(row(3, "c"), delete(1));
            assertStopped(table, own, foreign);
            assertThat(table.newestSnapshot()).isEqualTo(foreign);
            assertThat(table.lookup(3)).containsExactly("3=c");
            assertThat(table.lookup(1)).isEmpty();
            assertThat(table.lookup(2)).containsExactly("2=b");
            // its hot tier stays, too
            assertThatThrownBy(() -> table.detach(step -> {}))
                    .hasMessageContaining("FOREIGN_COMMIT: tiering of table default.t has stopped");
            assertThat(table.attachment().state()).isEqualTo(State.ATTACHED);

            table.setOption(ForeignCommitPolicy.OPTION, "absorb");
            TieringResult result = table.tier();
            assertThat(result.foreignCommits()).isOne();
            assertThat(table.rows()).containsExactly("2=foreign", "3=c", "9=foreign");
            assertThat(table.lakeRows()).containsExactlyInAnyOrder("2=foreign", "3=c", "9=foreign");
        }
    }

    private static void assertStopped(TableUnderTest table, long own, long foreign) {
        assertThatThrownBy(table::tier)
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FOREIGN_COMMIT))
                .hasMessageContaining("tiering of table default.t has stopped")
                .hasMessageContaining(
                        "since tiering's own snapshot " + own + ", in snapshot " + foreign)
                .hasMessageContaining("files added")
                .hasMessageContaining("ALTER TABLE … SET ('hot.on-foreign-commit'='absorb')")
                .hasMessageContaining("roll the lake table back to snapshot " + own);
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void changedKeysAreTakenOver(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake, ABSORB)) {
            table.writePlain(
                    row(1, "a"), row(2, "b"), row(3, "c"), row(4, "d"), row(5, "e"), row(6, "f"));
            table.attach(step -> {});
            StreamState before = new StreamState(table.stream());
            assertThat(before.now()).hasSize(6);
            // what is not tiered yet wins
            table.writeHot(row(3, "hot"), delete(4), row(7, "hot"));
            table.writePlain(
                    row(1, "foreign"),
                    delete(2),
                    row(3, "foreign"),
                    row(4, "foreign"),
                    row(7, "foreign"),
                    row(8, "foreign"));
            StreamState between = new StreamState(table.stream());
            assertThat(between.now()).containsExactly("1=a", "2=b", "3=hot", "5=e", "6=f", "7=hot");
            table.writePlain(row(1, "later"), delete(6));

            TieringResult result = table.tier();

            String[] expected = {"1=later", "3=hot", "5=e", "7=hot", "8=foreign"};
            assertThat(result.foreignCommits()).isEqualTo(2);
            assertThat(table.rows()).containsExactly(expected);
            assertThat(table.lakeRows()).containsExactlyInAnyOrder(expected);
            assertThat(before.now()).containsExactly(expected);
            assertThat(between.now()).containsExactly(expected);
            assertThat(new StreamState(table.stream()).now()).containsExactly(expected);
            assertThat(table.verify()).allMatch(Comparison::agrees);
            assertThat(table.tier().committed()).isFalse();

            table.writePlain(row(5, "last"));
            table.detach(step -> {});
            assertThat(table.rows())
                    .containsExactly("1=later", "3=hot", "5=last", "7=hot", "8=foreign");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aRoundThatIsKilledIsDoneAgain(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake, ABSORB)) {
            table.writePlain(row(1, "a"), row(2, "b"), row(3, "c"));
            table.attach(step -> {});
            StreamState stream = new StreamState(table.stream());
            table.writePlain(row(1, "first"), delete(2), row(4, "first"), row(5, "first"));
            table.writePlain(row(6, "first"), row(7, "first"), row(8, "first"));
            assertKilled(
                    () ->
                            table.tierKilled(
                                    UnaryOperator.identity(),
                                    hot -> Interrupted.afterBatches(hot, 1)));
            // taken over, but another commit comes before that is in the lake
            assertKilled(
                    () ->
                            table.tierKilled(
                                    tiers -> Interrupted.atCommit(tiers, false),
                                    UnaryOperator.identity()));
            assertThat(table.rows())
                    .containsExactly(
                            "1=first", "3=c", "4=first", "5=first", "6=first", "7=first",
                            "8=first");
            assertThat(table.verify()).allMatch(Comparison::agrees);
            table.restartStore();
            // back to what it was, for one
            table.writePlain(row(1, "a"), row(2, "second"), delete(4), delete(6), delete(7));
            table.writeHot(row(5, "hot"));
            assertKilled(
                    () ->
                            table.tierKilled(
                                    tiers -> Interrupted.atCommit(tiers, true),
                                    UnaryOperator.identity()));
            table.tier();

            String[] expected = {"1=a", "2=second", "3=c", "5=hot", "8=first"};
            assertThat(table.rows()).containsExactly(expected);
            assertThat(table.lakeRows()).containsExactlyInAnyOrder(expected);
            assertThat(stream.now()).containsExactly(expected);
            assertThat(table.verify()).allMatch(Comparison::agrees);
        }
    }

    private static void assertKilled(Runnable round) {
        assertThatThrownBy(round::run).isInstanceOf(Interrupted.Killed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aCommitDuringTheRoundIsTakenOverToo(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake, ABSORB)) {
            table.writePlain(row(1, "a"), row(2, "b"));
            table.attach(step -> {});
            table.writeHot(row(2, "hot"), row(3, "hot"));
            int[] times = {2};
            UnaryOperator<LakeTable> busy =
                    tiers ->
                            Interrupted.beforeCommit(
                                    tiers,
                                    () -> {
                                        if (times[0]-- > 0) {
                                            table.writePlain(
                                                    row(1, "foreign" + times[0]),
                                                    row(3, "foreign"));
                                        }
                                    });

            table.tierKilled(busy, UnaryOperator.identity());

            assertThat(table.rows()).containsExactly("1=foreign0", "2=hot", "3=hot");
            assertThat(table.lakeRows()).containsExactlyInAnyOrder("1=foreign0", "2=hot", "3=hot");
            assertThat(table.verify()).allMatch(Comparison::agrees);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aCommitBetweenFirstStateAndAttachedBeginsItAnew(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"));
            List<AttachStep> steps = new ArrayList<>();
            table.attach(
                    step -> {
                        if (step == AttachStep.FIRST_STATE_COMMITTED && !steps.contains(step)) {
                            table.writePlain(row(1, "foreign"), row(2, "foreign"));
                        }
                        steps.add(step);
                    });
            assertThat(steps).filteredOn(AttachStep.HYDRATED::equals).hasSize(2);
            assertThat(table.rows()).containsExactly("1=foreign", "2=foreign");
            table.writeHot(row(3, "hot"));
            table.tier();
            assertThat(table.lakeRows())
                    .containsExactlyInAnyOrder("1=foreign", "2=foreign", "3=hot");
        }
    }

    /** Iceberg lets programs append a key that is there already. */
    @Test
    void aKeyThatOthersHaveDoubledIsThereOnceAfterwards() throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, "iceberg", ABSORB)) {
            table.writePlain(row(1, "a"), row(2, "b"));
            table.attach(step -> {});
            table.writeHot(row(3, "hot"));
            table.appendPlain(row(1, "again"), row(3, "foreign"));
            // as it is there, and one twice at once
            table.appendPlain(row(2, "b"), row(4, "new"), row(4, "new"));
            assertThat(table.lakeRows())
                    .containsExactlyInAnyOrder(
                            "1=a", "1=again", "2=b", "2=b", "3=foreign", "4=new", "4=new");

            table.tier();

            String[] expected = {"1=again", "2=b", "3=hot", "4=new"};
            assertThat(table.rows()).containsExactly(expected);
            assertThat(table.lakeRows()).containsExactlyInAnyOrder(expected);
            // nothing but a row that is there
            table.appendPlain(row(4, "new"));
            table.tier();
            assertThat(table.lakeRows()).containsExactlyInAnyOrder(expected);
            assertThat(table.verify()).allMatch(Comparison::agrees);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void whatWasRolledBackIsTakenBack(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake, ABSORB)) {
            table.writePlain(row(1, "a"), row(2, "b"), row(3, "c"));
            table.attach(step -> {});
            table.tier();
            StreamState stream = new StreamState(table.stream());
            long own = table.newestSnapshot();
            table.writePlain(row(1, "foreign"), delete(2), row(4, "foreign"));
            assertKilled(
                    () ->
                            table.tierKilled(
                                    tiers -> Interrupted.atCommit(tiers, false),
                                    UnaryOperator.identity()));
            assertThat(stream.now()).containsExactly("1=foreign", "3=c", "4=foreign");
            table.rollBackPlain(own);
            table.writeHot(row(3, "hot"));

            table.tier();

            String[] expected = {"1=a", "2=b", "3=hot"};
            assertThat(table.rows()).containsExactly(expected);
            assertThat(table.lakeRows()).containsExactlyInAnyOrder(expected);
            assertThat(stream.now()).containsExactly(expected);
            assertThat(table.verify()).allMatch(Comparison::agrees);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void appendsToATableThatKeepsItsHotTierAfterAllAreReadOnce(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.log(directory, lake)) {
            table.attach(step -> {});
            List<String> running = new ArrayList<>();
            RunningStream stream = table.stream();
            table.writePlain(row(1, "first"));
            table.writePlain(row(2, "first"));
            assertKilled(
                    () ->
                            table.tierKilled(
                                    UnaryOperator.identity(),
                                    hot -> Interrupted.afterBatches(hot, 1)));
            table.writeHot(row(3, "hot"));
            assertKilled(
                    () ->
                            table.detach(
                                    step -> {
                                        if (step == AttachStep.DRAINING) {
                                            table.writePlain(row(4, "draining"));
                                        }
                                        if (step == AttachStep.TIERED) {
                                            throw new Interrupted.Killed();
                                        }
                                    }));
            long drained = table.newestSnapshot();
            table.tier();
            assertThat(table.newestSnapshot()).as("nothing to tier").isEqualTo(drained);

            table.attach(step -> {});
            table.tier();

            List<String> all = List.of("1=first", "2=first", "3=hot", "4=draining");
            stream.advance(row -> running.add(TableUnderTest.text(row)));
            assertThat(running).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.rows()).isEqualTo(all);
            assertThat(table.lakeRows()).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    /** On Paimon the second commit has the id of the first. */
    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aCommitInThePlaceOfOneThatWasRolledBackIsTakenOver(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.log(directory, lake)) {
            table.attach(step -> {});
            long own = table.newestSnapshot();
            table.writePlain(row(1, "gone"), row(2, "gone"));
            assertKilled(
                    () ->
                            table.tierKilled(
                                    tiers -> Interrupted.atCommit(tiers, false),
                                    UnaryOperator.identity()));
            table.rollBackPlain(own);
            table.writePlain(row(3, "there"), row(4, "there"));
            List<String> running = new ArrayList<>();
            table.tier();
            RunningStream fresh = table.stream();
            table.writePlain(row(5, "later"));
            table.tier();
            fresh.advance(row -> running.add(TableUnderTest.text(row)));
            List<String> all = List.of("3=there", "4=there", "5=later");
            assertThat(running).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.rows()).isEqualTo(all);
            assertThat(table.lakeRows()).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.changelogRows())
                    .containsExactlyInAnyOrder("1=gone", "2=gone", "3=there", "4=there", "5=later");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void appendedRowsReachRunningStreamsOnce(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.log(directory, lake)) {
            table.writePlain(row(1, "before"));
            table.attach(step -> {});
            List<String> running = new ArrayList<>();
            RunningStream stream = table.stream();
            table.writeHot(row(2, "hot"));
            table.writePlain(row(3, "foreign"), row(4, "foreign"));
            table.writePlain(row(3, "foreign"));
            List<String> late = new ArrayList<>();
            RunningStream begunBetween = table.stream();
            List<String> all = List.of("1=before", "2=hot", "3=foreign", "3=foreign", "4=foreign");
            assertThat(table.rows()).isEqualTo(all);
            stream.advance(row -> running.add(TableUnderTest.text(row)));
            assertThat(running).containsExactlyInAnyOrder("1=before", "2=hot");
            begunBetween.advance(row -> late.add(TableUnderTest.text(row)));
            assertThat(late).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.verify()).allMatch(Comparison::agrees);

            TieringResult result = table.tier();

            assertThat(result.foreignCommits()).isEqualTo(2);
            assertThat(result.rows()).isOne();
            stream.advance(row -> running.add(TableUnderTest.text(row)));
            begunBetween.advance(row -> late.add(TableUnderTest.text(row)));
            assertThat(running).containsExactlyInAnyOrderElementsOf(all);
            assertThat(late).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.rows()).isEqualTo(all);
            assertThat(table.lakeRows()).containsExactlyInAnyOrderElementsOf(all);
            assertThat(table.verify()).allMatch(Comparison::agrees);
            assertThat(table.tier().committed()).isFalse();
        }
    }
}
