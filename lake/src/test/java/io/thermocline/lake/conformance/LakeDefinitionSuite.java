package io.thermocline.lake.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.ShownTable;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.WarehouseFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.catalog.WatermarkSpec;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CREATE TABLE, what a table says about itself, and the warehouse's own files. */
public abstract class LakeDefinitionSuite extends LakeSuite {

    private static TestTable primaryKeyTable() {
        return new TestTable()
                .column("name", DataTypes.STRING())
                .column("id", DataTypes.BIGINT().notNull())
                .primaryKey("id");
    }

    @Test
    void newTableHasAnEmptySnapshotWithItsIdAndOffsetZero() {
        String id = UUID.randomUUID().toString();

        LakeTable table = create(primaryKeyTable().tableId(id), List.of("id"), 3);

        LakeSnapshot snapshot = table.latestSnapshot().orElseThrow();
        assertThat(snapshot.tieredState()).isEqualTo(TieredState.initial(id, 3));
        assertThat(snapshot.hasData()).isFalse();
        assertThat(table.latestTieredSnapshot()).contains(snapshot);
        assertThat(readAll(table)).isEmpty();
    }

    @Test
    void definitionOfAPrimaryKeyTable() {
        TestTable created =
                new TestTable()
                        .column("v", DataTypes.STRING())
                        .column("dt", DataTypes.DATE().notNull())
                        .column("b", DataTypes.INT().notNull())
                        .column("a", DataTypes.BIGINT().notNull())
                        .primaryKey("dt", "a", "b")
                        .partitionedBy("dt")
                        .option("thermocline.hot.log.retention", "2 d");

        List<String> bucketKeys =
                lake.holdsCompositeBucketKeys() ? List.of("a", "b") : List.of("b");
        LakeTableDefinition definition = create(created, bucketKeys, 4).definition();

        assertThat(definition.path()).isEqualTo(PATH);
        assertThat(definition.primaryKey()).containsExactly("dt", "a", "b");
        assertThat(definition.partitionKeys()).containsExactly("dt");
        assertThat(definition.bucketKeys()).isEqualTo(bucketKeys);
        assertThat(definition.bucketCount()).isEqualTo(4);
        assertThat(definition.schemaVersion()).isZero();
        assertThat(definition.hotOptions())
                .containsOnlyKeys("table-id", "hot.log.retention")
                .containsEntry("hot.log.retention", "2 d");
    }

    @Test
    void bucketKeyMayBePartOfThePrimaryKey() {
        TestTable created =
                new TestTable()
                        .column("a", DataTypes.BIGINT().notNull())
                        .column("b", DataTypes.INT().notNull())
                        .primaryKey("a", "b");

        assertThat(create(created, List.of("b"), 2).definition().bucketKeys()).containsExactly("b");
    }

    @Test
    void aCompositeBucketKeyIsHeldOrRefused() {
        TestTable created =
                new TestTable()
                        .column("a", DataTypes.BIGINT().notNull())
                        .column("b", DataTypes.INT().notNull())
                        .primaryKey("a", "b");
        ObjectPath oneBucket = new ObjectPath("default", "one_bucket");
        catalog.createTable(oneBucket, created.build(), List.of("a", "b"), 1);
        LakeTableDefinition definition = catalog.table(oneBucket).definition();

        assertThat(definition.bucketKeys()).containsExactly("a", "b");
        assertThat(definition.bucketCount()).isEqualTo(1);
        if (lake.holdsCompositeBucketKeys()) {
            assertThat(create(created, List.of("a", "b"), 2).definition().bucketKeys())
                    .containsExactly("a", "b");
        } else {
            assertThatThrownBy(() -> create(created, List.of("a", "b"), 2))
                    .hasMessageStartingWith("UNSUPPORTED: ")
                    .hasMessageContaining("bucket key [a, b]")
                    .hasMessageContaining(lakeName());
            assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
        }
    }

    @Test
    void definitionOfLogTables() {
        TestTable keyed = new TestTable().column("a", DataTypes.BIGINT());
        TestTable keyless = new TestTable().column("a", DataTypes.BIGINT());
        ObjectPath keylessPath = new ObjectPath("default", "keyless");

        LakeTableDefinition keyedDefinition = create(keyed, List.of("a"), 4).definition();
        catalog.createTable(keylessPath, keyless.build(), List.of(), 3);
        LakeTable keylessTable = catalog.table(keylessPath);

        assertThat(keyedDefinition.primaryKey()).isEmpty();
        assertThat(keyedDefinition.bucketKeys()).containsExactly("a");
        assertThat(keyedDefinition.bucketCount()).isEqualTo(4);
        assertThat(keylessTable.definition().bucketKeys()).isEmpty();
        assertThat(keylessTable.definition().bucketCount()).isEqualTo(3);
        assertThat(keylessTable.definition().hotOptions()).containsOnlyKeys("table-id");
        assertThat(state(keylessTable).buckets()).containsOnlyKeys(0, 1, 2);
        assertThatThrownBy(keylessTable::bucketFunction)
                .hasMessageContaining("default.keyless has no bucket key");
    }

    @Test
    void definitionGivesTheDeclaredTypesBack() {
        TestTable created = TestTable.withAllTypes().primaryKey("id");

        RowType rowType = create(created, List.of("id"), 1).definition().rowType();

        assertThat(rowType.getFields()).isEqualTo(created.rowType().getFields());
    }

    @Test
    void keepsComputedColumnsWatermarkAndComments() {
        ResolvedSchema schema = schemaWithWatermark();
        Schema unresolved =
                Schema.newBuilder()
                        .column("ts", DataTypes.TIMESTAMP(3))
                        .withComment("event time")
                        .columnByExpression("same_ts", "`ts`")
                        .column("id", DataTypes.INT().notNull())
                        .watermark("ts", "`ts`")
                        .primaryKey("id")
                        .build();
        CatalogTable table =
                CatalogTable.newBuilder()
                        .schema(unresolved)
                        .comment("flights")
                        .options(Map.of("thermocline.table-id", "x"))
                        .build();

        catalog.createTable(PATH, new ResolvedCatalogTable(table, schema), List.of("id"), 1);

        ShownTable shown = catalog.shownTable(PATH);
        CatalogTable found = (CatalogTable) shown.table();
        assertThat(found.getComment()).isEqualTo("flights");
        assertThat(found.getUnresolvedSchema().getColumns())
                .extracting(Schema.UnresolvedColumn::getName)
                .containsExactly("ts", "same_ts", "id");
        assertThat(found.getUnresolvedSchema().getColumns().get(0).getComment())
                .contains("event time");
        assertThat(found.getUnresolvedSchema().getWatermarkSpecs().toString()).contains("ts");
        assertThat(catalog.table(PATH).definition().rowType().getFieldNames())
                .containsExactly("ts", "id");
        assertThat(shown.hot().definition()).isEqualTo(catalog.table(PATH).definition());
    }

    private static ResolvedSchema schemaWithWatermark() {
        ResolvedExpression ts = new FieldReferenceExpression("ts", DataTypes.TIMESTAMP(3), 0, 0);
        ResolvedExpression computed =
                CallExpression.permanent(
                        BuiltInFunctionDefinitions.COALESCE, List.of(ts), DataTypes.TIMESTAMP(3));
        return new ResolvedSchema(
                List.of(
                        Column.physical("ts", DataTypes.TIMESTAMP(3)).withComment("event time"),
                        Column.computed("same_ts", new SqlExpression(computed, "`ts`")),
                        Column.physical("id", DataTypes.INT().notNull())),
                List.of(WatermarkSpec.of("ts", new SqlExpression(ts, "`ts`"))),
                UniqueConstraint.primaryKey("pk", List.of("id")),
                List.of());
    }

    @Test
    void refusesAnUnsupportedTypeNamingTheColumn() {
        TestTable created =
                primaryKeyTable().column("tags", DataTypes.MULTISET(DataTypes.STRING()));

        assertThatThrownBy(() -> create(created, List.of("id"), 1))
                .isInstanceOf(LakeException.class)
                .hasMessageContaining("column 'tags' has type MULTISET<")
                .hasMessageContaining(lakeName());
        assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
    }

    @Test
    void refusesAnUnsupportedTypeInsideAnother() {
        DataType nested =
                DataTypes.ARRAY(
                        DataTypes.ROW(
                                DataTypes.FIELD("d", DataTypes.INTERVAL(DataTypes.SECOND()))));

        assertThatThrownBy(() -> create(primaryKeyTable().column("n", nested), List.of("id"), 1))
                .hasMessageStartingWith("UNSUPPORTED: ")
                .hasMessageContaining("column 'n' has type ARRAY<ROW<")
                .hasMessageContaining("(INTERVAL SECOND");
    }

    @Test
    void refusesANestedBucketKey() {
        TestTable created =
                new TestTable().column("tags", DataTypes.ARRAY(DataTypes.STRING()).notNull());

        assertThatThrownBy(() -> create(created, List.of("tags"), 1))
                .hasMessageContaining("column 'tags' has type ARRAY<STRING> NOT NULL")
                .hasMessageContaining("as a bucket-key column");
    }

    @ParameterizedTest
    @ValueSource(strings = {"primary-key", "bucket-key", "partition"})
    void refusesAVariantInAKey(String key) {
        TestTable created =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("v", DataTypes.VARIANT().notNull());
        if (key.equals("primary-key")) {
            created.primaryKey("id", "v");
        } else if (key.equals("partition")) {
            created.partitionedBy("v");
        }

        assertThatThrownBy(() -> create(created, List.of(key.equals("bucket-key") ? "v" : "id"), 1))
                .hasMessageContaining("column 'v' has type VARIANT NOT NULL, which the lake")
                .hasMessageContaining(
                        "(" + lakeName() + ") does not support as a " + key + " column")
                .hasMessageContaining("Choose another type for the column.");
        assertThat(catalog.flinkCatalog().tableExists(PATH)).isFalse();
    }

    @Test
    void refusesAVariantInTheKeyOfAMap() {
        DataType map = DataTypes.MAP(DataTypes.VARIANT(), DataTypes.INT());

        assertThatThrownBy(
                        () ->
                                create(
                                        primaryKeyTable().column("m", DataTypes.ARRAY(map)),
                                        List.of("id"),
                                        1))
                .hasMessageContaining("column 'm' has type ARRAY<MAP<VARIANT, INT>>")
                .hasMessageContaining("with VARIANT in the key of a map");
    }

    @Test
    void createOfAnExistingTableLeavesItAsItIs() {
        LakeTable first = create(primaryKeyTable(), List.of("id"), 2);

        assertThatThrownBy(() -> create(primaryKeyTable(), List.of("id"), 2))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.TABLE_ALREADY_EXISTS))
                .hasMessageContaining("default.t exists already");
        assertThat(catalog.table(PATH).definition()).isEqualTo(first.definition());
        assertThat(state(first).offsets()).isEqualTo(Map.of(0, 0L, 1, 0L));
    }

    @Test
    void ofManyCreatesAtOnceOneWins() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<Boolean>> results = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String id = "creator-" + i;
            results.add(threads.submit(() -> createsTable(id)));
        }
        List<String> winners = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).get()) {
                winners.add("creator-" + i);
            }
        }
        threads.shutdown();

        assertThat(winners).hasSize(1);
        assertThat(state(catalog.table(PATH))).isEqualTo(TieredState.initial(winners.get(0), 2));
    }

    private boolean createsTable(String tableId) {
        try (LakeCatalog other = lake.openCatalog()) {
            other.createTable(PATH, primaryKeyTable().tableId(tableId).build(), List.of("id"), 2);
            return true;
        } catch (LakeException e) {
            assertThat(e.reason()).isEqualTo(Reason.TABLE_ALREADY_EXISTS);
            return false;
        }
    }

    @Test
    void createInAMissingDatabaseNamesIt() {
        ObjectPath path = new ObjectPath("nowhere", "t");

        assertThatThrownBy(
                        () ->
                                catalog.createTable(
                                        path, primaryKeyTable().build(), List.of("id"), 1))
                .isInstanceOf(LakeException.class)
                .hasMessageContaining("database nowhere does not exist");
    }

    @Test
    void aMissingTableIsNotFound() {
        assertThatThrownBy(() -> catalog.table(PATH))
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.TABLE_NOT_FOUND))
                .hasMessageContaining("default.t");
    }

    @Test
    void aPlainLakeTableHasNoTableId() throws Exception {
        ResolvedCatalogTable plain = primaryKeyTable().build().copy(Map.of());
        catalog.flinkCatalog().createTable(PATH, plain, false);

        LakeTable table = catalog.table(PATH);

        assertThat(table.definition().tableId()).isEmpty();
        assertThat(table.latestSnapshot()).isEmpty();
        assertThat(table.latestTieredSnapshot()).isEmpty();
    }

    @Test
    void aTableWithoutTieredStateIsAnError() {
        LakeTable table = create(primaryKeyTable().tableId("lost-id"), List.of("id"), 1);
        lake.loseTieredState(PATH);

        assertThatThrownBy(table::latestSnapshot)
                .isInstanceOfSatisfying(
                        LakeException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.TIERED_STATE_MISSING))
                .hasMessageContaining("default.t")
                .hasMessageContaining("lost-id");
        assertThatThrownBy(table::latestTieredSnapshot)
                .hasMessageStartingWith("TIERED_STATE_MISSING: ");
    }

    @Test
    void aTableWorksWithoutItsCatalog() throws Exception {
        LakeTable table;
        try (LakeCatalog other = lake.openCatalog()) {
            other.createTable(PATH, primaryKeyTable().build(), List.of("id"), 2);
            table = other.table(PATH);
        }

        LakeTable copy =
                InstantiationUtil.deserializeObject(
                        InstantiationUtil.serializeObject(table), getClass().getClassLoader());
        RandomRows random = new RandomRows(1);
        tier(copy, List.of(random.row(copy.definition().rowType())));

        assertThat(copy.definition()).isEqualTo(table.definition());
        assertThat(readAll(copy)).hasSize(1).isEqualTo(readAll(catalog.table(PATH)));
    }

    @Test
    void anotherCatalogSeesATableDroppedAndCreatedAgain() throws Exception {
        LakeTable first = create(primaryKeyTable().tableId("first"), List.of("id"), 1);
        try (LakeCatalog other = lake.openCatalog()) {
            other.flinkCatalog().dropTable(PATH, false);
            other.createTable(PATH, primaryKeyTable().tableId("second").build(), List.of("id"), 2);
        }

        assertThat(catalog.table(PATH).definition().tableId()).contains("second");
        assertThat(catalog.table(PATH).definition().bucketCount()).isEqualTo(2);
        assertThatThrownBy(first::latestSnapshot)
                .hasMessageStartingWith("TABLE_NOT_FOUND: ")
                .hasMessageContaining("its id was first and is now second");
    }

    @ParameterizedTest
    @ValueSource(strings = {"store.json", "a/b"})
    void warehouseFilesAreCreatedOnce(String name) throws Exception {
        WarehouseFiles files = catalog.warehouseFiles();
        assertThat(files.read(name)).isEmpty();
        List<Future<Boolean>> results = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        for (int i = 0; i < 16; i++) {
            byte[] content = {(byte) i, (byte) 0xff, 0};
            results.add(threads.submit(() -> files.createIfAbsent(name, content)));
        }
        List<Integer> winners = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).get()) {
                winners.add(i);
            }
        }
        threads.shutdown();

        assertThat(winners).hasSize(1);
        byte[] expected = {winners.get(0).byteValue(), (byte) 0xff, 0};
        assertThat(files.read(name)).hasValueSatisfying(c -> assertThat(c).isEqualTo(expected));

        byte[] replaced = {7};
        files.replace(name, replaced);
        assertThat(files.read(name)).hasValueSatisfying(c -> assertThat(c).isEqualTo(replaced));
    }

    /** The lake's name as its messages have it. */
    protected abstract String lakeName();
}
