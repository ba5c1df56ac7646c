package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AbsorbedBatch;
import io.thermocline.hotstore.Absorption;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.TestStore.Logged;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.flink.types.RowKind;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of the lake come into the changelog, with a mark, beside what writers do. */
class AbsorptionTest {

    private static final UUID WRITER = UUID.randomUUID();
    private static final LakeMark MARK = new LakeMark(17, 3, 1_767_225_600_123L);

    @TempDir private Path directory;

    private static AppendResult absorb(
            TestStore store, Absorption absorption, LakeMark mark, Change... changes) {
        return absorption.append(new AbsorbedBatch(0, mark, store.batch(List.of(changes)))).join();
    }

    /** Marks of all records from an offset on, null where there is none. */
    private static List<LakeMark> marks(HotTable table, long from) {
        List<LakeMark> marks = new ArrayList<>();
        ChangelogScan scan =
                new ChangelogScan(0, from, TestStore.end(table, 0), List.of("id"), null);
        try (ChangelogReader reader = table.readChangelog(scan)) {
            while (!reader.isFinished()) {
                try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                    for (int i = 0; i < batch.rows().rowCount(); i++) {
                        marks.add(batch.mark());
                    }
                }
            }
        }
        return marks;
    }

    @Test
    void rowsOfTheLakeBecomeChangesOfTheTable() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.primaryKeyTable("t", 1, Map.of()));
            List<Change> rows =
                    List.of(Change.upsert(1, "a"), Change.upsert(2, "b"), Change.upsert(3, "c"));
            store.append(table, 0, WRITER, 0, rows).join();

            try (Absorption absorption = table.beginAbsorption(Map.of(0, 3L))) {
                assertThat(absorption.beganAt()).isEqualTo(Map.of(0, 3L));
                AppendResult result =
                        absorb(
                                store,
                                absorption,
                                MARK,
                                Change.upsert(1, "a"),
                                Change.upsert(2, "B"),
                                Change.delete(3),
                                Change.delete(4),
                                Change.upsert(5, "e"));
                assertThat(result.baseOffset()).isEqualTo(3);
                assertThat(result.endOffset()).isEqualTo(7);
            }

            assertThat(TestStore.changelog(table, 0, 3))
                    .containsExactly(
                            new Logged(3, RowKind.UPDATE_BEFORE, 2, "b"),
                            new Logged(4, RowKind.UPDATE_AFTER, 2, "B"),
                            new Logged(5, RowKind.DELETE, 3, "c"),
                            new Logged(6, RowKind.INSERT, 5, "e"));
            assertThat(marks(table, 2)).containsExactly(null, MARK, MARK, MARK, MARK);
            assertThat(TestStore.lookup(table, 0, 2)).contains("B");
            assertThat(TestStore.lookup(table, 0, 3)).isEmpty();
            assertThat(table.status().get(0).keyIndexRows()).isEqualTo(3);
        }
    }

    @Test
    void whatIsNotTieredYetWins() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.primaryKeyTable("t", 1, Map.of()));
            List<Change> tiered = new ArrayList<>();
            for (int id = 0; id < 6; id++) {
                tiered.add(Change.upsert(id, "old"));
            }
            store.append(table, 0, WRITER, 0, tiered).join();
            store.append(table, 0, WRITER, 1, List.of(Change.upsert(0, "hot"))).join();

            try (Absorption absorption = table.beginAbsorption(Map.of(0, 6L))) {
                List<Change> meanwhile =
                        List.of(
                                Change.upsert(1, "hot"),
                                Change.delete(2),
                                Change.upsert(7, "hot"),
                                // changes nothing, and so is no change
                                Change.upsert(3, "old"),
                                Change.delete(9));
                store.append(table, 0, WRITER, 2, meanwhile).join();
                absorb(
                        store,
                        absorption,
                        MARK,
                        Change.upsert(0, "lake"),
                        Change.delete(1),
                        Change.upsert(2, "lake"),
                        Change.upsert(3, "lake"),
                        Change.upsert(4, "lake"),
                        Change.upsert(7, "lake"),
                        Change.upsert(9, "lake"));
            }

            assertThat(TestStore.lookup(table, 0, 0)).contains("hot");
            assertThat(TestStore.lookup(table, 0, 1)).contains("hot");
            assertThat(TestStore.lookup(table, 0, 2)).isEmpty();
            assertThat(TestStore.lookup(table, 0, 3)).contains("lake");
            assertThat(TestStore.lookup(table, 0, 4)).contains("lake");
            assertThat(TestStore.lookup(table, 0, 5)).contains("old");
            assertThat(TestStore.lookup(table, 0, 7)).contains("hot");
            assertThat(TestStore.lookup(table, 0, 9)).contains("lake");
        }
    }

    @Test
    void whatWasTakenOverBeforeDoesNotWinAfterARestart() {
        HotTableSpec spec = TestStore.primaryKeyTable("t", 1, Map.of());
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(spec);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "old"))).join();
            try (Absorption absorption = table.beginAbsorption(Map.of(0, 1L))) {
                absorb(store, absorption, MARK, Change.upsert(1, "lake"), Change.upsert(2, "lake"));
                absorb(store, absorption, MARK, Change.upsert(2, "again"));
            }
            store.append(table, 0, WRITER, 1, List.of(Change.upsert(3, "hot"))).join();
            store.reopen();
            HotTable reopened = store.open(spec);

            LakeMark later = new LakeMark(18, 4, 1_767_225_600_123L);
            try (Absorption absorption = reopened.beginAbsorption(Map.of(0, 1L))) {
                absorb(
                        store,
                        absorption,
                        later,
                        Change.upsert(1, "later"),
                        Change.delete(2),
                        Change.delete(3));
            }

            assertThat(TestStore.lookup(reopened, 0, 1)).contains("later");
            assertThat(TestStore.lookup(reopened, 0, 2)).isEmpty();
            assertThat(TestStore.lookup(reopened, 0, 3)).contains("hot");
        }
    }

    @Test
    void marksStayWhenTheChangelogIsRewritten() throws Exception {
        HotTableSpec spec = TestStore.logTable("l", 1, Map.of());
        LakeMark second = new LakeMark(-5, 4, 1_767_225_600_123L);
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withJournalRoll(3000, Duration.ofHours(1))
                        .withMaintenanceInterval(Duration.ofMillis(20))
                        .withFiles(new FaultyFiles(), Clock.systemUTC());
        try (TestStore store = new TestStore(config)) {
            HotTable table = store.create(spec);
            List<LakeMark> expected = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                LakeMark mark = i % 4 == 0 ? MARK : i % 4 == 1 ? second : null;
                List<Change> rows = List.of(Change.upsert(i, "v"), Change.upsert(i, "w"));
                if (mark == null) {
                    store.append(table, 0, WRITER, i / 4 * 2 + i % 2, rows).join();
                } else {
                    try (Absorption absorption = table.beginAbsorption(Map.of(0, 0L))) {
                        absorb(store, absorption, mark, rows.toArray(Change[]::new));
                    }
                }
                expected.add(mark);
                expected.add(mark);
            }
            List<Logged> records = TestStore.changelog(table, 0, 0);
            Awaitility.await().untilAsserted(() -> assertThat(journalFiles()).isEqualTo(1));
            assertThat(segments(spec)).isPositive();

            assertThat(marks(table, 0)).isEqualTo(expected);
            assertThat(marks(table, 3)).isEqualTo(expected.subList(3, expected.size()));
            assertThat(TestStore.changelog(table, 0, 0)).isEqualTo(records);
            store.reopen();
            assertThat(marks(store.open(spec), 0)).isEqualTo(expected);
        }
    }

    private long segments(HotTableSpec spec) throws Exception {
        Path changelog =
                directory.resolve("tables").resolve(spec.tableId()).resolve("bucket-0/changelog");
        try (Stream<Path> files = Files.list(changelog)) {
            return files.filter(path -> path.toString().endsWith(".segment")).count();
        }
    }

    private long journalFiles() throws Exception {
        try (Stream<Path> files = Files.list(directory.resolve("journal"))) {
            return files.filter(path -> path.toString().endsWith(".journal")).count();
        }
    }

    @Test
    void nothingComesBehindRowsThatWereRefused() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.logTable("l", 1, Map.of()));
            try (Absorption absorption = table.beginAbsorption(Map.of(0, 0L))) {
                absorb(store, absorption, MARK, Change.upsert(1, "first"));
                assertThatThrownBy(() -> absorb(store, absorption, MARK, Change.delete(2)))
                        .hasMessageContaining("takes +I rows only");
                assertThatThrownBy(() -> absorb(store, absorption, MARK, Change.upsert(3, "late")))
                        .hasMessageContaining("rows before these could not be taken over");
            }
            assertThat(TestStore.changelog(table, 0, 0))
                    .containsExactly(new Logged(0, RowKind.INSERT, 1, "first"));
            try (Absorption again = table.beginAbsorption(Map.of(0, 0L))) {
                absorb(store, again, MARK, Change.upsert(3, "again"));
            }
            assertThat(TestStore.end(table, 0)).isEqualTo(2);
        }
    }

    @Test
    void oneIsUnderWayAtATimeAndNoneWhileATableDrains() {
        HotTableSpec draining =
                TestStore.logTable("l", 1, Map.of(HotTableSpec.ATTACHMENT_STATE, "draining"));
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(draining);
            try (Absorption absorption = table.beginAbsorption(Map.of(0, 0L))) {
                assertThatThrownBy(() -> table.beginAbsorption(Map.of(0, 0L)))
                        .isInstanceOf(HotStoreException.class)
                        .hasMessage(
                                "INVALID_ARGUMENT: rows of the lake table of db.l are being"
                                        + " taken over already");
                assertThatThrownBy(() -> absorb(store, absorption, MARK, Change.upsert(1, "lake")))
                        .cause()
                        .isInstanceOfSatisfying(
                                HotStoreException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_DETACHING));
            }
            table.beginAbsorption(Map.of(0, 0L)).close();
            assertThat(TestStore.end(table, 0)).isZero();
        }
    }
}
