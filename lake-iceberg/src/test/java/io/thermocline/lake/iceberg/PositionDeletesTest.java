package io.thermocline.lake.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.DeleteStyle;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.conformance.LakeSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import io.thermocline.lake.conformance.TestTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.flink.sink.FlinkFileWriterFactory;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.FanoutPositionOnlyDeleteWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.io.PartitioningWriter;
import org.apache.iceberg.util.ContentFileUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deletes by position, and what others do to the table while the rows are looked for. */
class PositionDeletesTest extends LakeSuite {

    private static final String OPTION = LakeTableDefinition.OPTION_PREFIX + DeleteStyle.OPTION;

    private static final boolean FULL = Boolean.getBoolean("thermocline.test.full");

    private IcebergUnderTest iceberg;
    private LakeTable table;
    private final SpecRules rules = new SpecRules();

    static List<String> formats() {
        return FULL ? List.of("2", "3") : List.of("3");
    }

    @AfterEach
    void leaveCommitsAlone() {
        HookedCatalog.beforeCommits(1, () -> {});
    }

    @Override
    protected LakeUnderTest open(Path warehouse) {
        iceberg =
                new IcebergUnderTest(
                        warehouse,
                        Map.of(CatalogProperties.CATALOG_IMPL, HookedCatalog.class.getName()));
        return iceberg;
    }

    private void create(String format, String style) {
        table =
                create(
                        new TestTable()
                                .column("id", DataTypes.INT().notNull())
                                .column("v", DataTypes.INT())
                                .primaryKey("id")
                                .option(TableProperties.FORMAT_VERSION, format)
                                .option(OPTION, style),
                        List.of("id"),
                        1);
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

    private static List<List<String>> values(int... idsAndValues) {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < idsAndValues.length; i += 2) {
            rows.add(List.of(String.valueOf(idsAndValues[i]), String.valueOf(idsAndValues[i + 1])));
        }
        return rows;
    }

    /** Iceberg's own reader and ours see these rows, and the specification's rules hold. */
    private void check(int... idsAndValues) {
        List<List<String>> expected = values(idsAndValues);
        assertThat(readAll(table)).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(
                        iceberg.readGenerically(PATH).stream()
                                .map(
                                        record ->
                                                RecordValues.of(
                                                        record, table.definition().rowType())))
                .containsExactlyInAnyOrderElementsOf(expected);
        rules.check(iceberg.table(PATH), Set.of("id"));
    }

    private long total(String what) {
        return Long.parseLong(iceberg.table(PATH).currentSnapshot().summary().get("total-" + what));
    }

    private List<DeleteFile> deletes() {
        return iceberg.files(PATH).stream().flatMap(task -> task.deletes().stream()).toList();
    }

    private void set(String key, String value) {
        iceberg.table(PATH).updateProperties().set(key, value).commit();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void oneKeyOverManyRounds(String format) {
        create(format, "position");
        tier(table, rows(0, 4, 0));
        assertThat(total("delete-files")).isZero();

        tier(table, List.of(row(1, 1), delete(2)));
        check(0, 0, 1, 1, 3, 0);
        tier(table, List.of(row(1, 2), row(2, 2)));
        check(0, 0, 1, 2, 2, 2, 3, 0);
        tier(table, List.of(delete(0), delete(7), row(8, 3)));
        check(1, 2, 2, 2, 3, 0, 8, 3);
        tier(table, List.of(delete(1)));
        check(2, 2, 3, 0, 8, 3);

        assertThat(total("equality-deletes")).isZero();
        // of the rows 0 to 3 three, of the rows 1 and 2 one; the file of row 1 alone is gone
        assertThat(deletes()).extracting(DeleteFile::recordCount).containsExactlyInAnyOrder(3L, 1L);
        assertThat(total("data-files")).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void aFileWithoutRowsIsRemovedAndKeysThatAreNotThereNeedNothing(String format) {
        create(format, "position");
        tier(table, rows(0, 3, 0));
        tier(table, List.of(row(0, 1)));
        tier(table, List.of(row(1, 2), row(2, 2)));
        check(0, 1, 1, 2, 2, 2);
        assertThat(total("data-files")).isEqualTo(2);
        assertThat(deletes()).isEmpty();

        tier(table, List.of(delete(8), delete(9)));
        check(0, 1, 1, 2, 2, 2);
        assertThat(deletes()).isEmpty();
        tier(table, List.of(delete(0), delete(1), delete(2)));
        check();
        assertThat(total("data-files")).isZero();
    }

    @Test
    void theKeysDoNotStayBehindAsFiles() {
        create("3", "position");
        tier(table, rows(0, 3, 0));
        tier(table, List.of(row(1, 1)));

        // two data files; the vector is in a file of another kind
        assertThat(iceberg.dataFiles(PATH)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, Integer.MAX_VALUE})
    void keysThatNeedSeveralScansAreFoundLikeOthers(int maxKeyBytes) {
        create("3", "equality");
        tier(table, rows(0, 20, 0));
        tier(table, rows(10, 30, 1));
        List<DeleteFile> byKey = writeByKey(rows(5, 25, 2));

        PositionDeletes.Found found =
                new PositionDeletes(PATH, iceberg.table(PATH), maxKeyBytes).of(byKey);

        assertThat(found.emptied()).isEmpty();
        assertThat(found.written())
                .extracting(DeleteFile::recordCount)
                .containsExactlyInAnyOrder(5L, 15L);
    }

    private List<DeleteFile> writeByKey(List<RowData> rows) {
        return RoundFiles.of(write(table, rows).committables()).deletes();
    }

    @ParameterizedTest
    @MethodSource("formats")
    void aCompactionOfOthersInBetweenMakesTheSearchBeginAnew(String format) {
        create(format, "position");
        tier(table, rows(0, 3, 0));
        tier(table, rows(2, 5, 1));

        HookedCatalog.beforeCommits(1, () -> iceberg.compactByOthers(PATH));
        tier(table, List.of(row(1, 2), delete(3)));

        check(0, 0, 1, 2, 2, 1, 4, 1);
        assertThat(total("equality-deletes")).isZero();
        assertThat(deletes()).extracting(DeleteFile::recordCount).containsExactly(2L);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void rowsOfTheKeysThatOthersAddInBetweenAreFoundToo(String format) {
        create(format, "position");
        tier(table, rows(0, 3, 0));

        HookedCatalog.beforeCommits(
                1, () -> iceberg.appendByOthers(PATH, List.of(row(1, 7), row(8, 7))));
        tier(table, List.of(row(1, 2)));

        check(0, 0, 1, 2, 2, 0, 8, 7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void deletesByPositionOfOthersInBetweenAreKept(String format) {
        create(format, "position");
        tier(table, rows(0, 4, 0));
        tier(table, List.of(delete(0)));

        HookedCatalog.beforeCommits(1, () -> deleteByOthers(row(3, 0)));
        tier(table, List.of(row(1, 2)));

        assertThat(readAll(table)).containsExactlyInAnyOrderElementsOf(values(1, 2, 2, 0));
        assertThat(iceberg.readGenerically(PATH)).hasSize(2);
        if (format.equals("3")) {
            check(1, 2, 2, 0);
        }
        tier(table, List.of(row(2, 3)));
        check(1, 2, 2, 3);
    }

    /** Another engine deletes by position, with a search of its own. */
    private void deleteByOthers(RowData row) {
        PositionDeletes.Found found =
                new PositionDeletes(PATH, iceberg.table(PATH), PositionDeletes.MAX_KEY_BYTES)
                        .of(writeByKey(List.of(row)));
        RowDelta delta = iceberg.table(PATH).newRowDelta();
        found.addTo(delta);
        delta.commit();
    }

    @Test
    void aForeignCommitInBetweenThatIsNotKnownRefusesTheRound() {
        create("3", "position");
        tier(table, rows(0, 3, 0));
        long files = iceberg.dataFiles(PATH);
        Written written = write(table, List.of(row(1, 1)));
        TieredState expected = state(table);

        HookedCatalog.beforeCommits(1, () -> deleteByOthers(row(2, 0)));
        assertThatThrownBy(
                        () ->
                                table.commit(
                                        new LakeCommit(
                                                expected,
                                                next(expected, written.counts()),
                                                written.committables(),
                                                Set.of())))
                .isInstanceOf(LakeException.class)
                .hasMessageStartingWith("FOREIGN_COMMIT: cannot commit to lake table default.t");

        assertThat(readAll(table)).containsExactlyInAnyOrderElementsOf(values(0, 0, 1, 0));
        // what the other engine's search left is a file of keys
        assertThat(iceberg.dataFiles(PATH)).isEqualTo(files + 2);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void besideSomebodyWhoNeverStopsTheRoundEndsWithDeletesByKey(String format) {
        create(format, "position");
        tier(table, rows(0, 3, 0));

        // the sixth makes Iceberg try the deletes by key a second time
        HookedCatalog.beforeCommits(6, () -> iceberg.compactByOthers(PATH));
        tier(table, List.of(row(1, 1), delete(2)));

        check(0, 0, 1, 1);
        assertThat(total("equality-deletes")).isEqualTo(2);
        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        check(0, 0, 1, 1);
        assertThat(total("equality-deletes")).isZero();
    }

    @ParameterizedTest
    @MethodSource("formats")
    void theOptionMayChange(String format) {
        create(format, "equality");
        tier(table, rows(0, 6, 0));
        tier(table, List.of(row(1, 1), delete(2)));
        assertThat(total("equality-deletes")).isEqualTo(8);

        set(OPTION, "position");
        tier(table, List.of(row(1, 2), row(2, 2), row(3, 2)));
        check(0, 0, 1, 2, 2, 2, 3, 2, 4, 0, 5, 0);
        assertThat(total("equality-deletes")).isEqualTo(8);
        // row 1 of the first round is deleted already
        assertThat(total("position-deletes")).isEqualTo(1);
        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        check(0, 0, 1, 2, 2, 2, 3, 2, 4, 0, 5, 0);
        assertThat(total("equality-deletes")).isZero();

        tier(table, List.of(row(4, 3)));
        set(OPTION, "equality");
        tier(table, List.of(row(1, 4), delete(4)));
        check(0, 0, 1, 4, 2, 2, 3, 2, 5, 0);
        assertThat(total("equality-deletes")).isEqualTo(2);
    }

    @Test
    void aVectorTakesOverTheDeletesOfAnOlderFormat() throws IOException {
        create("2", "position");
        tier(table, rows(0, 6, 0));
        tier(table, rows(6, 9, 0));
        tier(table, List.of(row(1, 1), row(7, 1)));
        deletePositionsOfAllFilesByOthers(0);
        assertThat(readAll(table))
                .containsExactlyInAnyOrderElementsOf(values(2, 0, 3, 0, 4, 0, 5, 0, 7, 1, 8, 0));

        set(TableProperties.FORMAT_VERSION, "3");
        tier(table, List.of(row(2, 2)));

        assertThat(readAll(table))
                .containsExactlyInAnyOrderElementsOf(values(2, 2, 3, 0, 4, 0, 5, 0, 7, 1, 8, 0));
        assertThat(iceberg.readGenerically(PATH)).hasSize(6);
        assertThat(deletes())
                .filteredOn(ContentFileUtil::isDV)
                .extracting(DeleteFile::recordCount)
                .containsExactly(3L);
    }

    /** One delete file for all data files, as other engines write it. */
    private void deletePositionsOfAllFilesByOthers(long position) throws IOException {
        Table present = iceberg.table(PATH);
        PartitioningWriter<PositionDelete<RowData>, DeleteWriteResult> writer =
                new FanoutPositionOnlyDeleteWriter<>(
                        new FlinkFileWriterFactory.Builder(present)
                                .dataSchema(present.schema())
                                .build(),
                        OutputFileFactory.builderFor(present, 1, 1).build(),
                        present.io(),
                        Long.MAX_VALUE);
        PositionDelete<RowData> delete = PositionDelete.create();
        try (writer) {
            for (FileScanTask task : iceberg.files(PATH)) {
                writer.write(
                        delete.set(task.file().location(), position),
                        task.spec(),
                        task.file().partition());
            }
        }
        RowDelta delta = present.newRowDelta();
        writer.result().deleteFiles().forEach(delta::addDeletes);
        delta.commit();
    }

    @ParameterizedTest
    @MethodSource("formats")
    void aCompactionThatIsOvertakenGivesUp(String format) {
        create(format, "position");
        for (int i = 0; i < 5; i++) {
            tier(table, rows(i * 3, i * 3 + 3, 0));
        }
        Table before = iceberg.table(PATH);
        tier(table, List.of(row(1, 1)));
        long snapshot = iceberg.table(PATH).currentSnapshot().snapshotId();

        new Compaction(PATH, before).run();
        assertThat(iceberg.table(PATH).currentSnapshot().snapshotId()).isEqualTo(snapshot);
        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        assertThat(total("data-files")).isEqualTo(1);
        assertThat(total("position-deletes")).isZero();
        assertThat(readAll(table)).hasSize(15).contains(List.of("1", "1"), List.of("14", "0"));
    }

    @Test
    void expiryKeepsAFileOfVectorsWhileOneOfThemIsNeeded() {
        create("3", "position");
        tier(table, rows(0, 20, 0));
        tier(table, rows(20, 40, 0));
        tier(table, List.of(delete(0), delete(20)));
        tier(table, List.of(delete(1), delete(21)));
        assertThat(deletes().stream().map(DeleteFile::location).distinct()).hasSize(1);
        tier(table, List.of(delete(22)));
        assertThat(deletes().stream().map(DeleteFile::location).distinct()).hasSize(2);
        int snapshots = lake.snapshotIds(PATH).size();

        table.maintain(new LakeMaintenance(0, Set.of()));

        assertThat(lake.snapshotIds(PATH)).hasSizeLessThan(snapshots);
        assertThat(deletes()).extracting(DeleteFile::recordCount).containsExactlyInAnyOrder(2L, 3L);
        assertThat(iceberg.readGenerically(PATH)).hasSize(35);
    }

    @Test
    void aFileIsRewrittenOnceAThirdOfItIsDeleted() {
        create("3", "position");
        tier(table, rows(0, 100, 0));
        Supplier<String> file = () -> iceberg.files(PATH).get(0).file().location();
        String first = file.get();
        tier(table, IntStream.range(0, 29).mapToObj(PositionDeletesTest::delete).toList());
        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        assertThat(file.get()).isEqualTo(first);

        tier(table, List.of(delete(29)));
        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        assertThat(file.get()).isNotEqualTo(first);
        assertThat(deletes()).isEmpty();
        assertThat(readAll(table)).hasSize(70);
    }
}
