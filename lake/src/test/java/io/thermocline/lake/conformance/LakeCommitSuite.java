package io.thermocline.lake.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeDifference;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeWriter;
import io.thermocline.lake.TieredState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

/** Writing, the conditional commit, and what others do to the table in between. */
public abstract class LakeCommitSuite extends LakeSuite {

    private static final int BUCKETS = 2;

    private static TestTable schema() {
        return new TestTable()
                .column("id", DataTypes.BIGINT().notNull())
                .column("v", DataTypes.STRING());
    }

    private LakeTable primaryKeyTable() {
        return create(schema().primaryKey("id"), List.of("id"), BUCKETS);
    }

    private LakeTable logTable() {
        return create(schema(), List.of("id"), BUCKETS);
    }

    private static RowData row(long id, String value) {
        return GenericRowData.of(id, StringData.fromString(value));
    }

    private static RowData delete(long id, String value) {
        return GenericRowData.ofKind(RowKind.DELETE, id, StringData.fromString(value));
    }

    private static List<RowData> rows(long from, long to, String value) {
        return LongStream.range(from, to).mapToObj(id -> row(id, value)).toList();
    }

    private static long total(LakeTable table) {
        return state(table).offsets().values().stream().mapToLong(offset -> offset).sum();
    }

    @Test
    void aCommitIsReadBackWithItsState() {
        LakeTable table = primaryKeyTable();
        TieredState before = state(table);

        LakeSnapshot snapshot = tier(table, rows(0, 10, "a"));

        assertThat(snapshot.hasData()).isTrue();
        assertThat(snapshot.tieredState()).isNotEqualTo(before);
        assertThat(table.latestSnapshot()).contains(snapshot);
        assertThat(total(table)).isEqualTo(10);
        assertThat(snapshot.commitMillis())
                .isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
    }

    @Test
    void upsertsReplaceAndDeletesRemove() {
        LakeTable table = primaryKeyTable();
        tier(table, rows(0, 6, "a"));
        List<RowData> changes = new ArrayList<>();
        RowData update = row(1, "b");
        update.setRowKind(RowKind.UPDATE_AFTER);
        changes.add(update);
        changes.add(row(2, "b"));
        changes.add(delete(3, "a"));
        changes.add(delete(77, "never written"));

        tier(table, changes);
        tier(table, List.of(row(3, "again"), delete(4, "a")));

        assertThat(readAll(table))
                .containsExactlyInAnyOrder(
                        List.of("0", "a"),
                        List.of("1", "b"),
                        List.of("2", "b"),
                        List.of("3", "again"),
                        List.of("5", "a"));
    }

    @Test
    void newKeysAreWrittenWithoutReplacing() {
        LakeTable table = primaryKeyTable();
        writeNew(table, rows(0, 10, "a"));
        tier(table, List.of(row(3, "b"), delete(4, "a")));
        writeNew(table, List.of(row(4, "again"), row(10, "new")));

        assertThat(readAll(table))
                .hasSize(11)
                .contains(
                        List.of("3", "b"),
                        List.of("4", "again"),
                        List.of("9", "a"),
                        List.of("10", "new"));
    }

    private void writeNew(LakeTable table, List<RowData> rows) {
        TieredState expected = state(table);
        try (LakeWriter writer = table.newWriter(temporary.toString())) {
            rows.forEach(row -> writer.writeNew(bucketOf(table, row), row));
            table.commit(
                    new LakeCommit(
                            expected, next(expected, Map.of(0, rows.size())), writer.finish()));
        }
    }

    @Test
    void aLogTableTakesInsertsOnly() {
        LakeTable table = logTable();
        try (LakeWriter writer = table.newWriter(temporary.toString())) {
            assertThatThrownBy(() -> writer.write(0, delete(1, "a")))
                    .hasMessageContaining("kind DELETE cannot be written to log table default.t");
        }
    }

    @Test
    void anEmptyCommitMovesTheOffsets() {
        int last = hotBuckets(BUCKETS) - 1;
        LakeTable table = primaryKeyTable();
        TieredState expected = state(table);

        LakeSnapshot snapshot =
                table.commit(new LakeCommit(expected, next(expected, Map.of(last, 5)), List.of()));

        assertThat(snapshot.hasData()).isFalse();
        assertThat(snapshot.tieredState().offsets())
                .hasSize(last + 1)
                .containsEntry(last, 5L)
                .containsValues(last == 0 ? 5L : 0L);
        assertThat(state(table)).isEqualTo(snapshot.tieredState());
        assertThat(readAll(table)).isEmpty();
    }

    @Test
    void committablesTellTheirFilesAndBytes() {
        LakeTable table = primaryKeyTable();

        Written written = write(table, rows(0, 10, "a"));

        assertThat(written.committables()).isNotEmpty();
        assertThat(written.committables())
                .allSatisfy(
                        committable -> {
                            assertThat(committable.files()).isPositive();
                            assertThat(committable.bytes()).isGreaterThan(committable.files());
                        });
    }

    @Test
    void commitsOfOthersThatChangeRowsAreFound() {
        LakeTable table = primaryKeyTable();
        LakeSnapshot first = tier(table, rows(0, 10, "a"));
        LakeSnapshot second = tier(table, rows(10, 20, "a"));
        lake.commitNothingByOthers(PATH);
        lake.changeByOthers(PATH, List.of(row(3, "other"), row(1000, "other")));
        long appended = newest(table);
        lake.compactByOthers(PATH);
        lake.changeByOthers(PATH, List.of(delete(4, "a")));
        long deleted = newest(table);

        List<ForeignCommit> found = table.foreignCommits(second.snapshotId(), newest(table));
        assertThat(found).extracting(ForeignCommit::snapshotId).containsExactly(appended, deleted);
        assertThat(found.get(0).sequence()).isLessThan(found.get(1).sequence());
        assertThat(found).allSatisfy(commit -> assertThat(commit.change()).contains("added"));

        LakeSnapshot third = tier(table, rows(20, 30, "a"));
        assertThat(table.foreignCommits(first.snapshotId(), second.snapshotId())).isEmpty();
        assertThat(table.foreignCommits(second.snapshotId(), third.snapshotId())).isEqualTo(found);
        assertThat(table.foreignCommits(first.snapshotId(), third.snapshotId())).isEqualTo(found);
        assertThat(table.foreignCommits(third.snapshotId(), third.snapshotId())).isEmpty();
        assertThatThrownBy(() -> table.foreignCommits(third.snapshotId(), second.snapshotId()))
                .hasMessageContaining(
                        "snapshot " + second.snapshotId() + " is older than snapshot");
    }

    private static long newest(LakeTable table) {
        return table.latestSnapshot().orElseThrow().snapshotId();
    }

    @Test
    void aCommitIsRefusedByAForeignOneThatItDoesNotKnow() {
        LakeTable table = primaryKeyTable();
        LakeSnapshot before = tier(table, rows(0, 10, "a"));
        TieredState expected = before.tieredState();
        lake.changeByOthers(PATH, List.of(row(1, "known")));
        Set<Long> known = Set.of(newest(table));
        lake.compactByOthers(PATH);
        long files = lake.dataFiles(PATH);
        Written written = write(table, rows(10, 15, "b"));
        TieredState next = next(expected, written.counts());

        assertThatThrownBy(
                        () ->
                                table.commit(
                                        new LakeCommit(
                                                expected, next, written.committables(), Set.of())))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.FOREIGN_COMMIT))
                .hasMessageContaining("lake table default.t: another program has changed its rows")
                .hasMessageContaining("snapshot " + known.iterator().next());
        assertThat(lake.dataFiles(PATH)).isEqualTo(files);
        assertThat(state(table)).isEqualTo(expected);

        Written again = write(table, rows(10, 15, "b"));
        table.commit(new LakeCommit(expected, next, again.committables(), known));
        assertThat(state(table)).isEqualTo(next);
        assertThat(readAll(table)).hasSize(15).contains(List.of("1", "known"));
    }

    @Test
    void aDifferenceHasEveryRowThatOthersChanged() {
        LakeTable table = primaryKeyTable();
        tier(table, rows(0, 40, "a"));
        LakeSnapshot before = tier(table, rows(40, 50, "a"));
        lake.compactByOthers(PATH);
        lake.changeByOthers(PATH, List.of(row(3, "other"), row(1000, "other")));
        lake.changeByOthers(PATH, List.of(delete(4, "a"), row(3, "later")));
        LakeSnapshot after = table.latestSnapshot().orElseThrow();

        LakeDifference difference = table.difference(before.snapshotId(), after.snapshotId());
        Set<List<String>> gone = rowsOf(table, before.snapshotId(), difference.before());
        Set<List<String>> come = rowsOf(table, after.snapshotId(), difference.after());
        Set<List<String>> same = new HashSet<>(gone);
        same.retainAll(come);
        gone.removeAll(same);
        come.removeAll(same);
        assertThat(gone).containsExactlyInAnyOrder(List.of("3", "a"), List.of("4", "a"));
        assertThat(come).containsExactlyInAnyOrder(List.of("3", "later"), List.of("1000", "other"));

        LakeDifference none = table.difference(after.snapshotId(), after.snapshotId());
        assertThat(none.before()).isEmpty();
        assertThat(none.after()).isEmpty();
        assertThatThrownBy(() -> table.difference(4711, after.snapshotId()))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.SNAPSHOT_NOT_FOUND));
    }

    private static Set<List<String>> rowsOf(
            LakeTable table, long snapshotId, List<LakeSplit> splits) {
        LakeScan scan = new LakeScan(snapshotId, List.of("id", "v"), null);
        Set<List<String>> rows = new HashSet<>();
        splits.forEach(
                split ->
                        rows.addAll(
                                readSplit(
                                        table,
                                        split,
                                        scan,
                                        projectedType(table, scan.projection()))));
        return rows;
    }

    @Test
    void whatAForeignCommitAppendedIsReadAlways() {
        LakeTable table = logTable();
        LakeSnapshot before = tier(table, rows(0, 10, "a"));
        lake.appendByOthers(PATH, rows(100, 120, "other"));
        lake.appendByOthers(PATH, rows(200, 203, "other"));
        List<ForeignCommit> commits = table.foreignCommits(before.snapshotId(), newest(table));
        List<List<List<String>>> read =
                commits.stream().map(commit -> appended(table, commit)).toList();

        assertThat(read.get(0))
                .hasSize(20)
                .doesNotHaveDuplicates()
                .contains(List.of("119", "other"));
        assertThat(read.get(1))
                .containsExactlyInAnyOrder(
                        List.of("200", "other"), List.of("201", "other"), List.of("202", "other"));
        // later commits and compaction leave it as it is, and its order too
        lake.compactByOthers(PATH);
        tier(table, rows(10, 20, "a"));
        assertThat(commits.stream().map(commit -> appended(table, commit)).toList())
                .isEqualTo(read);
    }

    private static List<List<String>> appended(LakeTable table, ForeignCommit commit) {
        LakeScan scan = new LakeScan(commit.snapshotId(), List.of("id", "v"), null);
        List<List<String>> rows = new ArrayList<>();
        for (LakeSplit split : table.appended(commit).orElseThrow()) {
            rows.addAll(readSplit(table, split, scan, projectedType(table, scan.projection())));
        }
        return rows;
    }

    @Test
    void theSnapshotsOfTieringAreListed() {
        LakeTable table = logTable();
        LakeSnapshot created = table.latestTieredSnapshot().orElseThrow();
        LakeSnapshot first = tier(table, rows(0, 10, "a"));
        lake.appendByOthers(PATH, rows(1000, 1001, "other"));
        LakeSnapshot second = tier(table, rows(10, 20, "a"));

        assertThat(table.tieredSnapshots()).containsExactly(created, first, second);
    }

    @Test
    void aStaleCommitConflictsAndItsFilesAreDeleted() {
        LakeTable table = logTable();
        TieredState stale = state(table);
        tier(table, rows(0, 10, "a"));
        long files = lake.dataFiles(PATH);
        Written written = write(table, rows(0, 10, "again"));
        assertThat(lake.dataFiles(PATH)).isGreaterThan(files);

        LakeCommit commit =
                new LakeCommit(stale, next(stale, written.counts()), written.committables());
        assertThatThrownBy(() -> table.commit(commit))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.COMMIT_CONFLICT))
                .hasMessageContaining("default.t");

        assertThat(lake.dataFiles(PATH)).isEqualTo(files);
        assertThat(readAll(table)).hasSize(10);
        assertThat(total(table)).isEqualTo(10);
    }

    @Test
    void ofTwoTierersThatRaceOneCommits() throws Exception {
        LakeTable table = logTable();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (LakeCatalog other = lake.openCatalog()) {
            LakeTable otherTable = other.table(PATH);
            for (int round = 1; round <= 5; round++) {
                TieredState expected = state(table);
                CyclicBarrier start = new CyclicBarrier(2);
                List<Future<Boolean>> outcomes = new ArrayList<>();
                for (LakeTable racer : List.of(table, otherTable)) {
                    Written written = write(racer, rows(0, 4, "round " + round));
                    LakeCommit commit =
                            new LakeCommit(
                                    expected,
                                    next(expected, written.counts()),
                                    written.committables());
                    outcomes.add(threads.submit(() -> commitAfter(start, racer, commit)));
                }
                assertThat(List.of(outcomes.get(0).get(), outcomes.get(1).get()))
                        .containsExactlyInAnyOrder(true, false);
                assertThat(total(table)).isEqualTo(4L * round);
                assertThat(readAll(table)).hasSize(4 * round);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean commitAfter(CyclicBarrier start, LakeTable table, LakeCommit commit)
            throws Exception {
        start.await();
        try {
            table.commit(commit);
            return true;
        } catch (LakeException e) {
            assertThat(e.reason()).isEqualTo(Reason.COMMIT_CONFLICT);
            return false;
        }
    }

    @Test
    void tieringAndOtherWritersTogetherLoseNothing() throws Exception {
        LakeTable table = logTable();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<?> others =
                    threads.submit(
                            () -> {
                                for (int i = 0; i < 5; i++) {
                                    lake.appendByOthers(PATH, rows(1000 + i, 1001 + i, "other"));
                                }
                            });
            for (int round = 0; round < 5; round++) {
                tier(table, rows(round * 10L, round * 10L + 10, "ours"));
            }
            others.get();
        } finally {
            threads.shutdownNow();
        }

        assertThat(readAll(table)).hasSize(55).doesNotHaveDuplicates();
        assertThat(total(table)).isEqualTo(50);
    }

    @Test
    void aZombieCannotCommitIntoATableCreatedAgain() throws Exception {
        LakeTable zombie = create(schema().tableId("first"), List.of("id"), BUCKETS);
        TieredState expected = state(zombie);
        Written written = write(zombie, rows(0, 10, "zombie"));
        catalog.flinkCatalog().dropTable(PATH, false);
        LakeTable table = create(schema().tableId("second"), List.of("id"), BUCKETS);

        LakeCommit commit =
                new LakeCommit(expected, next(expected, written.counts()), written.committables());
        assertThatThrownBy(() -> zombie.commit(commit)).hasMessageStartingWith("COMMIT_CONFLICT: ");

        assertThat(readAll(table)).isEmpty();
        assertThat(state(table)).isEqualTo(TieredState.initialOfLog("second", BUCKETS));
        tier(table, rows(0, 3, "b"));
        assertThat(readAll(table)).hasSize(3);
    }

    @Test
    void aZombieCannotCommitIntoADroppedTable() throws Exception {
        LakeTable zombie = primaryKeyTable();
        TieredState expected = state(zombie);
        Written written = write(zombie, rows(0, 10, "zombie"));
        catalog.flinkCatalog().dropTable(PATH, false);

        LakeCommit commit =
                new LakeCommit(expected, next(expected, written.counts()), written.committables());
        assertThatThrownBy(() -> zombie.commit(commit))
                .hasMessageStartingWith("COMMIT_CONFLICT: ")
                .hasMessageContaining("no tiered state");
        assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
    }

    @Test
    void aCrashBetweenFilesAndCommitLeavesNoTrace() {
        LakeTable table = logTable();
        tier(table, rows(0, 5, "a"));
        write(table, rows(5, 10, "b"));

        assertThat(readAll(table)).hasSize(5);
        assertThat(total(table)).isEqualTo(5);
        tier(catalog.table(PATH), rows(5, 10, "b"));
        assertThat(readAll(table)).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void anUnfinishedWriterDeletesItsFiles() {
        LakeTable table = logTable();
        try (LakeWriter writer = table.newWriter(temporary.toString())) {
            for (RowData row : rows(0, 1000, "a")) {
                writer.write(bucketOf(table, row), row);
            }
        }
        assertThat(lake.dataFiles(PATH)).isZero();
    }

    @Test
    void compactionByOthersIsWalkedOver() {
        LakeTable table = primaryKeyTable();
        tier(table, rows(0, 10, "a"));
        LakeSnapshot ours = tier(table, rows(5, 15, "b"));

        lake.compactByOthers(PATH);

        LakeSnapshot latest = table.latestSnapshot().orElseThrow();
        assertThat(latest.snapshotId()).isNotEqualTo(ours.snapshotId());
        assertThat(latest.tieredState()).isEqualTo(ours.tieredState());
        tier(table, rows(0, 5, "c"));
        assertThat(readAll(table)).hasSize(15).contains(List.of("0", "c"), List.of("9", "b"));
    }

    @Test
    void appendsByOthersAreWalkedOver() {
        LakeTable table = logTable();
        LakeSnapshot ours = tier(table, rows(0, 10, "a"));

        lake.appendByOthers(PATH, rows(100, 103, "other"));
        lake.appendByOthers(PATH, rows(103, 105, "other"));

        assertThat(table.latestSnapshot().orElseThrow().tieredState())
                .isEqualTo(ours.tieredState());
        tier(table, rows(10, 20, "b"));
        assertThat(readAll(table)).hasSize(25);
        assertThat(total(table)).isEqualTo(20);
    }

    @Test
    void expiryByOthersCannotTakeTheOffsets() {
        LakeTable table = logTable();
        LakeSnapshot ours = tier(table, rows(0, 10, "a"));
        table.maintain(new LakeMaintenance(0, Set.of()));
        for (int i = 0; i < 4; i++) {
            lake.appendByOthers(PATH, rows(100 + i, 101 + i, "other"));
        }

        lake.expireByOthers(PATH);

        assertThat(lake.snapshotIds(PATH)).first().isEqualTo(ours.snapshotId());
        assertThat(state(table)).isEqualTo(ours.tieredState());
        tier(table, rows(10, 12, "b"));
        assertThat(readAll(table)).hasSize(16);
    }

    // Maintenance

    @Test
    void maintenanceCompactsAndKeepsRowsAndState() {
        LakeTable table = primaryKeyTable();
        for (int round = 0; round < 6; round++) {
            // each leaves a row that no later one replaces
            tier(table, rows(round, 20 + round, "round " + round));
        }
        tier(table, List.of(delete(3, "round 3")));
        TieredState state = state(table);
        List<List<String>> rows = readAll(table);

        table.maintain(new LakeMaintenance(60_000, Set.of()));

        assertThat(table.latestSnapshot().orElseThrow().snapshotId())
                .isNotEqualTo(table.latestTieredSnapshot().orElseThrow().snapshotId());
        assertThat(state(table)).isEqualTo(state);
        assertThat(readAll(table)).containsExactlyInAnyOrderElementsOf(rows).hasSize(24);
        tier(table, List.of(row(3, "back")));
        assertThat(readAll(table)).hasSize(25).contains(List.of("3", "back"));
    }

    @Test
    void maintenanceOfALogTableMakesFewerFiles() {
        LakeTable table = logTable();
        for (int round = 0; round < 6; round++) {
            tier(table, rows(round * 10L, round * 10L + 10, "a"));
        }
        long before = lake.dataFiles(PATH);
        List<List<String>> rows = readAll(table);

        table.maintain(new LakeMaintenance(0, Set.of()));
        tier(table, rows(60, 61, "a"));
        table.maintain(new LakeMaintenance(0, Set.of()));

        assertThat(lake.dataFiles(PATH)).isLessThan(before);
        assertThat(readAll(table)).hasSize(61).containsAll(rows);
    }

    @Test
    void maintenanceKeepsYoungAndLeasedSnapshots() {
        LakeTable table = logTable();
        tier(table, rows(0, 1, "a"));
        LakeSnapshot leased = tier(table, rows(1, 2, "a"));
        tier(table, rows(2, 3, "a"));
        LakeSnapshot last = tier(table, rows(3, 4, "a"));
        List<Long> all = lake.snapshotIds(PATH);

        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        assertThat(lake.snapshotIds(PATH)).isEqualTo(all);
        lake.expireByOthers(PATH);
        assertThat(lake.snapshotIds(PATH)).isEqualTo(all);

        table.maintain(new LakeMaintenance(0, Set.of(leased.snapshotId())));
        assertThat(lake.snapshotIds(PATH)).first().isEqualTo(leased.snapshotId());
        assertThat(read(table, new LakeScan(leased.snapshotId(), List.of("id"), null))).hasSize(2);

        table.maintain(new LakeMaintenance(0, Set.of()));
        assertThat(lake.snapshotIds(PATH)).containsExactly(last.snapshotId());
        assertThat(state(table)).isEqualTo(last.tieredState());
    }

    @Test
    void maintenanceOfALogTableWithoutBucketKey() {
        LakeTable table = create(schema(), List.of(), BUCKETS);
        for (int round = 0; round < 6; round++) {
            tier(table, rows(round * 10L, round * 10L + 10, "a"));
        }
        TieredState state = state(table);

        table.maintain(new LakeMaintenance(0, Set.of()));

        assertThat(readAll(table)).hasSize(60).doesNotHaveDuplicates();
        assertThat(state(table)).isEqualTo(state);
    }
}
