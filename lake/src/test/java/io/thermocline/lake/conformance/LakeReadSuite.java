package io.thermocline.lake.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.DecimalData;
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
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.variant.Variant;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What was written can be read: all types, projections, filters, partitions and buckets. */
public abstract class LakeReadSuite extends LakeSuite {

    private static final long SEED = 4711;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rowsOfAllTypesComeBack(boolean withPrimaryKey) {
        TestTable created = TestTable.withAllTypes();
        LakeTable table =
                create(withPrimaryKey ? created.primaryKey("id") : created, List.of("id"), 3);
        RowType type = table.definition().rowType();
        RandomRows random = new RandomRows(SEED);
        Map<Long, List<String>> expected = new HashMap<>();
        for (int round = 0; round < 3; round++) {
            List<RowData> rows = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                GenericRowData row = random.row(type);
                long id = round * 20L + i;
                row.setField(type.getFieldIndex("id"), withPrimaryKey ? id : round * 100L + i);
                rows.add(row);
            }
            rows.forEach(
                    row ->
                            expected.put(
                                    row.getLong(type.getFieldIndex("id")),
                                    RowValues.of(row, type)));
            tier(table, rows);
        }

        assertThat(readAll(table)).containsExactlyInAnyOrderElementsOf(expected.values());
        assertThat(expected).hasSize(withPrimaryKey ? 80 : 120);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rowsOfAllTypesSurviveCompaction(boolean withPrimaryKey) throws Exception {
        TestTable created = TestTable.withAllTypes();
        LakeTable table =
                create(withPrimaryKey ? created.primaryKey("id") : created, List.of("id"), 1);
        RowType type = table.definition().rowType();
        for (int round = 0; round < 6; round++) {
            tier(table, rows(type, 20));
        }
        List<List<String>> expected = readAll(table);

        lake.compactByOthers(PATH);

        assertThat(readAll(table))
                .containsExactlyInAnyOrderElementsOf(expected)
                .hasSize(withPrimaryKey ? 20 : 120);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aVariantOfNullIsNotNull(boolean withPrimaryKey) {
        TestTable created =
                new TestTable()
                        .column("v", DataTypes.VARIANT())
                        .column("id", DataTypes.INT().notNull());
        LakeTable table =
                create(withPrimaryKey ? created.primaryKey("id") : created, List.of("id"), 1);
        Variant object = Variant.newBuilder().object().add("a", Variant.newBuilder().of(1)).build();
        List<GenericRowData> rows =
                List.of(
                        GenericRowData.of(null, 1),
                        GenericRowData.of(Variant.newBuilder().ofNull(), 2),
                        GenericRowData.of(object, 3));
        tier(table, rows);
        FieldReferenceExpression v = new FieldReferenceExpression("v", DataTypes.VARIANT(), 0, 0);
        long snapshot = table.latestSnapshot().orElseThrow().snapshotId();

        assertThat(readAll(table))
                .containsExactlyInAnyOrderElementsOf(values(rows, table.definition().rowType()));
        for (BuiltInFunctionDefinition test :
                List.of(
                        BuiltInFunctionDefinitions.IS_NULL,
                        BuiltInFunctionDefinitions.IS_NOT_NULL)) {
            LakeScan scan =
                    new LakeScan(
                            snapshot,
                            List.of("id"),
                            table.toFilter(List.of(call(test, v))).orElse(null));
            boolean isNull = test == BuiltInFunctionDefinitions.IS_NULL;
            assertThat(read(table, scan))
                    .containsAll(
                            isNull ? List.of(List.of("1")) : List.of(List.of("2"), List.of("3")));
        }
    }

    @Test
    void projectionInAnyOrderAndEmpty() {
        LakeTable table = create(TestTable.withAllTypes().primaryKey("id"), List.of("id"), 2);
        RowType type = table.definition().rowType();
        List<GenericRowData> rows = rows(type, 30);
        tier(table, rows);
        List<String> shuffled = new ArrayList<>(type.getFieldNames());
        Collections.shuffle(shuffled, new Random(SEED));
        List<String> columns = shuffled.subList(0, 9);

        assertThat(read(table, columns))
                .containsExactlyInAnyOrderElementsOf(
                        values(
                                rows.stream().map(row -> project(row, type, columns)).toList(),
                                projectedType(table, columns)));
        assertThat(read(table, List.of())).hasSize(30).allMatch(List::isEmpty);
    }

    @Test
    void anUnknownColumnIsNamed() {
        LakeTable table = create(TestTable.withAllTypes().primaryKey("id"), List.of("id"), 1);
        tier(table, rows(table.definition().rowType(), 1));

        LakeScan scan = snapshotScan(table, List.of("gone"));
        LakeSplit split = table.planSplits(scan).get(0);
        assertThatThrownBy(() -> table.read(split, scan))
                .hasMessageContaining("column 'gone' does not exist in lake table default.t");
    }

    @Test
    void rowsAreInsertionsAndSplitsAreAligned() throws Exception {
        LakeTable table = create(TestTable.withAllTypes().primaryKey("id"), List.of("id"), 4);
        RowType type = table.definition().rowType();
        List<GenericRowData> rows = rows(type, 60);
        rows.subList(0, 20).forEach(row -> row.setRowKind(RowKind.UPDATE_AFTER));
        tier(table, rows);
        LakeScan scan = snapshotScan(table, type.getFieldNames());

        Map<Integer, Integer> rowsPerBucket = new HashMap<>();
        for (LakeSplit split : table.planSplits(scan)) {
            assertThat(split.rowCount()).isPositive();
            try (CloseableIterator<RowData> iterator = table.read(split, scan)) {
                while (iterator.hasNext()) {
                    RowData row = iterator.next();
                    assertThat(row.getRowKind()).isEqualTo(RowKind.INSERT);
                    assertThat(split.bucket()).isEqualTo(bucketOf(table, row));
                    rowsPerBucket.merge(split.bucket(), 1, Integer::sum);
                }
            }
        }
        assertThat(rowsPerBucket).hasSize(4);
        assertThat(rowsPerBucket.values().stream().mapToInt(i -> i).sum()).isEqualTo(60);
    }

    @Test
    void splitsOfALogTableWithoutBucketKeyMayHoldRowsOfAnyBucket() {
        LakeTable table = create(new TestTable().column("a", DataTypes.BIGINT()), List.of(), 3);
        List<GenericRowData> rows = List.of(GenericRowData.of(1L), GenericRowData.of(2L));
        tier(table, rows);

        LakeScan scan = snapshotScan(table, List.of("a"));
        assertThat(table.planSplits(scan))
                .isNotEmpty()
                .allMatch(split -> split.bucket() == LakeSplit.UNKNOWN_BUCKET);
        assertThat(readAll(table)).containsExactlyInAnyOrder(List.of("1"), List.of("2"));
    }

    static List<DataType> keyTypes() {
        return List.of(
                DataTypes.BOOLEAN(),
                DataTypes.TINYINT(),
                DataTypes.SMALLINT(),
                DataTypes.INT(),
                DataTypes.BIGINT(),
                DataTypes.FLOAT(),
                DataTypes.DOUBLE(),
                DataTypes.DECIMAL(9, 2),
                DataTypes.DECIMAL(38, 10),
                DataTypes.CHAR(12),
                DataTypes.STRING(),
                DataTypes.BYTES(),
                DataTypes.DATE(),
                DataTypes.TIME(3),
                DataTypes.TIMESTAMP(3),
                DataTypes.TIMESTAMP(9),
                DataTypes.TIMESTAMP_LTZ(6));
    }

    @ParameterizedTest
    @MethodSource("keyTypes")
    void bucketFunctionPlacesRowsAsTheLakeDoes(DataType keyType) {
        TestTable created =
                new TestTable()
                        .column("v", DataTypes.INT())
                        .column("k", keyType)
                        .column("b", DataTypes.STRING());
        List<String> bucketKeys =
                lake.holdsCompositeBucketKeys() ? List.of("b", "k") : List.of("k");
        if (!lake.holdsBucketKey(keyType.getLogicalType())) {
            assertThatThrownBy(() -> create(created, bucketKeys, 7))
                    .hasMessageStartingWith("UNSUPPORTED: ")
                    .hasMessageContaining("column 'k' has type " + keyType.getLogicalType())
                    .hasMessageContaining("as a bucket-key column");
            return;
        }
        LakeTable table = create(created, bucketKeys, 7);
        RandomRows random = new RandomRows(SEED);

        for (int i = 0; i < 30; i++) {
            GenericRowData row = random.row(table.definition().rowType());
            assertThat(bucketOf(table, row)).isEqualTo(lake.bucketByLake(PATH, row));
        }
    }

    @Test
    void floatingPointValuesThatAreOneKeyHaveOneBucket() {
        TestTable created =
                new TestTable()
                        .column("d", DataTypes.DOUBLE().notNull())
                        .column("f", DataTypes.FLOAT().notNull())
                        .primaryKey("d", "f");
        if (!lake.holdsBucketKey(DataTypes.DOUBLE().getLogicalType())) {
            assertThatThrownBy(() -> create(created, List.of("d"), 1009))
                    .hasMessageContaining("column 'd' has type DOUBLE NOT NULL");
            return;
        }
        LakeTable table = create(created, List.of("d", "f"), 1009);
        double otherNaN = Double.longBitsToDouble(0xfff8_0000_0000_0001L);

        GenericRowData zero = GenericRowData.of(0.0, 0.0f);
        GenericRowData notANumber = GenericRowData.of(Double.NaN, Float.NaN);

        assertThat(bucketOf(table, GenericRowData.of(-0.0, -0.0f)))
                .isEqualTo(bucketOf(table, zero))
                .isEqualTo(lake.bucketByLake(PATH, zero));
        assertThat(bucketOf(table, GenericRowData.of(otherNaN, Float.NaN)))
                .isEqualTo(lake.bucketByLake(PATH, notANumber));
    }

    static List<DataType> partitionTypes() {
        return List.of(
                DataTypes.BOOLEAN(),
                DataTypes.INT(),
                DataTypes.BIGINT(),
                DataTypes.DECIMAL(20, 3),
                DataTypes.STRING(),
                DataTypes.DATE(),
                DataTypes.TIMESTAMP(3),
                DataTypes.TIMESTAMP(9));
    }

    @ParameterizedTest
    @MethodSource("partitionTypes")
    void partitionColumnsKeepTheirTypedValues(DataType partitionType) {
        TestTable created =
                new TestTable()
                        .column("v", DataTypes.STRING())
                        .column("p", partitionType)
                        .column("id", DataTypes.BIGINT().notNull())
                        .partitionedBy("p");
        LakeTable table = create(created, List.of("id"), 2);
        List<GenericRowData> rows = rows(table.definition().rowType(), 25);

        tier(table, rows);

        assertThat(readAll(table))
                .containsExactlyInAnyOrderElementsOf(values(rows, table.definition().rowType()));
    }

    @Test
    void aPartitionedPrimaryKeyTableKeepsOneRowPerPartitionAndKey() {
        TestTable created =
                new TestTable()
                        .column("v", DataTypes.INT())
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("dt", DataTypes.DATE().notNull())
                        .primaryKey("id", "dt")
                        .partitionedBy("dt");
        LakeTable table = create(created, List.of("id"), 2);
        int day = (int) LocalDate.of(2024, 2, 29).toEpochDay();

        tier(table, List.of(GenericRowData.of(1, 7L, day), GenericRowData.of(2, 7L, day + 1)));
        tier(
                table,
                List.of(
                        GenericRowData.of(3, 7L, day),
                        GenericRowData.ofKind(RowKind.DELETE, 2, 7L, day + 1)));

        assertThat(readAll(table)).containsExactly(List.of("3", "7", String.valueOf(day)));
    }

    @Test
    void aSnapshotThatIsGoneIsAnError() {
        LakeTable table = create(TestTable.withAllTypes().primaryKey("id"), List.of("id"), 1);

        assertThatThrownBy(() -> table.planSplits(new LakeScan(99, List.of("id"), null)))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.SNAPSHOT_NOT_FOUND))
                .hasMessageContaining("lake snapshot 99 of table default.t does not exist");
    }

    @Test
    void anOldSnapshotStaysReadable() {
        LakeTable table = create(TestTable.withAllTypes().primaryKey("id"), List.of("id"), 2);
        List<GenericRowData> first = rows(table.definition().rowType(), 10);
        long snapshot = tier(table, first).snapshotId();
        tier(table, rows(table.definition().rowType(), 20));

        assertThat(read(table, new LakeScan(snapshot, List.of("id"), null))).hasSize(10);
        assertThat(read(table, List.of("id"))).hasSize(20);
    }

    // Filters

    /** A predicate for the lake and the same for rows. */
    private record Filter(ResolvedExpression expression, Predicate<RowData> test) {}

    private static final RowType FILTERED =
            (RowType)
                    DataTypes.ROW(
                                    DataTypes.FIELD("id", DataTypes.BIGINT().notNull()),
                                    DataTypes.FIELD("i", DataTypes.INT()),
                                    DataTypes.FIELD("d", DataTypes.DOUBLE()),
                                    DataTypes.FIELD("s", DataTypes.STRING()),
                                    DataTypes.FIELD("n", DataTypes.DECIMAL(10, 2)),
                                    DataTypes.FIELD("ts", DataTypes.TIMESTAMP(3)),
                                    DataTypes.FIELD("p", DataTypes.INT().notNull()))
                            .getLogicalType();

    private static FieldReferenceExpression field(String name, DataType type) {
        return new FieldReferenceExpression(name, type, 0, FILTERED.getFieldIndex(name));
    }

    private static ResolvedExpression call(
            BuiltInFunctionDefinition function, ResolvedExpression... arguments) {
        return CallExpression.permanent(function, List.of(arguments), DataTypes.BOOLEAN());
    }

    private static Map<String, Filter> filters() {
        FieldReferenceExpression id = field("id", DataTypes.BIGINT().notNull());
        FieldReferenceExpression i = field("i", DataTypes.INT());
        FieldReferenceExpression d = field("d", DataTypes.DOUBLE());
        FieldReferenceExpression s = field("s", DataTypes.STRING());
        FieldReferenceExpression n = field("n", DataTypes.DECIMAL(10, 2));
        FieldReferenceExpression ts = field("ts", DataTypes.TIMESTAMP(3));
        FieldReferenceExpression p = field("p", DataTypes.INT().notNull());
        DataType decimal3 = DataTypes.DECIMAL(4, 3).notNull();
        Map<String, Filter> filters = new LinkedHashMap<>();
        filters.put(
                "id > 20",
                new Filter(
                        call(BuiltInFunctionDefinitions.GREATER_THAN, id, literal(20L)),
                        row -> row.getLong(0) > 20));
        filters.put(
                "i is null",
                new Filter(call(BuiltInFunctionDefinitions.IS_NULL, i), row -> row.isNullAt(1)));
        filters.put(
                "i <> 3",
                new Filter(
                        call(BuiltInFunctionDefinitions.NOT_EQUALS, i, literal(3)),
                        row -> !row.isNullAt(1) && row.getInt(1) != 3));
        filters.put(
                "0.0 = d",
                new Filter(
                        call(BuiltInFunctionDefinitions.EQUALS, literal(0.0), d),
                        row -> !row.isNullAt(2) && row.getDouble(2) == 0.0));
        filters.put(
                "s in ('s1', 's3')",
                new Filter(
                        call(BuiltInFunctionDefinitions.IN, s, literal("s1"), literal("s3")),
                        row ->
                                !row.isNullAt(3)
                                        && List.of("s1", "s3")
                                                .contains(row.getString(3).toString())));
        filters.put(
                "n > 1.555",
                new Filter(
                        call(
                                BuiltInFunctionDefinitions.GREATER_THAN,
                                n,
                                new ValueLiteralExpression(new BigDecimal("1.555"), decimal3)),
                        row -> compare(row, "1.555") > 0));
        filters.put(
                "ts < literal or p = 2",
                new Filter(
                        call(
                                BuiltInFunctionDefinitions.OR,
                                call(
                                        BuiltInFunctionDefinitions.LESS_THAN,
                                        ts,
                                        new ValueLiteralExpression(
                                                LocalDate.of(2024, 1, 1).atStartOfDay(),
                                                DataTypes.TIMESTAMP(3).notNull())),
                                call(BuiltInFunctionDefinitions.EQUALS, p, literal(2))),
                        row ->
                                row.getInt(6) == 2
                                        || (!row.isNullAt(5)
                                                && row.getTimestamp(5, 3)
                                                        .toLocalDateTime()
                                                        .isBefore(
                                                                LocalDate.of(2024, 1, 1)
                                                                        .atStartOfDay()))));
        return filters;
    }

    private static int compare(RowData row, String decimal) {
        return row.isNullAt(4)
                ? -1
                : row.getDecimal(4, 10, 2).toBigDecimal().compareTo(new BigDecimal(decimal));
    }

    private static ValueLiteralExpression literal(Object value) {
        return new ValueLiteralExpression(value);
    }

    private static List<RowData> filteredRows() {
        List<RowData> rows = new ArrayList<>();
        for (long id = 0; id < 60; id++) {
            boolean isNull = id % 10 == 9;
            rows.add(
                    GenericRowData.of(
                            id,
                            isNull ? null : (int) (id % 7),
                            isNull ? null : (id % 2 == 0 ? -0.0 : 0.0) + (id % 3),
                            isNull ? null : StringData.fromString("s" + id % 5),
                            isNull ? null : decimal(id % 4 == 0 ? "1.56" : "1.55"),
                            isNull
                                    ? null
                                    : TimestampData.fromLocalDateTime(
                                            LocalDate.of(2023, 12, 3).plusDays(id).atStartOfDay()),
                            (int) (id % 3)));
        }
        return rows;
    }

    private static DecimalData decimal(String value) {
        return DecimalData.fromBigDecimal(new BigDecimal(value), 10, 2);
    }

    private static TestTable filteredTable() {
        TestTable created = new TestTable();
        FILTERED.getFields()
                .forEach(field -> created.column(field.getName(), DataTypes.of(field.getType())));
        return created.partitionedBy("p");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void filtersDropOnlyRowsThatDoNotMatch(boolean withPrimaryKey) {
        TestTable created = filteredTable();
        LakeTable table =
                create(withPrimaryKey ? created.primaryKey("id", "p") : created, List.of("id"), 2);
        List<RowData> rows = filteredRows();
        tier(table, rows.subList(0, 30));
        tier(table, rows.subList(30, 60));
        List<String> projection = List.of("s", "id");
        long snapshot = table.latestSnapshot().orElseThrow().snapshotId();

        filters()
                .forEach(
                        (name, filter) -> {
                            List<List<String>> expected =
                                    rows.stream()
                                            .filter(filter.test())
                                            .map(row -> project(row, FILTERED, projection))
                                            .map(row -> row.getField(0) + "/" + row.getField(1))
                                            .map(List::of)
                                            .toList();
                            LakeScan scan =
                                    new LakeScan(
                                            snapshot,
                                            projection,
                                            table.toFilter(List.of(filter.expression()))
                                                    .orElse(null));
                            List<List<String>> found =
                                    read(table, scan).stream()
                                            .map(row -> List.of(row.get(0) + "/" + row.get(1)))
                                            .toList();
                            assertThat(expected).as(name).isNotEmpty();
                            assertThat(found).as(name).containsAll(expected);
                        });
    }

    @Test
    void filtersAreUsed() {
        LakeTable table = create(filteredTable().primaryKey("id", "p"), List.of("id"), 2);
        tier(table, filteredRows());
        long snapshot = table.latestSnapshot().orElseThrow().snapshotId();
        FieldReferenceExpression p = field("p", DataTypes.INT().notNull());
        FieldReferenceExpression id = field("id", DataTypes.BIGINT().notNull());
        ResolvedExpression partition = call(BuiltInFunctionDefinitions.EQUALS, p, literal(2));
        ResolvedExpression never =
                call(BuiltInFunctionDefinitions.GREATER_THAN, id, literal(1000L));

        LakeScan pruned =
                new LakeScan(
                        snapshot, List.of("p"), table.toFilter(List.of(partition)).orElseThrow());
        LakeScan nothing =
                new LakeScan(
                        snapshot,
                        List.of("p"),
                        table.toFilter(List.of(partition, never)).orElseThrow());

        assertThat(read(table, pruned)).hasSize(20).allMatch(List.of("2")::equals);
        assertThat(table.planSplits(nothing)).isEmpty();
    }

    @Test
    void whatCannotBeConvertedIsLeftOut() {
        LakeTable table = create(filteredTable().primaryKey("id", "p"), List.of("id"), 2);
        FieldReferenceExpression i = field("i", DataTypes.INT());
        FieldReferenceExpression d = field("d", DataTypes.DOUBLE());
        ResolvedExpression columns = call(BuiltInFunctionDefinitions.EQUALS, i, i);
        ResolvedExpression floating =
                call(BuiltInFunctionDefinitions.GREATER_THAN, d, literal(0.5));

        assertThat(table.toFilter(List.of(columns))).isEmpty();
        assertThat(table.toFilter(List.of())).isEmpty();
        assertThat(
                        table.toFilter(
                                List.of(
                                        columns,
                                        floating,
                                        call(BuiltInFunctionDefinitions.IS_NOT_NULL, i))))
                .isPresent();
    }

    private static LakeScan snapshotScan(LakeTable table, List<String> columns) {
        return new LakeScan(table.latestSnapshot().orElseThrow().snapshotId(), columns, null);
    }

    /** Random rows with ids 0, 1, 2 … */
    private static List<GenericRowData> rows(RowType type, int count) {
        RandomRows random = new RandomRows(SEED);
        List<GenericRowData> rows = new ArrayList<>();
        for (long id = 0; id < count; id++) {
            GenericRowData row = random.row(type);
            row.setField(type.getFieldIndex("id"), id);
            rows.add(row);
        }
        return rows;
    }
}
