package io.thermocline.lake.paimon;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.conformance.LakeCommitSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import io.thermocline.lake.conformance.TestTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The conformance suite on tables whose keys Paimon's index places, and many rounds on one. */
class DynamicBucketsCommitTest extends LakeCommitSuite {

    private static final boolean FULL = Boolean.getBoolean("thermocline.test.full");
    private static final int ROUNDS = FULL ? 40 : 12;
    private static final int KEYS = 60;
    private static final int PARTITIONS = 2;

    private PaimonUnderTest paimon;

    @Override
    protected LakeUnderTest open(Path warehouse) {
        paimon = new PaimonUnderTest(warehouse);
        return paimon;
    }

    @Override
    protected LakeTable create(TestTable table, List<String> bucketKeys, int buckets) {
        return DynamicBucketTable.create(catalog, PATH, table);
    }

    @Override
    protected int hotBuckets(int created) {
        return 1;
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, FULL ? 4 : 1);
    }

    /** Rounds of tiering, commits of others, compactions and expiries take turns. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyKeyStaysInItsBucket(long seed) {
        Random random = new Random(seed);
        Map<Integer, Integer> model = new TreeMap<>();
        LakeTable table =
                create(
                        new TestTable()
                                .column("p", DataTypes.INT().notNull())
                                .column("id", DataTypes.INT().notNull())
                                .column("v", DataTypes.INT())
                                .primaryKey("p", "id")
                                .partitionedBy("p"),
                        List.of(),
                        1);
        for (int round = 0; round < ROUNDS; round++) {
            switch (random.nextInt(6)) {
                case 0 -> lake.compactByOthers(PATH);
                case 1 -> table.maintain(new LakeMaintenance(0, Set.of()));
                case 2 -> lake.changeByOthers(PATH, changes(model, random, -round));
                default -> tierKnowing(table, changes(model, random, round));
            }
            if (random.nextInt(5) == 0) {
                table = catalog.table(PATH);
            }
            assertThat(readAll(table))
                    .as("seed %d round %d", seed, round)
                    .containsExactlyInAnyOrderElementsOf(rows(model));
            if (!model.isEmpty()) {
                DynamicBucketTable.checkIndex(paimon.table(PATH));
            }
        }
        assertThat(paimon.table(PATH).newSnapshotReader().bucketEntries())
                .hasSizeGreaterThan(2 * PARTITIONS);
    }

    /** A round that knows of every commit of others. */
    private void tierKnowing(LakeTable table, List<RowData> rows) {
        LakeSnapshot newest = table.latestSnapshot().orElseThrow();
        long tiered = table.latestTieredSnapshot().orElseThrow().snapshotId();
        Set<Long> known =
                table.foreignCommits(tiered, newest.snapshotId()).stream()
                        .map(ForeignCommit::snapshotId)
                        .collect(Collectors.toCollection(HashSet::new));
        Written written = write(table, rows);
        TieredState expected = state(table);
        table.commit(
                new LakeCommit(
                        expected, next(expected, written.counts()), written.committables(), known));
    }

    private static List<RowData> changes(Map<Integer, Integer> model, Random random, int value) {
        List<RowData> rows = new ArrayList<>();
        for (int id : random.ints(1 + random.nextInt(15), 0, KEYS).distinct().toArray()) {
            boolean deletes = random.nextInt(4) == 0;
            rows.add(
                    GenericRowData.ofKind(
                            deletes ? RowKind.DELETE : RowKind.INSERT, id % PARTITIONS, id, value));
            if (deletes) {
                model.remove(id);
            } else {
                model.put(id, value);
            }
        }
        return rows;
    }

    private static List<List<String>> rows(Map<Integer, Integer> model) {
        List<List<String>> rows = new ArrayList<>();
        model.forEach((id, v) -> rows.add(List.of("" + id % PARTITIONS, "" + id, "" + v)));
        return rows;
    }
}
