package io.thermocline.unionread.attach;

import static io.thermocline.unionread.attach.TableUnderTest.delete;
import static io.thermocline.unionread.attach.TableUnderTest.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.lake.Attachment.State;
import io.thermocline.lake.LakeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableAttachmentTest {

    private static final Consumer<AttachStep> QUIET = step -> {};

    @TempDir private Path directory;

    /** What kills a statement between two of its steps. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static Consumer<AttachStep> killAfter(AttachStep last) {
        return step -> {
            if (step == last) {
                throw new Killed();
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void rowsOfTheLakeAreKnownToTheHotTier(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"), row(2, "b"), row(3, "c"));
            table.writePlain(row(2, "B"), delete(3));

            table.attach(QUIET);
            assertThat(table.rows()).containsExactly("1=a", "2=B");

            table.writeHot(row(1, "a"), delete(2), row(4, "d"));
            assertThat(table.rows()).containsExactly("1=a", "4=d");
            table.tier();
            table.writeHot(row(1, "A"));
            assertThat(table.rows()).containsExactly("1=A", "4=d");
            assertThat(table.lakeRows()).containsExactlyInAnyOrder("1=a", "4=d");

            table.detach(QUIET);
            assertThat(table.rows()).containsExactly("1=A", "4=d");
            assertThat(table.store().openTables()).isEmpty();
            table.writePlain(row(4, "D"), row(5, "e"));
            table.attach(QUIET);
            assertThat(table.rows()).containsExactly("1=A", "4=D", "5=e");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void rowsThatOthersAppendToALogTableAreReadOnce(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.log(directory, lake)) {
            table.writePlain(row(1, "a"), row(1, "a"));
            table.attach(
                    step -> {
                        if (step == AttachStep.ATTACHING) {
                            table.writePlain(row(2, "meanwhile"));
                        }
                    });
            table.writeHot(row(3, "hot"));
            table.writePlain(row(4, "foreign"));
            assertThat(table.rows())
                    .containsExactly("1=a", "1=a", "2=meanwhile", "3=hot", "4=foreign");
            table.tier();
            assertThat(table.rows())
                    .containsExactly("1=a", "1=a", "2=meanwhile", "3=hot", "4=foreign");
            table.writeHot(row(5, "last"));
            // nobody knows when the lake's own rows were written, so that a stream from before that
            // moment has to begin with all of them
            long attached = table.attachment().sinceMillis();
            assertThat(table.rowsSince(attached)).hasSize(6);
            assertThat(table.rowsSince(attached + 1))
                    .containsExactly("3=hot", "4=foreign", "5=last");
            table.detach(QUIET);
            assertThat(table.rows())
                    .containsExactly("1=a", "1=a", "2=meanwhile", "3=hot", "4=foreign", "5=last");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "paimon, ATTACHING", "paimon, HYDRATED", "paimon, FIRST_STATE_COMMITTED",
        "iceberg, ATTACHING", "iceberg, HYDRATED", "iceberg, FIRST_STATE_COMMITTED"
    })
    void attachingGoesOnOrIsUndoneAfterAKill(String lake, AttachStep last) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"), row(2, "b"));
            assertKilled(() -> table.attach(killAfter(last)));
            table.restartStore();
            assertThat(table.isHot()).isFalse();
            assertThat(table.rows()).containsExactly("1=a", "2=b");

            table.detach(QUIET);
            assertThat(table.attachment().state()).isEqualTo(State.DETACHED);
            assertThat(table.store().openTables()).isEmpty();

            assertKilled(() -> table.attach(killAfter(last)));
            table.writePlain(delete(1), row(3, "c"));
            table.restartStore();
            table.attach(QUIET);
            assertThat(table.rows()).containsExactly("2=b", "3=c");
            assertThat(table.store().openTables()).hasSize(1);
            table.writeHot(row(2, "B"));
            table.tier();
            assertThat(table.rows()).containsExactly("2=B", "3=c");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "paimon, DRAINING", "paimon, CHANGELOG_ENDED", "paimon, TIERED",
        "iceberg, DRAINING", "iceberg, CHANGELOG_ENDED", "iceberg, TIERED"
    })
    void detachingGoesOnOrIsTakenBackAfterAKill(String lake, AttachStep last) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"), row(2, "b"));
            table.attach(QUIET);
            table.writeHot(row(2, "B"), row(3, "c"));
            assertKilled(() -> table.detach(killAfter(last)));
            table.restartStore();
            assertThat(table.rows()).containsExactly("1=a", "2=B", "3=c");
            assertThatThrownBy(() -> table.writeHot(row(9, "late")))
                    .cause()
                    .hasMessageContaining("TABLE_DETACHING: table default.t takes no more rows");

            table.attach(QUIET);
            table.writeHot(row(4, "d"));
            assertThat(table.rows()).containsExactly("1=a", "2=B", "3=c", "4=d");

            assertKilled(() -> table.detach(killAfter(last)));
            table.restartStore();
            table.detach(QUIET);
            assertThat(table.rows()).containsExactly("1=a", "2=B", "3=c", "4=d");
            assertThat(table.store().openTables()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aDetachedTableIsCleanedByTheNextStatement(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"));
            table.attach(QUIET);
            assertKilled(() -> table.detach(killAfter(AttachStep.DETACHED)));
            assertThat(table.isHot()).isFalse();
            assertThat(table.rows()).containsExactly("1=a");
            assertThat(table.store().openTables()).hasSize(1);
            table.detach(QUIET);
            assertThat(table.store().openTables()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void changesOfOthersWhileRowsAreTakenOverBeginItAnew(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"), row(2, "b"));
            List<AttachStep> steps = new ArrayList<>();
            table.attach(
                    step -> {
                        steps.add(step);
                        if (steps.equals(List.of(AttachStep.ATTACHING, AttachStep.HYDRATED))) {
                            table.writePlain(delete(1), row(2, "B"));
                        }
                    });
            assertThat(steps)
                    .containsExactly(
                            AttachStep.ATTACHING,
                            AttachStep.HYDRATED,
                            AttachStep.ATTACHING,
                            AttachStep.HYDRATED,
                            AttachStep.FIRST_STATE_COMMITTED,
                            AttachStep.ATTACHED);
            assertThat(table.rows()).containsExactly("2=B");
            assertThat(table.store().openTables()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aTableThatNeverRestsIsLeftPlain(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"));
            assertThatThrownBy(
                            () ->
                                    table.attach(
                                            step -> {
                                                if (step == AttachStep.HYDRATED) {
                                                    table.writePlain(row(2, "again"));
                                                }
                                            }))
                    .isInstanceOf(LakeException.class)
                    .hasMessageContaining("COMMIT_CONFLICT: lake table default.t got snapshot")
                    .hasMessageContaining("Stop the jobs that write to the lake table");
            assertThat(table.attachment().state()).isEqualTo(State.DETACHED);
            assertThat(table.store().openTables()).isEmpty();
            assertThat(table.rows()).containsExactly("1=a", "2=again");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void twoStatementsDoNotMix(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"));
            table.attach(QUIET);
            assertThatThrownBy(
                            () ->
                                    table.detach(
                                            step -> {
                                                if (step == AttachStep.TIERED) {
                                                    table.attach(QUIET);
                                                    table.writeHot(row(2, "kept"));
                                                }
                                            }))
                    .isInstanceOf(LakeException.class)
                    .hasMessageContaining("table default.t is attached (epoch 4")
                    .hasMessageContaining("no longer draining (epoch 3");
            assertThat(table.isHot()).isTrue();
            assertThat(table.rows()).containsExactly("1=a", "2=kept");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void aSinkOfAnEarlierAttachmentIsRefused(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"));
            table.attach(QUIET);
            String earlier = table.attachment().tableId();
            try (HotTable hot = table.openHot()) {
                table.detach(QUIET);
                assertThatThrownBy(() -> hot.status())
                        .hasMessageContaining(
                                "TABLE_DETACHING: table default.t has no hot tier any more");
            }
            assertThatThrownBy(() -> table.store().openTable(TableUnderTest.PATH, earlier))
                    .hasMessageContaining(
                            "TABLE_NOT_FOUND: there is no table default.t with a hot tier");
            table.attach(QUIET);
            assertThatThrownBy(() -> table.store().openTable(TableUnderTest.PATH, earlier))
                    .hasMessageContaining("TABLE_RECREATED: table");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void readersHoldTheHotTierForAWhile(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.writePlain(row(1, "a"));
            table.attach(QUIET);
            table.writeHot(row(2, "b"));
            try (HotTable hot = table.openHot()) {
                hot.acquireLease(lease("query", true));
                long start = System.nanoTime();
                table.detach(QUIET);
                assertThat(System.nanoTime() - start)
                        .isGreaterThan(TableUnderTest.READERS_TIMEOUT.toNanos());
            }
            assertThat(table.rows()).containsExactly("1=a", "2=b");
        }
    }

    @Test
    void aStreamHasTimeToReadUpToTheEnd() throws Exception {
        try (TableUnderTest table = TableUnderTest.log(directory, "paimon")) {
            table.attach(QUIET);
            table.writeHot(row(2, "b"));
            try (HotTable hot = table.openHot();
                    ChangelogReader ended = hot.readChangelog(tail());
                    ChangelogReader slow = hot.readChangelog(tail())) {
                long start = System.nanoTime();
                table.detach(
                        step -> {
                            if (step == AttachStep.TIERED) {
                                assertThat(rows(ended)).isEqualTo(1);
                                assertThatThrownBy(() -> rows(ended))
                                        .hasMessageContaining("has no more changes");
                            }
                        });
                assertThat(System.nanoTime() - start)
                        .isGreaterThan(TableUnderTest.READERS_TIMEOUT.toNanos());
                assertThatThrownBy(() -> rows(slow))
                        .hasMessageContaining("TABLE_DETACHING: table default.t has no hot tier");
            }
        }
    }

    private static ChangelogScan tail() {
        return new ChangelogScan(0, 0, ChangelogScan.UNBOUNDED, List.of("id"), null);
    }

    private static int rows(ChangelogReader reader) {
        try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
            return batch.rows().rowCount();
        }
    }

    @Test
    void streamsThatDoNotReadAreNotWaitedFor() throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, "paimon")) {
            Duration limit = Duration.ofMinutes(2);
            table.waitForReaders(limit);
            table.writePlain(row(1, "a"));
            table.attach(QUIET);
            try (HotTable hot = table.openHot()) {
                hot.acquireLease(lease("stream", false));
                long start = System.nanoTime();
                ChangelogReader ended = hot.readChangelog(tail());
                ended.close();
                table.detach(QUIET);
                assertThat(System.nanoTime() - start).isLessThan(limit.toNanos());
            }
            assertThat(table.rows()).containsExactly("1=a");
        }
    }

    private static LeaseRequest lease(String holder, boolean bounded) {
        return new LeaseRequest(holder, Map.of(0, 0L, 1, 0L), -1, 60_000, bounded);
    }

    @ParameterizedTest
    @ValueSource(strings = {"paimon", "iceberg"})
    void anEmptyTableIsAttached(String lake) throws Exception {
        try (TableUnderTest table = TableUnderTest.keyed(directory, lake)) {
            table.attach(QUIET);
            assertThat(table.rows()).isEmpty();
            table.writeHot(row(1, "a"));
            table.detach(QUIET);
            assertThat(table.rows()).containsExactly("1=a");
        }
    }

    private static void assertKilled(Runnable statement) {
        assertThatThrownBy(statement::run).isInstanceOf(Killed.class);
    }
}
