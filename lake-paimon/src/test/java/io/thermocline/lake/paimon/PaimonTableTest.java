package io.thermocline.lake.paimon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.conformance.LakeSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import io.thermocline.lake.conformance.TestTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.types.RowKind;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is particular to Paimon tables. */
class PaimonTableTest extends LakeSuite {

    private PaimonUnderTest paimon;

    @Override
    protected LakeUnderTest open(Path warehouse) {
        paimon = new PaimonUnderTest(warehouse);
        return paimon;
    }

    private static TestTable schema() {
        return new TestTable()
                .column("id", DataTypes.INT().notNull())
                .column("v", DataTypes.INT())
                .primaryKey("id");
    }

    @Test
    void isPlainForPaimon() {
        create(schema().option("thermocline.merge-engine", "aggregation"), List.of("id"), 3);

        FileStoreTable table = paimon.table(PATH);
        assertThat(table.options()).containsEntry("bucket", "3");
        assertThat(table.coreOptions().mergeEngine()).hasToString("deduplicate");
        assertThat(table.coreOptions().sequenceField()).isEmpty();
        assertThat(table.coreOptions().changelogProducer()).hasToString("none");
        assertThat(table.coreOptions().writeOnly()).isFalse();
        assertThat(table.options()).doesNotContainKey("bucket-key");
        assertThat(table.snapshotManager().latestSnapshot().properties())
                .containsKeys("thermocline.table-id", "thermocline.tiered-state");
    }

    @ParameterizedTest
    @CsvSource({
        "merge-engine,partial-update",
        "changelog-producer,lookup",
        "sequence.field,v",
        "ignore-delete,true",
        "record-level.expire-time,1 d",
        "primary-key,v"
    })
    void refusesOptionsThatChangeTheRows(String key, String value) {
        assertThatThrownBy(() -> create(schema().option(key, value), List.of("id"), 1))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_OPTION))
                .hasMessageContaining("option '" + key + "'='" + value + "'")
                .hasMessageContaining("default.t");
        assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "file.format,orc,orc",
        "file.format,AVRO,AVRO",
        "file.format.per.level,0:avro,avro"
    })
    void refusesFileFormatsWithoutVariant(String key, String value, String format) {
        TestTable created =
                schema().column("docs", DataTypes.ARRAY(DataTypes.VARIANT())).option(key, value);

        assertThatThrownBy(() -> create(created, List.of("id"), 1))
                .hasMessage(
                        "UNSUPPORTED: cannot create table default.t: column 'docs' has type"
                                + " ARRAY<VARIANT>, which the lake (Paimon) does not support in files"
                                + " of the format "
                                + format
                                + ". Use 'file.format'='parquet'.");
        assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
    }

    @Test
    void whatPaimonRefusesLeavesNothing() {
        assertThatThrownBy(
                        () ->
                                create(
                                        schema().option("snapshot.num-retained.min", "0"),
                                        List.of("id"),
                                        1))
                .hasMessageStartingWith("UNSUPPORTED: Paimon refused to create table default.t: ")
                .hasMessageContaining("snapshot.num-retained.min should be at least 1");
        assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DOUBLE", "BYTES", "TIMESTAMP_LTZ(3)"})
    void refusesPartitionTypesWithoutAStableName(String type) {
        TestTable created =
                new TestTable()
                        .column("id", DataTypes.INT())
                        .column(
                                "p",
                                switch (type) {
                                    case "DOUBLE" -> DataTypes.DOUBLE();
                                    case "BYTES" -> DataTypes.BYTES();
                                    default -> DataTypes.TIMESTAMP_LTZ(3);
                                })
                        .partitionedBy("p");

        assertThatThrownBy(() -> create(created, List.of("id"), 1))
                .hasMessageContaining("column 'p' has type " + type)
                .hasMessageContaining("as a partition column");
    }

    @Test
    void withDeletionVectorsReadersSeeWhatWasCompacted() {
        LakeTable table =
                create(schema().option("deletion-vectors.enabled", "true"), List.of("id"), 2);
        LakeSnapshot empty = table.latestSnapshot().orElseThrow();
        LakeSnapshot first = tier(table, List.of(GenericRowData.of(1, 1), GenericRowData.of(2, 1)));

        assertThat(table.latestSnapshot()).contains(empty);
        assertThat(table.latestTieredSnapshot()).contains(first);
        assertThat(readAll(table)).isEmpty();

        table.maintain(new LakeMaintenance(0, Set.of()));
        assertThat(table.latestSnapshot().orElseThrow().tieredState())
                .isEqualTo(first.tieredState());
        assertThat(readAll(table)).containsExactlyInAnyOrder(List.of("1", "1"), List.of("2", "1"));

        tier(
                table,
                List.of(
                        GenericRowData.of(1, 2),
                        GenericRowData.ofKind(RowKind.DELETE, 2, 1),
                        GenericRowData.of(3, 1)));
        assertThat(readAll(table)).containsExactlyInAnyOrder(List.of("1", "1"), List.of("2", "1"));
        table.maintain(new LakeMaintenance(0, Set.of()));
        table.maintain(new LakeMaintenance(0, Set.of()));
        assertThat(readAll(table)).containsExactlyInAnyOrder(List.of("1", "2"), List.of("3", "1"));
        assertThat(table.latestSnapshot().orElseThrow().tieredState()).isEqualTo(state(table));
    }

    @Test
    void aCommitWhoseOutcomeIsUnknownIsFoundInTheLake() throws Exception {
        LakeTable table = create(schema(), List.of("id"), 1);
        // The hint that is written after the snapshot cannot be: the commit fails when it is done.
        Path hint = Path.of(paimon.table(PATH).location().toUri().getPath(), "snapshot", "LATEST");
        Files.deleteIfExists(hint);
        Files.createDirectories(hint.resolve("in the way"));

        LakeSnapshot snapshot = tier(table, List.of(GenericRowData.of(1, 1)));

        assertThat(snapshot.snapshotId()).isEqualTo(2);
        assertThat(lake.snapshotIds(PATH)).containsExactly(1L, 2L);
        assertThat(readAll(table)).containsExactly(List.of("1", "1"));
    }

    @Test
    void aBucketNumberChangedOutsideIsAnError() throws Exception {
        create(schema(), List.of("id"), 2);
        paimon.alter(PATH, SchemaChange.setOption("bucket", "4"));

        assertThatThrownBy(() -> catalog.table(PATH).latestSnapshot())
                .hasMessageContaining("buckets of table default.t was changed from 2 to 4")
                .hasMessageContaining("option 'bucket' back to 2");
    }

    @Test
    void partitionNamesAreReadable() throws Exception {
        TestTable created =
                new TestTable()
                        .column("id", DataTypes.INT())
                        .column("dt", DataTypes.DATE())
                        .partitionedBy("dt");
        LakeTable table = create(created, List.of("id"), 1);
        tier(table, List.of(GenericRowData.of(1, 19782), GenericRowData.of(2, null)));

        assertThat(catalog.flinkCatalog().listPartitions(PATH))
                .extracting(spec -> spec.getPartitionSpec())
                .containsExactlyInAnyOrder(
                        Map.of("dt", "2024-02-29"), Map.of("dt", "__DEFAULT_PARTITION__"));
    }

    @Test
    void manyPartitionsInOneRound() {
        TestTable created =
                new TestTable()
                        .column("id", DataTypes.INT().notNull())
                        .column("p", DataTypes.INT().notNull())
                        .partitionedBy("p");
        LakeTable table = create(created, List.of("id"), 1);
        List<GenericRowData> rows =
                IntStream.range(0, 200).mapToObj(i -> GenericRowData.of(i, i % 25)).toList();

        tier(table, rows);

        assertThat(readAll(table))
                .containsExactlyInAnyOrderElementsOf(values(rows, table.definition().rowType()));
    }
}
