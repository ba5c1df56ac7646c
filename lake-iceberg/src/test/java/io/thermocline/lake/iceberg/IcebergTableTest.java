package io.thermocline.lake.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeWriter;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.conformance.LakeSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import io.thermocline.lake.conformance.TestTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is particular to Iceberg tables. */
class IcebergTableTest extends LakeSuite {

    private IcebergUnderTest iceberg;

    @Override
    protected LakeUnderTest open(Path warehouse) {
        iceberg = new IcebergUnderTest(warehouse);
        return iceberg;
    }

    private static TestTable schema() {
        return new TestTable()
                .column("id", DataTypes.INT().notNull())
                .column("v", DataTypes.INT())
                .primaryKey("id");
    }

    private static RowData row(int id, int value) {
        return GenericRowData.of(id, value);
    }

    private static RowData delete(int id) {
        return GenericRowData.ofKind(RowKind.DELETE, id, 0);
    }

    private static List<RowData> rows(int from, int to, int value) {
        return IntStream.range(from, to).mapToObj(id -> row(id, value)).toList();
    }

    private LakeSnapshot tierNew(LakeTable table, List<RowData> rows) {
        TieredState expected = state(table);
        try (LakeWriter writer = table.newWriter(temporary.toString())) {
            rows.forEach(row -> writer.writeNew(bucketOf(table, row), row));
            return table.commit(
                    new LakeCommit(
                            expected, next(expected, Map.of(0, rows.size())), writer.finish()));
        }
    }

    private Map<String, String> summary() {
        return iceberg.table(PATH).currentSnapshot().summary();
    }

    @Test
    void isPlainForIceberg() {
        TestTable created =
                new TestTable()
                        .column("v", DataTypes.STRING())
                        .column("dt", DataTypes.DATE().notNull())
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("id_bucket", DataTypes.INT())
                        .primaryKey("dt", "id")
                        .partitionedBy("dt");
        create(created, List.of("id"), 3);

        Table table = iceberg.table(PATH);
        assertThat(table.spec().fields())
                .extracting(PartitionField::name, field -> field.transform().toString())
                .containsExactly(tuple("dt", "identity"), tuple("id_bucket_", "bucket[3]"));
        assertThat(table.schema().identifierFieldNames()).containsExactlyInAnyOrder("dt", "id");
        assertThat(table.schema().findField("v").isOptional()).isTrue();
        assertThat(table.schema().findField("id").isRequired()).isTrue();
        assertThat(TableUtil.formatVersion(table)).isEqualTo(2);
        assertThat(table.properties()).containsEntry("comment", "a test table");
        assertThat(summary()).containsKeys("thermocline.table-id", "thermocline.tiered-state");
    }

    @Test
    void typesAreHeldUnderWiderOnes() {
        create(TestTable.withAllTypes().primaryKey("id"), List.of("id"), 1);

        org.apache.iceberg.Schema held = iceberg.table(PATH).schema();
        assertThat(held.findType("c_tinyint")).isEqualTo(Types.IntegerType.get());
        assertThat(held.findType("c_smallint")).isEqualTo(Types.IntegerType.get());
        assertThat(held.findType("c_char")).isEqualTo(Types.StringType.get());
        assertThat(held.findType("c_binary")).isEqualTo(Types.BinaryType.get());
        assertThat(held.findType("c_time3")).isEqualTo(Types.TimeType.get());
        assertThat(held.findType("c_timestamp3")).isEqualTo(Types.TimestampType.withoutZone());
        assertThat(held.findType("c_ltz6")).isEqualTo(Types.TimestampType.withZone());
        assertThat(held.findType("c_timestamp9")).isEqualTo(Types.StringType.get());
        assertThat(held.findType("c_row.c.e")).isEqualTo(Types.StringType.get());
        assertThat(iceberg.table(PATH).spec().isUnpartitioned()).isTrue();
    }

    @Test
    void nanosecondsAreTextThatSortsAsTheyDo() {
        TestTable created =
                new TestTable()
                        .column("id", DataTypes.INT().notNull())
                        .column("t", DataTypes.TIMESTAMP(9))
                        .column("z", DataTypes.TIMESTAMP_LTZ(9))
                        .primaryKey("id");
        LakeTable table = create(created, List.of("id"), 1);
        TimestampData value = TimestampData.fromEpochMillis(1_709_164_800_123L, 456_789);
        tier(table, List.of(GenericRowData.of(1, value, value)));

        Record read = iceberg.readGenerically(PATH).get(0);
        assertThat(read.getField("t")).isEqualTo("2024-02-29 00:00:00.123456789");
        assertThat(read.getField("z")).isEqualTo("2024-02-29 00:00:00.123456789Z");
    }

    @ParameterizedTest
    @CsvSource({"DOUBLE", "FLOAT"})
    void floatingPrimaryKeysAreRefused(String type) {
        TestTable created =
                new TestTable()
                        .column(
                                "id",
                                (type.equals("FLOAT") ? DataTypes.FLOAT() : DataTypes.DOUBLE())
                                        .notNull())
                        .primaryKey("id");

        assertThatThrownBy(() -> create(created, List.of("id"), 1))
                .hasMessageStartingWith("UNSUPPORTED: ")
                .hasMessageContaining("column 'id' has type " + type + " NOT NULL")
                .hasMessageContaining(
                        "the lake (Iceberg) does not support as a primary-key column");
    }

    @ParameterizedTest
    @CsvSource({
        "INT,format-version,1,deletes of rows need format version 2 or 3",
        "VARIANT,format-version,2,VARIANT columns need format version 3",
        "VARIANT,write.format.default,orc,VARIANT columns are held in Parquet files only"
    })
    void formatsThatCannotHoldTheTableAreRefused(
            String type, String key, String value, String reason) {
        TestTable created =
                schema().column("x", type.equals("INT") ? DataTypes.INT() : DataTypes.VARIANT())
                        .option(key, value);

        assertThatThrownBy(() -> create(created, List.of("id"), 1))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_OPTION))
                .hasMessageContaining("option '" + key + "'='" + value + "' cannot be used")
                .hasMessageContaining("default.t: " + reason);
        assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
    }

    @Test
    void insertsOfNewKeysAreAppends() {
        LakeTable table = create(schema(), List.of("id"), 2);
        tierNew(table, rows(0, 20, 1));

        assertThat(iceberg.table(PATH).currentSnapshot().operation()).isEqualTo("append");
        assertThat(summary())
                .containsEntry("total-delete-files", "0")
                .containsEntry("total-records", "20");
    }

    @Test
    void changesDeleteByKeyInTheSameSnapshot() {
        LakeTable table = create(schema(), List.of("id"), 1);
        tierNew(table, rows(0, 10, 1));

        tier(table, List.of(row(3, 2), delete(4)));

        assertThat(summary())
                .containsEntry("added-equality-deletes", "2")
                .containsEntry("added-records", "1");
        assertThat(iceberg.readGenerically(PATH))
                .hasSize(9)
                .extracting(record -> record.getField("id"), record -> record.getField("v"))
                .contains(tuple(3, 2), tuple(5, 1))
                .doesNotContain(tuple(4, 1));
    }

    @Test
    void otherEnginesSeeTheSameRows() {
        LakeTable table = create(schema(), List.of("id"), 3);
        for (int round = 0; round < 4; round++) {
            tier(table, rows(round * 5, round * 5 + 15, round));
            tier(table, List.of(delete(round * 5)));
        }

        assertThat(iceberg.readGenerically(PATH))
                .extracting(
                        record ->
                                List.of(
                                        record.getField("id").toString(),
                                        record.getField("v").toString()))
                .containsExactlyInAnyOrderElementsOf(readAll(table));
    }

    @Test
    void compactionAppliesDeletesAndRemovesThem() {
        LakeTable table = create(schema(), List.of("id"), 2);
        for (int round = 0; round < 6; round++) {
            tier(table, rows(0, 20, round));
        }
        assertThat(summary()).doesNotContainEntry("total-delete-files", "0");

        table.maintain(new LakeMaintenance(3_600_000, Set.of()));

        assertThat(summary())
                .containsEntry("total-delete-files", "0")
                .containsEntry("total-records", "20")
                .containsEntry("total-data-files", "2");
        assertThat(readAll(table)).hasSize(20).allMatch(row -> row.get(1).equals("5"));
    }

    @Test
    void tieringInTheMeantimeDoesNotMakeACompactionFail() {
        LakeTable table = create(schema(), List.of("id"), 1);
        for (int round = 0; round < 6; round++) {
            tier(table, rows(0, 20, round));
        }
        Table before = iceberg.table(PATH);
        tier(table, List.of(row(1, 100), delete(2)));

        new Compaction(PATH, before).run();

        assertThat(iceberg.table(PATH).currentSnapshot().operation()).isEqualTo("replace");
        assertThat(readAll(table))
                .hasSize(19)
                .contains(List.of("1", "100"), List.of("3", "5"))
                .doesNotContain(List.of("1", "5"));
        assertThat(iceberg.files(PATH)).hasSize(2);
        assertThat(iceberg.files(PATH).stream().mapToInt(task -> task.deletes().size()).sum())
                .isEqualTo(1);
    }

    @Test
    void aLargeFileIsNotRewrittenForSmallOnes() {
        LakeTable table = create(schema(), List.of("id"), 1);
        tierNew(table, rows(0, 20_000, 0));
        String large = iceberg.files(PATH).get(0).file().location();
        for (int round = 0; round < 6; round++) {
            tierNew(table, rows(20_000 + round, 20_001 + round, round));
        }

        table.maintain(new LakeMaintenance(3_600_000, Set.of()));

        assertThat(iceberg.files(PATH))
                .hasSize(2)
                .extracting(task -> task.file().location())
                .contains(large);
    }

    @Test
    void aBranchOfOthersIsTheirs() {
        LakeTable table = create(schema(), List.of("id"), 1);
        tier(table, rows(0, 3, 0));
        iceberg.table(PATH).manageSnapshots().createTag("theirs", lastId()).commit();
        long tagged = lastId();
        tier(table, rows(3, 6, 0));
        tier(table, rows(6, 9, 0));

        table.maintain(new LakeMaintenance(0, Set.of()));

        assertThat(lake.snapshotIds(PATH)).hasSize(3).first().isEqualTo(tagged);
        assertThat(iceberg.table(PATH).refs()).containsKey("theirs");
    }

    private long lastId() {
        return iceberg.table(PATH).currentSnapshot().snapshotId();
    }

    @Test
    void maintenancePinsSnapshotsAgain() {
        LakeTable table = create(schema(), List.of("id"), 1);
        tier(table, rows(0, 3, 0));
        iceberg.table(PATH)
                .manageSnapshots()
                .setMinSnapshotsToKeep(SnapshotRef.MAIN_BRANCH, 1)
                .commit();

        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        iceberg.expireByOthers(PATH);

        assertThat(lake.snapshotIds(PATH)).hasSize(2);
    }

    @Test
    void aBucketNumberChangedOutsideIsAnError() {
        create(schema(), List.of("id"), 2);
        iceberg.table(PATH)
                .updateSpec()
                .removeField("id_bucket")
                .addField(Expressions.bucket("id", 4))
                .commit();

        assertThatThrownBy(() -> catalog.table(PATH).latestSnapshot())
                .hasMessageContaining("buckets of table default.t was changed from 2 to 4")
                .hasMessageContaining("back to 2 buckets");
    }

    @Test
    void partitionsAreListedByColumn() throws Exception {
        TestTable created =
                new TestTable()
                        .column("id", DataTypes.INT())
                        .column("dt", DataTypes.DATE())
                        .partitionedBy("dt");
        LakeTable table = create(created, List.of("id"), 2);
        tier(
                table,
                List.of(
                        GenericRowData.of(1, 19782),
                        GenericRowData.of(2, 19782),
                        GenericRowData.of(3, null)));

        assertThat(catalog.flinkCatalog().listPartitions(PATH))
                .extracting(spec -> spec.getPartitionSpec())
                .containsExactlyInAnyOrder(
                        Map.of("dt", "2024-02-29"), Map.of("dt", "__DEFAULT_PARTITION__"));
    }

    @Test
    void morePartitionsThanAreOpenAtOnce() {
        TestTable created =
                new TestTable()
                        .column("id", DataTypes.INT().notNull())
                        .column("p", DataTypes.INT().notNull())
                        .partitionedBy("p");
        LakeTable table = create(created, List.of("id"), 1);
        List<GenericRowData> rows =
                IntStream.range(0, 160).mapToObj(i -> GenericRowData.of(i, i % 80)).toList();

        tier(table, rows);

        assertThat(readAll(table))
                .containsExactlyInAnyOrderElementsOf(values(rows, table.definition().rowType()));
        assertThat(iceberg.files(PATH)).hasSizeBetween(80, 160);
    }

    @Test
    void theCatalogsOptionsAreNotShown() throws Exception {
        create(schema(), List.of("id"), 1);

        assertThat(catalog.flinkCatalog().getTable(PATH).getOptions())
                .doesNotContainKeys("connector", "src-catalog");
        assertThat(catalog.shownTable(PATH).table().getOptions())
                .containsOnlyKeys("thermocline.table-id", "thermocline.declaration");
    }

    @Test
    void twoProcessesNeverOverwriteEachOthersCommit() throws Exception {
        create(schema(), List.of("id"), 1);
        Process first = Committer.start(temporary.resolve("warehouse"));
        Process second = Committer.start(temporary.resolve("warehouse"));

        assertThat(first.waitFor()).isZero();
        assertThat(second.waitFor()).isZero();
        assertThat(lake.snapshotIds(PATH)).hasSize(1 + 2 * Committer.COMMITS);
    }

    @Test
    void filesAreSortedIntoSplitsByBucket() {
        LakeTable table = create(schema(), List.of("id"), 4);
        for (int round = 0; round < 3; round++) {
            tierNew(table, rows(round * 40, round * 40 + 40, 0));
        }

        assertThat(iceberg.files(PATH)).hasSize(12);
        assertThat(
                        table.planSplits(
                                new io.thermocline.lake.LakeScan(lastId(), List.of("id"), null)))
                .hasSize(4);
        for (Snapshot snapshot : iceberg.table(PATH).snapshots()) {
            assertThat(snapshot.operation()).isEqualTo("append");
        }
        assertThat(iceberg.files(PATH)).extracting(FileScanTask::deletes).allMatch(List::isEmpty);
    }
}
