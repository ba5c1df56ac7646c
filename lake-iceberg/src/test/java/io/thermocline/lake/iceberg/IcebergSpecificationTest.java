package io.thermocline.lake.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.lake.DeleteStyle;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.LakeWriter;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.conformance.LakeSuite;
import io.thermocline.lake.conformance.LakeUnderTest;
import io.thermocline.lake.conformance.RandomRows;
import io.thermocline.lake.conformance.RowValues;
import io.thermocline.lake.conformance.TestTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random rounds of tiering, compactions between them and beside them: after every commit the table
 * keeps the rules of Iceberg's table specification and has the rows of the model, as Iceberg's own
 * readers see it.
 */
class IcebergSpecificationTest extends LakeSuite {

    private static final boolean FULL = Boolean.getBoolean("thermocline.test.full");
    private static final long SEEDS = FULL ? 20 : 1;
    private static final int STEPS = FULL ? 20 : 7;

    /** More than a writer takes before it looks whether the file is large enough. */
    private static final int FIRST_ROWS = 1_500;

    private static final int CHANGES = 60;
    private static final int KEYS = 4_000;
    private static final String PREFIX = "longer than what bounds keep of it: ";

    private IcebergUnderTest iceberg;
    private Random random;
    private RandomRows randomRows;
    private LakeTable table;
    private RowType rowType;
    private DeleteStyle deletes;
    private final Map<List<String>, GenericRowData> model = new HashMap<>();
    private final SpecRules rules = new SpecRules();

    @Override
    protected LakeUnderTest open(Path warehouse) {
        iceberg = new IcebergUnderTest(warehouse);
        return iceberg;
    }

    /** Tables of every layout. */
    private enum Layout {
        ONE_BUCKET(1, "id") {
            @Override
            TestTable table() {
                return new TestTable()
                        .column("v", DataTypes.STRING())
                        .column("id", DataTypes.BIGINT().notNull())
                        .primaryKey("id")
                        .option(TableProperties.WRITE_TARGET_FILE_SIZE_BYTES, "8000");
            }
        },
        PARTITIONS(2, "id") {
            @Override
            TestTable table() {
                return new TestTable()
                        .column("v", DataTypes.STRING())
                        .column("p", DataTypes.INT().notNull())
                        .column("d", DataTypes.DOUBLE())
                        .column("id", DataTypes.BIGINT().notNull())
                        .primaryKey("id", "p")
                        .partitionedBy("p");
            }

            @Override
            void alter(Table table) {
                table.replaceSortOrder().asc("v").desc("id").commit();
            }
        },
        KEYS_OF_MANY_TYPES(2, "s") {
            @Override
            TestTable table() {
                return new TestTable()
                        .column("p", DataTypes.DATE().notNull())
                        .column("v", DataTypes.INT())
                        .column("s", DataTypes.STRING().notNull())
                        .column("b", DataTypes.BYTES().notNull())
                        .column("t", DataTypes.TIMESTAMP(9).notNull())
                        .column("l", DataTypes.TIMESTAMP_LTZ(3).notNull())
                        .column("n", DataTypes.DECIMAL(30, 5).notNull())
                        .column("k", DataTypes.TINYINT().notNull())
                        .column("x", DataTypes.BOOLEAN().notNull())
                        .column("m", DataTypes.TIME(3).notNull())
                        .primaryKey("k", "s", "b", "t", "l", "n", "x", "m", "p")
                        .partitionedBy("p");
            }
        },
        ALL_TYPES(2, "id") {
            @Override
            TestTable table() {
                TestTable table = new TestTable().primaryKey("id");
                for (Column column :
                        TestTable.withAllTypes().build().getResolvedSchema().getColumns()) {
                    if (!column.getName().contains("variant")) {
                        table.column(column.getName(), column.getDataType());
                    }
                }
                return table;
            }
        },
        AVRO(2, "id") {
            @Override
            TestTable table() {
                return ALL_TYPES.table().option(TableProperties.DEFAULT_FILE_FORMAT, "avro");
            }
        },
        ORC(2, "id") {
            @Override
            TestTable table() {
                return ALL_TYPES.table().option(TableProperties.DEFAULT_FILE_FORMAT, "orc");
            }
        },
        FORMAT_VERSION_3(2, "id") {
            @Override
            TestTable table() {
                return PARTITIONS.table().option(TableProperties.FORMAT_VERSION, "3");
            }
        };

        private final int buckets;
        private final String bucketKey;

        Layout(int buckets, String bucketKey) {
            this.buckets = buckets;
            this.bucketKey = bucketKey;
        }

        abstract TestTable table();

        /** Whether it is tested by default. */
        private boolean isDefault(DeleteStyle style) {
            return switch (this) {
                case AVRO, ORC -> false;
                case FORMAT_VERSION_3 -> true;
                case KEYS_OF_MANY_TYPES -> style == DeleteStyle.POSITION;
                default -> style == DeleteStyle.EQUALITY;
            };
        }

        void alter(Table table) {}
    }

    static Stream<Arguments> histories() {
        return Arrays.stream(DeleteStyle.values())
                .flatMap(
                        style ->
                                Arrays.stream(Layout.values())
                                        .filter(layout -> FULL || layout.isDefault(style))
                                        .flatMap(layout -> histories(layout, style)));
    }

    private static Stream<Arguments> histories(Layout layout, DeleteStyle style) {
        return LongStream.rangeClosed(1, SEEDS).mapToObj(seed -> Arguments.of(layout, style, seed));
    }

    @ParameterizedTest(name = "{0}, {1}, seed {2}")
    @MethodSource("histories")
    void everySnapshotKeepsTheRules(Layout layout, DeleteStyle style, long seed) {
        random = new Random(seed);
        randomRows = new RandomRows(seed);
        deletes = style;
        create(
                layout.table()
                        .option(
                                LakeTableDefinition.OPTION_PREFIX + DeleteStyle.OPTION,
                                style.name().toLowerCase(Locale.ROOT)),
                List.of(layout.bucketKey),
                layout.buckets);
        layout.alter(iceberg.table(PATH));
        table = catalog.table(PATH);
        rowType = table.definition().rowType();

        tierRandomly(layout == Layout.ONE_BUCKET ? FIRST_ROWS : CHANGES);
        check();
        for (int step = 0; step < STEPS; step++) {
            if (step % 3 == 2 && random.nextBoolean()) {
                maintain();
            } else {
                tierRandomly(CHANGES);
            }
            check();
        }
        checkReaders();
        compactBesideTiering();
        maintain();
        checkReaders();
        assertThat(iceberg.table(PATH).snapshots())
                .extracting(snapshot -> snapshot.operation())
                .contains(DataOperations.REPLACE, DataOperations.OVERWRITE, DataOperations.APPEND);
    }

    private void maintain() {
        Set<List<Object>> before = rowIds();
        table.maintain(new LakeMaintenance(3_600_000, Set.of()));
        check();
        assertThat(rowIds()).isEqualTo(before);
    }

    /** The compaction reads a snapshot; by the time that it commits, there is another one. */
    private void compactBesideTiering() {
        Table before = iceberg.table(PATH);
        tierRandomly(CHANGES);
        check();
        Set<List<Object>> ids = rowIds();
        new Compaction(PATH, before).run();
        check();
        checkReaders();
        assertThat(rowIds()).isEqualTo(ids);
    }

    /** Each row's key, its id and the snapshot that it is of. */
    private Set<List<Object>> rowIds() {
        Table present = iceberg.table(PATH);
        if (!TableUtil.supportsRowLineage(present)) {
            return Set.of();
        }
        Set<List<Object>> ids = new HashSet<>();
        for (Record row : rules.rows()) {
            ids.add(
                    List.of(
                            keyOf(RecordValues.of(row, rowType)),
                            row.getField(MetadataColumns.ROW_ID.name()),
                            row.getField(MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER.name())));
        }
        return ids;
    }

    /** The rules are kept, and what they make of the files is the model. */
    private void check() {
        rules.check(iceberg.table(PATH), Set.copyOf(table.definition().primaryKey()));
        assertThat(sorted(values(rules.rows()))).isEqualTo(expected());
        if (deletes == DeleteStyle.POSITION) {
            assertThat(iceberg.table(PATH).currentSnapshot().summary())
                    .containsEntry("total-equality-deletes", "0");
        }
    }

    private void checkReaders() {
        assertThat(sorted(values(iceberg.readGenerically(PATH)))).isEqualTo(expected());
        assertThat(sorted(readAll(table).stream())).isEqualTo(expected());
    }

    private List<String> expected() {
        return sorted(model.values().stream().map(row -> RowValues.of(row, rowType)));
    }

    private Stream<List<String>> values(List<Record> rows) {
        return rows.stream().map(row -> RecordValues.of(row, rowType));
    }

    private static List<String> sorted(Stream<List<String>> rows) {
        return rows.map(List::toString).sorted().toList();
    }

    private List<String> keyOf(List<String> row) {
        return table.definition().primaryKey().stream()
                .map(column -> row.get(rowType.getFieldIndex(column)))
                .toList();
    }

    /** A round with one change of each of some keys, known ones and others. */
    private void tierRandomly(int changes) {
        TieredState expected = state(table);
        Map<Integer, Integer> records = new HashMap<>();
        Set<List<String>> changed = new HashSet<>();
        try (LakeWriter writer = table.newWriter(temporary.toString())) {
            List<List<String>> known = new ArrayList<>(model.keySet());
            for (int i = 0; i < changes; i++) {
                GenericRowData row = randomRow();
                if (!known.isEmpty() && random.nextInt(100) < 60) {
                    List<String> key = known.get(random.nextInt(known.size()));
                    if (changed.contains(key)) {
                        continue;
                    }
                    copyKey(model.get(key), row);
                }
                List<String> key = keyOf(RowValues.of(row, rowType));
                if (changed.add(key)) {
                    int bucket = bucketOf(table, row);
                    records.merge(bucket, 1, Integer::sum);
                    write(writer, bucket, key, row);
                }
            }
            table.commit(new LakeCommit(expected, next(expected, records), writer.finish()));
        }
    }

    private void write(LakeWriter writer, int bucket, List<String> key, GenericRowData row) {
        if (random.nextInt(100) < 25) {
            row.setRowKind(RowKind.DELETE);
            writer.write(bucket, row);
            model.remove(key);
        } else if (model.containsKey(key) || random.nextInt(100) < 30) {
            writer.write(bucket, row);
            model.put(key, row);
        } else {
            writer.writeNew(bucket, row);
            model.put(key, row);
        }
    }

    private GenericRowData randomRow() {
        GenericRowData row = randomRows.row(rowType);
        set(row, "id", (long) random.nextInt(KEYS));
        set(row, "p", random.nextInt(2) - 1);
        set(row, "s", StringData.fromString(PREFIX + random.nextInt(KEYS)));
        return row;
    }

    private void set(GenericRowData row, String column, Object value) {
        int field = rowType.getFieldIndex(column);
        if (field >= 0) {
            row.setField(field, value);
        }
    }

    private void copyKey(GenericRowData from, GenericRowData to) {
        for (String column : table.definition().primaryKey()) {
            int field = rowType.getFieldIndex(column);
            to.setField(field, from.getField(field));
        }
    }
}
