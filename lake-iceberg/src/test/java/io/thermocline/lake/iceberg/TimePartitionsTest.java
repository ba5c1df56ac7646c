package io.thermocline.lake.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.thermocline.lake.Attachment;
import io.thermocline.lake.Attachment.State;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.conformance.LakeSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import io.thermocline.lake.conformance.RandomRows;
import io.thermocline.lake.conformance.TestTable;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinition;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.types.DataType;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.expressions.Expressions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Log tables partitioned by years, months, days and hours: made with them, and attached. */
class TimePartitionsTest extends LakeSuite {

    private static final DataType TIME = DataTypes.TIMESTAMP(3);

    private IcebergUnderTest iceberg;

    @Override
    protected LakeUnderTest open(Path warehouse) {
        iceberg = new IcebergUnderTest(warehouse);
        return iceberg;
    }

    private static TestTable schema(String transforms) {
        return new TestTable()
                .column("v", DataTypes.STRING())
                .column("ts", TIME)
                .column("ts_day", DataTypes.INT())
                .column("d", DataTypes.DATE())
                .column("z", DataTypes.TIMESTAMP_LTZ(6))
                .option(TimePartitions.OPTION, transforms);
    }

    private static RowData row(String value, String time) {
        TimestampData timestamp =
                time == null ? null : TimestampData.fromLocalDateTime(LocalDateTime.parse(time));
        return GenericRowData.of(StringData.fromString(value), timestamp, 1, null, timestamp);
    }

    private void checkSpecification() {
        new SpecRules().check(iceberg.table(PATH), Set.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "years(ts)",
                "months(d)",
                "days(d)",
                "hours(z)",
                "days(ts), years(d), months(z)"
            })
    void rowsGoWhereTheirTimesAre(String transforms) throws Exception {
        LakeTable table = create(schema(transforms), List.of(), 2);
        RandomRows random = new RandomRows(transforms.hashCode());
        List<RowData> rows = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            List<RowData> some = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                some.add(random.row(table.definition().rowType()));
            }
            some.add(row("before the epoch", "1969-12-31T23:59:59.999"));
            some.add(row("epoch", "1970-01-01T00:00"));
            some.add(row("leap", "2024-02-29T23:00"));
            tier(table, some);
            rows.addAll(some);
        }

        checkSpecification();
        assertThat(readAll(table))
                .containsExactlyInAnyOrderElementsOf(values(rows, table.definition().rowType()));
        assertThat(table.definition().partitionKeys()).isEmpty();
        assertThat(catalog.shownTable(PATH).table().getOptions())
                .containsEntry("partition-transforms", transforms);
        assertThat(iceberg.table(PATH).properties()).doesNotContainKey("partition-transforms");
    }

    @Test
    void filesOfOtherDaysAreNotPlanned() {
        LakeTable table = create(schema("days(ts)"), List.of("v"), 2);
        tier(
                table,
                List.of(
                        row("a", "2024-02-28T23:59:59.999"),
                        row("b", "2024-02-29T00:00"),
                        row("c", "2024-03-01T00:00"),
                        row("d", null)));

        assertThat(iceberg.files(PATH)).hasSize(4);
        assertThat(iceberg.table(PATH).spec().fields())
                .extracting(PartitionField::name, field -> field.transform().toString())
                .containsExactly(tuple("ts_day_", "day"), tuple("v_bucket", "bucket[2]"));
        assertThat(
                        found(
                                table,
                                BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL,
                                "2024-02-29T00:00"))
                .containsExactlyInAnyOrder(List.of("b"), List.of("c"));
        assertThat(found(table, BuiltInFunctionDefinitions.LESS_THAN, "2024-02-29T00:00"))
                .containsExactly(List.of("a"));
        assertThat(found(table, BuiltInFunctionDefinitions.EQUALS, "2024-03-01T00:00"))
                .containsExactly(List.of("c"));
    }

    private static List<List<String>> found(
            LakeTable table, BuiltInFunctionDefinition comparison, String time) {
        ResolvedExpression predicate =
                CallExpression.permanent(
                        comparison,
                        List.of(
                                new FieldReferenceExpression("ts", TIME, 0, 1),
                                new ValueLiteralExpression(
                                        LocalDateTime.parse(time), TIME.notNull())),
                        DataTypes.BOOLEAN());
        return read(
                table,
                new LakeScan(
                        table.latestSnapshot().orElseThrow().snapshotId(),
                        List.of("v"),
                        table.toFilter(List.of(predicate)).orElseThrow()));
    }

    @Test
    void smallFilesOfADayBecomeOne() {
        LakeTable table = create(schema("days(ts)"), List.of(), 1);
        for (int round = 0; round < 6; round++) {
            tier(table, List.of(row("a" + round, "2024-02-28T12:00"), row("b" + round, null)));
        }

        table.maintain(new LakeMaintenance(3_600_000, Set.of()));

        checkSpecification();
        assertThat(iceberg.files(PATH)).hasSize(2);
        assertThat(readAll(table)).hasSize(12);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "weeks(ts);'weeks(ts)' is none of years(column), months(column), days(column)",
                "ts;'ts' is none of",
                "days(ts),;'' is none of",
                "days(gone);there is no column 'gone'",
                "hours(d);column 'd' is kept as date, which has no hours",
                "days(v);column 'v' is kept as string, which has no days",
                "days(n);column 'n' is kept as string, which has no days"
            })
    void transformsThatCannotBeAreRefused(String transforms, String reason) {
        TestTable table = schema(transforms).column("n", DataTypes.TIMESTAMP(9));
        assertThatThrownBy(() -> create(table, List.of(), 1))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_OPTION))
                .hasMessageContaining(
                        "option 'partition-transforms'='"
                                + transforms
                                + "' cannot be used on table default.t: "
                                + reason);
        assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
    }

    @Test
    void keyedTablesHaveNone() {
        TestTable keyed =
                new TestTable()
                        .column("id", DataTypes.INT().notNull())
                        .column("ts", TIME)
                        .primaryKey("id")
                        .option(TimePartitions.OPTION, "days(ts)");

        assertThatThrownBy(() -> create(keyed, List.of("id"), 1))
                .hasMessageContaining(
                        "the table has a primary key, and the rows of a key must stay");
    }

    @Test
    void theyAreFixed() {
        create(schema("days(ts)"), List.of(), 1);

        assertThatThrownBy(
                        () ->
                                catalog.flinkCatalog()
                                        .alterTable(
                                                PATH,
                                                catalog.flinkCatalog().getTable(PATH),
                                                List.of(
                                                        TableChange.set(
                                                                TimePartitions.OPTION,
                                                                "years(ts)")),
                                                false))
                .hasMessageContaining(
                        "cannot change option 'partition-transforms' of table default.t");
    }

    /** Files of an older partition spec stay where they are; new ones follow the present one. */
    @Test
    void aTableOfOthersIsTakenAsItIs() throws Exception {
        catalog.flinkCatalog().createTable(PATH, plain(schema("hours(z)")), false);
        lake.appendByOthers(PATH, List.of(row("old", "2024-02-28T12:00"), row("old", null)));
        iceberg.table(PATH)
                .updateSpec()
                .removeField("z_hour")
                .addField(Expressions.month("ts"))
                .addField(Expressions.truncate("v", 2))
                .addField(Expressions.bucket("ts_day", 2))
                .commit();
        lake.appendByOthers(PATH, List.of(row("older", "2024-02-28T13:00"), row("x", null)));
        assertThat(catalog.flinkCatalog().getTable(PATH).getOptions())
                .containsEntry("partition-transforms", "months(ts)");

        LakeTable table = attach(2);
        for (int round = 0; round < 5; round++) {
            tier(table, List.of(row("new", "2024-03-01T00:00"), row("newer", null)));
        }
        checkSpecification();
        assertThat(iceberg.files(PATH)).extracting(task -> task.spec().specId()).contains(1, 2);
        assertThat(readAll(table)).hasSize(14);
        assertThat(found(table, BuiltInFunctionDefinitions.LESS_THAN, "2024-03-01T00:00"))
                .containsExactlyInAnyOrder(List.of("old"), List.of("older"));

        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        checkSpecification();
        assertThat(iceberg.files(PATH)).hasSize(6);
        assertThat(readAll(table)).hasSize(14);
    }

    private LakeTable attach(int buckets) {
        catalog.attachments().checkAttachable(PATH);
        Attachment detached = catalog.table(PATH).definition().attachment();
        Attachment attaching =
                detached.attaching(
                        UUID.randomUUID().toString(),
                        catalog.table(PATH).latestSnapshot().orElseThrow().snapshotId());
        catalog.attachments()
                .move(PATH, detached, attaching, Map.of("bucket", String.valueOf(buckets)));
        catalog.attachments()
                .commitFirstState(
                        PATH, attaching, TieredState.initial(attaching.tableId(), buckets));
        catalog.attachments().move(PATH, attaching, attaching.next(State.ATTACHED), Map.of());
        return catalog.table(PATH);
    }

    private static ResolvedCatalogTable plain(TestTable table) {
        ResolvedCatalogTable built = table.build();
        return built.copy(
                Map.of(TimePartitions.OPTION, built.getOptions().get(TimePartitions.OPTION)));
    }
}
