package io.thermocline.unionread.tiering;

import static io.thermocline.unionread.tiering.TieredTable.delete;
import static io.thermocline.unionread.tiering.TieredTable.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.TieredState;
import io.thermocline.unionread.testing.TrimmedHotTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TieringRoundTest {

    @TempDir private Path directory;

    private static long sum(Map<Integer, Long> offsets) {
        return offsets.values().stream().mapToLong(offset -> offset).sum();
    }

    @Test
    void aLogTablesRowsGoToTheLakeOnce() {
        try (TieredTable table = new TieredTable(directory, false)) {
            table.append(row("a", 1), row("a", 2), row("a", 3), row("a", 1));

            TieringResult first = table.tier();
            table.append(row("b", 4));
            TieringResult second = table.tier();

            assertThat(first.rows()).isEqualTo(4);
            assertThat(first.files()).isPositive();
            assertThat(sum(first.tieredOffsets())).isEqualTo(4);
            assertThat(second.rows()).isEqualTo(1);
            assertThat(second.snapshotId()).isNotEqualTo(first.snapshotId());
            assertThat(table.lakeRows())
                    .containsExactlyInAnyOrder("1=a", "2=a", "3=a", "1=a", "4=b");
        }
    }

    @Test
    void oneNetChangePerKeyIsWritten() {
        try (TieredTable table = new TieredTable(directory, true)) {
            table.append(row("a", 1), row("b", 1), row("c", 1), row("a", 2), row("a", 3));
            TieringResult first = table.tier();
            table.append(
                    delete(2), row("d", 1), delete(3), row("again", 3), row("x", 5), delete(5));
            TieringResult second = table.tier();

            assertThat(first.rows()).isEqualTo(3);
            assertThat(second.rows()).isEqualTo(4);
            assertThat(table.lakeRows()).containsExactlyInAnyOrder("1=d", "3=again");
            assertThat(second.tieredOffsets())
                    .isEqualTo(table.state().offsets())
                    .isEqualTo(ends(table));
        }
    }

    private static Map<Integer, Long> ends(TieredTable table) {
        Map<Integer, Long> ends = new TreeMap<>();
        for (BucketStatus status : table.hot().status()) {
            ends.put(status.bucket(), status.readableEnd());
        }
        return ends;
    }

    @Test
    void theStoreLearnsTheTieredOffsets() {
        try (TieredTable table = new TieredTable(directory, true)) {
            table.append(row("a", 1), row("a", 2), row("a", 3));
            table.tier();

            assertThat(table.hot().status())
                    .allSatisfy(
                            status ->
                                    assertThat(status.tieredOffset())
                                            .isEqualTo(status.readableEnd()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theHighestCommitTimestampOfEachBucketIsKept(boolean hasPrimaryKey) {
        try (TieredTable table = new TieredTable(directory, hasPrimaryKey)) {
            long before = System.currentTimeMillis();
            table.append(row("a", 1), row("a", 2), row("a", 3), row("a", 4), row("a", 5));
            table.tier();
            TieredState first = table.state();
            table.append(row("b", 1));
            table.tier();
            TieredState second = table.state();

            assertThat(first.buckets().values())
                    .allSatisfy(
                            position ->
                                    assertThat(position.maxCommitTimestamp())
                                            .isBetween(before, System.currentTimeMillis() + 1000));
            List<Integer> moved = new ArrayList<>();
            second.buckets()
                    .forEach(
                            (bucket, position) -> {
                                if (!position.equals(first.buckets().get(bucket))) {
                                    moved.add(bucket);
                                    assertThat(position.maxCommitTimestamp())
                                            .isGreaterThan(
                                                    first.buckets()
                                                            .get(bucket)
                                                            .maxCommitTimestamp());
                                }
                            });
            assertThat(moved).hasSize(1);
        }
    }

    @Test
    void aRoundTellsWhatItWrote() {
        try (TieredTable table = new TieredTable(directory, true)) {
            long before = System.currentTimeMillis();
            table.append(row("a", 1), row("a", 2));
            table.append(row("b", 1));
            Map<Integer, Long> ends = table.hot().offsets(new OffsetQuery.Latest()).offsets();

            TieringResult result = table.tier();

            assertThat(result.committed()).isTrue();
            assertThat(result.previousOffsets()).isEqualTo(Map.of(0, 0L, 1, 0L));
            assertThat(result.tieredOffsets()).isEqualTo(ends);
            assertThat(result.rows()).isEqualTo(2);
            assertThat(result.bytes()).isGreaterThan(result.files());
            assertThat(result.freshnessMillis()).isBetween(0L, System.currentTimeMillis() - before);
            assertThat(result.foreignCommits()).isZero();
            assertThat(table.tier().committed()).isFalse();
        }
    }

    @Test
    void nothingToTierGivesThePresentSnapshot() {
        try (TieredTable table = new TieredTable(directory, true)) {
            TieringResult empty = table.tier();
            table.append(row("a", 1));
            TieringResult first = table.tier();
            TieringResult again = table.tier();

            assertThat(empty).isEqualTo(TieringResult.nothing(1, Map.of(0, 0L, 1, 0L)));
            assertThat(again)
                    .isEqualTo(TieringResult.nothing(first.snapshotId(), first.tieredOffsets()));
        }
    }

    @ParameterizedTest
    @EnumSource(CrashingLakeTable.Crash.class)
    void theNextRoundContinuesAfterACrash(CrashingLakeTable.Crash crash) {
        try (TieredTable table = new TieredTable(directory, false)) {
            table.append(row("a", 1), row("a", 2), row("a", 3));

            assertThatThrownBy(() -> table.tier(new CrashingLakeTable(table.lake(), crash)))
                    .hasMessage("crash " + crash);
            table.closeStore();
            table.openStore("hot");
            table.append(row("b", 4));
            TieringResult next = table.tier();

            assertThat(next.rows()).isEqualTo(crash.isCommitted() ? 1 : 4);
            assertThat(table.lakeRows()).containsExactlyInAnyOrder("1=a", "2=a", "3=a", "4=b");
            assertThat(table.hot().status())
                    .allSatisfy(s -> assertThat(s.tieredOffset()).isEqualTo(s.readableEnd()));
        }
    }

    @Test
    void twoRoundsAtOnceTierEveryRowOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (TieredTable table = new TieredTable(directory, false)) {
            int conflicts = 0;
            for (int turn = 0; turn < 4; turn++) {
                table.append(row("turn " + turn, 1), row("turn " + turn, 2));
                CyclicBarrier start = new CyclicBarrier(2);
                List<Future<Boolean>> outcomes = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    outcomes.add(threads.submit(() -> tierAfter(start, table)));
                }
                for (Future<Boolean> outcome : outcomes) {
                    conflicts += outcome.get() ? 0 : 1;
                }
            }

            assertThat(conflicts).isLessThanOrEqualTo(4);
            assertThat(table.lakeRows()).hasSize(8).doesNotHaveDuplicates();
            assertThat(table.state().offsets()).isEqualTo(ends(table));
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean tierAfter(CyclicBarrier start, TieredTable table) throws Exception {
        start.await();
        try {
            table.tier();
            return true;
        } catch (LakeException e) {
            assertThat(e.reason()).isEqualTo(Reason.COMMIT_CONFLICT);
            return false;
        }
    }

    @Test
    void aLostHotStoreIsAnError() {
        try (TieredTable table = new TieredTable(directory, true)) {
            table.append(row("a", 1), row("a", 2), row("a", 3), row("a", 4));
            table.tier();
            TieredState state = table.state();
            table.closeStore();
            table.openStore("another disk");

            assertThatThrownBy(table::tier)
                    .isInstanceOfSatisfying(
                            HotStoreException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.TIERED_OFFSET_AHEAD))
                    .hasMessageContaining("bucket 0 of table default.t")
                    .hasMessageContaining("up to offset " + state.offsets().get(0))
                    .hasMessageContaining("the changelog ends at 0")
                    .hasMessageContaining("Restore the hot store's directory");
            assertThat(table.state()).isEqualTo(state);
        }
    }

    @Test
    void aLakeRolledBackBelowTheChangelogIsAnError() {
        try (TieredTable table = new TieredTable(directory, true)) {
            table.append(row("a", 1), row("a", 2), row("a", 3), row("a", 4));
            table.tier();
            TrimmedHotTable trimmed = new TrimmedHotTable(table.hot(), Map.of(0, 7L, 1, 0L));

            assertThatThrownBy(() -> new TieringRound(trimmed, table.lake(), directory).run())
                    .isInstanceOfSatisfying(
                            HotStoreException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE))
                    .hasMessageContaining("the changelog begins at 7")
                    .hasMessageContaining("rolled back to an older snapshot");
        }
    }

    @Test
    void aTableCreatedAgainIsNotTieredInto() throws Exception {
        try (TieredTable table = new TieredTable(directory, false)) {
            table.append(row("old", 1));
            LakeTable old = table.lake();
            table.catalog().flinkCatalog().dropTable(TieredTable.PATH, false);
            table.createLakeTable();

            assertThatThrownBy(() -> table.tier(old)).hasMessageContaining("created again");
            assertThatThrownBy(table::tier)
                    .isInstanceOfSatisfying(
                            HotStoreException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_RECREATED))
                    .hasMessageContaining(table.hot().spec().tableId());
            assertThat(table.lakeRows()).isEmpty();
        }
    }

    @Test
    void anInterruptedRoundCommitsNothing() {
        try (TieredTable table = new TieredTable(directory, true)) {
            table.append(row("a", 1));
            Thread.currentThread().interrupt();

            assertThatThrownBy(table::tier).isInstanceOf(RuntimeException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(sum(table.state().offsets())).isZero();
            table.tier();
            assertThat(table.lakeRows()).containsExactly("1=a");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theLakeAgreesWithAModelAfterEveryRound(long seed) {
        Random random = new Random(seed);
        Map<Long, String> model = new TreeMap<>();
        try (TieredTable table = new TieredTable(directory, true)) {
            for (int round = 0; round < 5; round++) {
                for (int batch = random.nextInt(4); batch >= 0; batch--) {
                    RowData[] rows = new RowData[1 + random.nextInt(20)];
                    for (int i = 0; i < rows.length; i++) {
                        long id = random.nextInt(30);
                        boolean deleted = random.nextInt(3) == 0;
                        String value = round + "/" + batch + "/" + i;
                        rows[i] = deleted ? delete(id) : row(value, id);
                        model.compute(id, (key, old) -> deleted ? null : value);
                    }
                    table.append(rows);
                }
                if (random.nextInt(3) == 0) {
                    table.closeStore();
                    table.openStore("hot");
                }
                table.tier();
                assertThat(table.lakeRows())
                        .as("seed %d, round %d", seed, round)
                        .containsExactlyInAnyOrderElementsOf(
                                model.entrySet().stream().map(Object::toString).toList());
            }
        }
    }
}
