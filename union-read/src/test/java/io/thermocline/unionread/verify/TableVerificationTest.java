package io.thermocline.unionread.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import io.thermocline.hotstore.local.keyindex.KeyIndexMemory;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeCommittable;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeWriter;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.unionread.testing.TestWarehouse;
import io.thermocline.unionread.testing.TrimmedHotTable;
import io.thermocline.unionread.testing.WarehouseTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableVerificationTest {

    @TempDir private Path directory;

    private TestWarehouse warehouse;

    @BeforeEach
    void open() throws Exception {
        warehouse = TestWarehouse.in(directory);
    }

    @AfterEach
    void close() {
        warehouse.close();
    }

    private static TestTable columns() {
        return new TestTable()
                .column("id", DataTypes.BIGINT().notNull())
                .column("v", DataTypes.STRING())
                // so that a test can find a value in a file
                .option("file.format", "parquet")
                .option("file.compression", "uncompressed")
                .option("parquet.enable.dictionary", "false");
    }

    private WarehouseTable primaryKeyTable(int buckets) {
        return warehouse.createTable("t", columns().primaryKey("id"), List.of("id"), buckets);
    }

    private WarehouseTable logTable(List<String> bucketKeys, int buckets) {
        return warehouse.createTable("l", columns(), bucketKeys, buckets);
    }

    private static RowData row(long id, String value) {
        return GenericRowData.of(id, StringData.fromString(value));
    }

    private static RowData delete(long id) {
        return GenericRowData.ofKind(RowKind.DELETE, id, null);
    }

    private static List<Comparison> verify(WarehouseTable table) {
        try (HotTable hot = table.openHot()) {
            List<Comparison> comparisons = new TableVerification(table.logical(), hot).run();
            assertThat(hot.status()).extracting(BucketStatus::leases).containsOnly(0);
            return comparisons;
        }
    }

    private static List<String> differences(List<Comparison> comparisons) {
        return comparisons.stream().flatMap(c -> c.differences().stream()).toList();
    }

    @Test
    void anEmptyTableAgreesInEveryBucket() {
        assertThat(verify(primaryKeyTable(2)))
                .extracting(Comparison::bucket, Comparison::targetRows, Comparison::agrees)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(0, 0L, true),
                        org.assertj.core.groups.Tuple.tuple(1, 0L, true));
    }

    @Test
    void lakeAndTailLeadToTheKeyIndex() {
        WarehouseTable table = primaryKeyTable(1);
        table.write(row(1, "a"), row(2, "b"), row(3, "c"));
        table.tier();
        table.write(row(1, "A"), delete(2), row(4, "d"), row(5, "e"));

        Comparison found = verify(table).get(0);

        assertThat(found.agrees()).isTrue();
        assertThat(found.base()).isEqualTo(2);
        assertThat(found.changes()).isEqualTo(new Comparison.Offsets(3, 8));
        assertThat(found.baseRows()).isEqualTo(3);
        assertThat(found.changedRows()).isEqualTo(1);
        assertThat(found.target()).isEqualTo("key index");
        assertThat(found.targetRows()).isEqualTo(4);
        assertThat(found.expectedChecksum()).isEqualTo(found.targetChecksum()).hasSize(32);
        assertThat(found.differences()).isEmpty();
    }

    @Test
    void partitionsAreCountedApart() {
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("day", DataTypes.DATE().notNull())
                        .column("v", DataTypes.STRING())
                        .primaryKey("id", "day")
                        .partitionedBy("day");
        WarehouseTable table = warehouse.createTable("t", definition, List.of("id"), 1);
        table.write(
                GenericRowData.of(1L, 0, StringData.fromString("a")),
                GenericRowData.of(2L, 0, StringData.fromString("b")));
        table.tier();
        table.write(GenericRowData.of(1L, 1, StringData.fromString("a")));

        assertThat(verify(table))
                .extracting(
                        Comparison::partition,
                        Comparison::baseRows,
                        Comparison::changedRows,
                        Comparison::targetRows,
                        Comparison::agrees)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("day=1970-01-01", 2L, 0L, 2L, true),
                        org.assertj.core.groups.Tuple.tuple("day=1970-01-02", 0L, 1L, 1L, true));
    }

    @Test
    void aKeyThatTheKeyIndexMissesIsNamed() {
        WarehouseTable table = primaryKeyTable(1);
        table.write(row(1, "a"), row(2, "b"), row(3, "c"));
        table.tier();
        table.write(row(3, "C"));
        damageKeyIndex(
                table,
                changes -> {
                    changes.put(key(table, 2), null);
                    changes.put(key(table, 3), null);
                });

        List<Comparison> found = verify(table);

        assertThat(found.get(0).agrees()).isFalse();
        assertThat(found.get(0).targetRows()).isEqualTo(1);
        assertThat(found.get(0).differences())
                .containsExactly(
                        "key (id=2): lake snapshot 2 has (id=2, v=b), the key index has no row",
                        "key (id=3): the changelog has (id=3, v=C), the key index has no row");
    }

    @Test
    void aChangedByteInALakeFileIsFound() throws IOException {
        WarehouseTable table = primaryKeyTable(1);
        List<RowData> rows = new ArrayList<>();
        for (long id = 0; id < 1_000; id++) {
            rows.add(row(id, "value-" + id));
        }
        rows.set(500, row(500, "find-me"));
        table.write(rows.toArray(RowData[]::new));
        table.tier();
        assertThat(verify(table)).allMatch(Comparison::agrees);

        assertThat(replaceInFiles(warehouse.lakeDirectory(table), "find-me", "f1nd-me"))
                .isPositive();

        List<Comparison> found = verify(table);
        assertThat(found.get(0).agrees()).isFalse();
        assertThat(found.get(0).targetRows()).isEqualTo(1_000);
        assertThat(found.get(0).differences())
                .containsExactly(
                        "key (id=500): lake snapshot 2 has (id=500, v=f1nd-me), the key index has"
                                + " (id=500, v=find-me)");
    }

    @Test
    void whatOthersWroteIntoTheLakeIsFoundEvenBelowANewerChange() {
        WarehouseTable table = primaryKeyTable(1);
        table.write(row(1, "a"), row(2, "b"));
        table.tier();
        writeToLake(table, row(1, "foreign"), row(9, "foreign"));
        table.write(row(1, "c"));

        assertThat(differences(verify(table)))
                .containsExactly(
                        "key (id=1): the changelog goes on from (id=1, v=a), but lake snapshot 3 has"
                                + " (id=1, v=foreign)",
                        "key (id=9): lake snapshot 3 has (id=9, v=foreign), the key index has no row");
    }

    @Test
    void theNumberOfRowsThatAreNamedIsBounded() {
        WarehouseTable table = primaryKeyTable(1);
        RowData[] foreign = new RowData[500];
        for (int i = 0; i < foreign.length; i++) {
            foreign[i] = row(i, "x");
        }
        writeToLake(table, foreign);

        List<Comparison> found = verify(table);
        assertThat(found.get(0).baseRows()).isEqualTo(500);
        assertThat(found.get(0).targetRows()).isZero();
        assertThat(found.get(0).differences()).hasSize(DifferenceFinder.MAX_NAMED);
    }

    @Test
    void aLogTableIsComparedAsFarAsBothTiersHoldIt() {
        for (List<String> bucketKeys : List.of(List.of("id"), List.<String>of())) {
            WarehouseTable table = logTable(bucketKeys, 2);
            table.write(row(1, "a"), row(1, "a"), row(2, "b"), row(3, "c"));
            table.tier();
            table.write(row(4, "d"));

            List<Comparison> found = verify(table);
            assertThat(found).allMatch(Comparison::agrees);
            assertThat(found).hasSize(bucketKeys.isEmpty() ? 1 : 2);
            assertThat(found).extracting(Comparison::base).containsOnlyNulls();
            assertThat(found).extracting(Comparison::target).containsOnly("lake snapshot 2");
            assertThat(found.stream().mapToLong(Comparison::changedRows).sum()).isEqualTo(4);

            writeToLake(table, row(1, "a"));
            assertThat(differences(verify(table)))
                    .containsExactly(
                            "(id=1, v=a): 2 times in the empty table with the changelog after it, 3"
                                    + " times in lake snapshot 3");
            table.tier();
            dropLogTable();
        }
    }

    @Test
    void aTrimmedLogTableIsComparedFromAnOlderSnapshot() {
        WarehouseTable table = logTable(List.of("id"), 1);
        table.write(row(1, "a"), row(2, "b"));
        table.tier();
        table.write(row(3, "c"));
        table.tier();
        table.write(row(4, "d"), row(5, "e"));
        table.tier();
        try (HotTable hot = table.openHot()) {
            HotTable trimmed = new TrimmedHotTable(hot, Map.of(0, 1L));
            Comparison found = new TableVerification(table.logical(), trimmed).run().get(0);

            assertThat(found.agrees()).isTrue();
            assertThat(found.base()).isEqualTo(2);
            assertThat(found.changes()).isEqualTo(new Comparison.Offsets(2, 5));
            assertThat(found.baseRows()).isEqualTo(2);
            assertThat(found.changedRows()).isEqualTo(3);
            assertThat(found.target()).isEqualTo("lake snapshot 4");
            assertThat(found.targetRows()).isEqualTo(5);
        }
    }

    @Test
    void aChangelogThatDoesNotReachBackToTheLakeIsAnError() {
        WarehouseTable table = primaryKeyTable(1);
        table.write(row(1, "a"));
        LakeTable lake = table.logical().lake();
        TieredState state = lake.latestTieredSnapshot().orElseThrow().tieredState();
        lake.commit(
                new LakeCommit(
                        state,
                        new TieredState(
                                state.tableId(), Map.of(0, new TieredState.BucketPosition(9, 1))),
                        List.of()));

        assertThatThrownBy(() -> verify(table))
                .hasMessageContaining(
                        "cannot verify table db.t: the lake holds bucket 0 up to offset 9, but the"
                                + " changelog ends at 1");
    }

    @Test
    void writersAndTieringGoOnMeanwhile() throws Exception {
        WarehouseTable table = primaryKeyTable(2);
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> writing =
                CompletableFuture.runAsync(
                        () -> {
                            for (long turn = 0; !ended.get(); turn++) {
                                table.write(
                                        row(turn % 50, "v" + turn),
                                        delete((turn + 20) % 50),
                                        row(1_000 + turn, "w"));
                                if (turn % 7 == 0) {
                                    table.tier();
                                }
                            }
                        });
        try (HotTable hot = table.openHot()) {
            for (long rows = 0; rows < 30; ) {
                assertThat(writing).isNotCompletedExceptionally();
                List<Comparison> found = new TableVerification(table.logical(), hot).run();
                assertThat(found).allMatch(Comparison::agrees);
                rows = found.stream().mapToLong(Comparison::targetRows).sum();
            }
        } finally {
            ended.set(true);
            writing.join();
        }
        assertThat(verify(table)).allMatch(Comparison::agrees);
    }

    // ------------------------------------------------------------------

    /** Commits rows that the changelog knows nothing of. */
    private void writeToLake(WarehouseTable table, RowData... rows) {
        LakeTable lake = table.logical().lake();
        TieredState state = lake.latestTieredSnapshot().orElseThrow().tieredState();
        List<LakeCommittable> files;
        try (LakeWriter writer = lake.newWriter(warehouse.spillDirectory().toString())) {
            for (RowData row : rows) {
                boolean placed = !lake.definition().bucketKeys().isEmpty();
                writer.write(
                        placed
                                ? lake.bucketFunction().bucket(GenericRowData.of(row.getLong(0)))
                                : 0,
                        row);
            }
            files = writer.finish();
        }
        lake.commit(new LakeCommit(state, state, files));
    }

    private void damageKeyIndex(WarehouseTable table, Consumer<KeyIndex.Changes> damage) {
        Path index = warehouse.hotDirectory(table).resolve("bucket-0/keyindex");
        assertThat(index).isDirectory();
        warehouse.restartStore(
                () -> {
                    try (KeyIndexMemory memory = new KeyIndexMemory(16L << 20);
                            KeyIndex opened = KeyIndex.open(index, memory);
                            KeyIndex.Changes changes = new KeyIndex.Changes()) {
                        damage.accept(changes);
                        opened.write(changes, opened.appliedOffset());
                        opened.flush();
                    }
                });
    }

    private static byte[] key(WarehouseTable table, long id) {
        return KeyEncoder.forRows(table.logical().spec(), List.of("id"))
                .encode(GenericRowData.of(id));
    }

    private void dropLogTable() {
        try {
            warehouse
                    .lake()
                    .flinkCatalog()
                    .dropTable(
                            new org.apache.flink.table.catalog.ObjectPath(
                                    TestWarehouse.DATABASE, "l"),
                            false);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Replaces a text by one of the same length; says how often. */
    private static int replaceInFiles(Path root, String text, String replacement)
            throws IOException {
        int count = 0;
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(path -> path.toString().endsWith(".parquet")).toList();
        }
        for (Path file : files) {
            String content = Files.readString(file, StandardCharsets.ISO_8859_1);
            String changed = content.replace(text, replacement);
            if (!changed.equals(content)) {
                count++;
                Files.writeString(file, changed, StandardCharsets.ISO_8859_1);
            }
        }
        return count;
    }
}
