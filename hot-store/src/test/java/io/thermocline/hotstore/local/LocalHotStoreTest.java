package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.TestStore.Logged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalHotStoreTest {

    private static final UUID WRITER = UUID.randomUUID();

    @TempDir private Path directory;

    @Test
    void upsertsAndDeletesAreMergedIntoAFullChangelog() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.primaryKeyTable("t", 2, Map.of()));

            AppendResult first =
                    store.append(
                                    table,
                                    1,
                                    WRITER,
                                    0,
                                    List.of(
                                            Change.upsert(1, "a"),
                                            Change.upsert(2, "b"),
                                            Change.upsert(1, "c"),
                                            Change.upsert(1, "c"),
                                            Change.delete(9)))
                            .join();
            AppendResult second =
                    store.append(
                                    table,
                                    1,
                                    WRITER,
                                    1,
                                    List.of(Change.delete(2), Change.upsert(3, null)))
                            .join();

            assertThat(first.baseOffset()).isZero();
            assertThat(first.endOffset()).isEqualTo(4);
            assertThat(second.endOffset()).isEqualTo(6);
            assertThat(second.commitTimestamp()).isGreaterThan(first.commitTimestamp());
            assertThat(TestStore.changelog(table, 1, 0))
                    .containsExactly(
                            new Logged(0, RowKind.INSERT, 1, "a"),
                            new Logged(1, RowKind.INSERT, 2, "b"),
                            new Logged(2, RowKind.UPDATE_BEFORE, 1, "a"),
                            new Logged(3, RowKind.UPDATE_AFTER, 1, "c"),
                            new Logged(4, RowKind.DELETE, 2, "b"),
                            new Logged(5, RowKind.INSERT, 3, null));
            assertThat(TestStore.lookup(table, 1, 1)).contains("c");
            assertThat(TestStore.lookup(table, 1, 2)).isEmpty();
            assertThat(TestStore.lookup(table, 1, 3)).contains("null");
            assertThat(TestStore.end(table, 0)).isZero();
        }
    }

    @Test
    void everythingIsThereAfterAReopen() {
        try (TestStore store = new TestStore(directory)) {
            HotTableSpec keyed = TestStore.primaryKeyTable("t", 1, Map.of());
            HotTableSpec log = TestStore.logTable("l", 1, Map.of());
            store.append(store.create(keyed), 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();
            AppendResult logged =
                    store.append(
                                    store.create(log),
                                    0,
                                    WRITER,
                                    0,
                                    List.of(Change.upsert(7, "x"), Change.upsert(7, "x")))
                            .join();

            store.reopen();

            HotTable table = store.open(keyed);
            assertThat(TestStore.lookup(table, 0, 1)).contains("a");
            AppendResult changed =
                    store.append(table, 0, WRITER, 1, List.of(Change.upsert(1, "b"))).join();
            assertThat(changed.commitTimestamp()).isGreaterThan(logged.commitTimestamp());
            assertThat(TestStore.changelog(table, 0, 0))
                    .containsExactly(
                            new Logged(0, RowKind.INSERT, 1, "a"),
                            new Logged(1, RowKind.UPDATE_BEFORE, 1, "a"),
                            new Logged(2, RowKind.UPDATE_AFTER, 1, "b"));
            HotTable logTable = store.open(log);
            assertThat(TestStore.changelog(logTable, 0, 0))
                    .containsExactly(
                            new Logged(0, RowKind.INSERT, 7, "x"),
                            new Logged(1, RowKind.INSERT, 7, "x"));
            assertThat(store.append(logTable, 0, WRITER, 0, List.of(Change.upsert(8, "y"))).join())
                    .isEqualTo(logged);
        }
    }

    @Test
    void repeatedBatchesAreAppliedOnceAndGapsAreRefused() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.logTable("l", 1, Map.of()));
            AppendResult first =
                    store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();

            assertThat(store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join())
                    .isEqualTo(first);
            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    WRITER,
                                                    2,
                                                    List.of(Change.upsert(2, "b")))
                                            .join())
                    .hasMessageContaining("OUT_OF_SEQUENCE: batch 2 of writer " + WRITER)
                    .hasMessageContaining("the last one was 0");
            UUID unknown = UUID.randomUUID();
            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    unknown,
                                                    1,
                                                    List.of(Change.upsert(2, "b")))
                                            .join())
                    .hasMessageContaining("OUT_OF_SEQUENCE: batch 1 of writer " + unknown)
                    .hasMessageContaining("no batch of this writer is known here");
            assertThat(TestStore.end(table, 0)).isEqualTo(1);
        }
    }

    @Test
    void aDroppedTableIsGoneAndOneOfTheSameNameStartsEmpty() {
        try (TestStore store = new TestStore(directory)) {
            HotTableSpec old = TestStore.primaryKeyTable("t", 1, Map.of());
            HotTable table = store.create(old);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();

            store.store().dropTable(old.tableId());

            assertThatThrownBy(() -> TestStore.lookup(table, 0, 1))
                    .hasMessageContaining("TABLE_CLOSED: table db.t");
            HotTableSpec recreated = TestStore.primaryKeyTable("t", 1, Map.of());
            HotTable fresh = store.create(recreated);
            assertThat(TestStore.lookup(fresh, 0, 1)).isEmpty();
            assertThatThrownBy(() -> store.open(old))
                    .hasMessageContaining("TABLE_RECREATED")
                    .hasMessageContaining(recreated.tableId());

            store.reopen();

            assertThat(TestStore.end(store.open(recreated), 0)).isZero();
            assertThat(store.store().openTables()).hasSize(1);
        }
    }

    @Test
    void aDropThatACrashCutIsFinishedAtTheNextStart() throws IOException {
        HotTableSpec dropped = TestStore.logTable("l", 1, Map.of());
        HotTableSpec kept = TestStore.logTable("k", 1, Map.of());
        Path tableDirectory = directory.resolve("tables").resolve(dropped.tableId());
        Map<Path, byte[]> files = new TreeMap<>();
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(dropped);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();
            HotTable other = store.create(kept);
            store.append(other, 0, WRITER, 0, List.of(Change.upsert(2, "b"))).join();
            for (String name : List.of("table.json", "manifest")) {
                files.put(
                        tableDirectory.resolve(name),
                        Files.readAllBytes(tableDirectory.resolve(name)));
            }
            store.store().dropTable(dropped.tableId());
            store.append(other, 0, WRITER, 1, List.of(Change.upsert(3, "c"))).join();
        }
        assertThat(tableDirectory).doesNotExist();
        // As if the store had ended between the journal's entry and the deletion.
        Files.createDirectories(tableDirectory);
        for (Map.Entry<Path, byte[]> file : files.entrySet()) {
            Files.write(file.getKey(), file.getValue());
        }

        try (TestStore store = new TestStore(directory)) {
            assertThat(tableDirectory).doesNotExist();
            assertThat(store.store().openTables())
                    .extracting(open -> open.spec().tableId())
                    .containsExactly(kept.tableId());
            assertThat(TestStore.changelog(store.create(kept), 0, 0)).hasSize(2);
            // The same id again has nothing of its earlier life.
            assertThat(TestStore.end(store.create(dropped), 0)).isZero();
            store.reopen();
            assertThat(TestStore.end(store.open(dropped), 0)).isZero();
        }
    }

    @Test
    void nullInsideANestedTypeIsRefusedWhereItIsNotNull() {
        RowType declared =
                RowType.of(
                        false,
                        new LogicalType[] {
                            new ArrayType(new IntType(false)),
                            new MapType(new IntType(false), RowType.of(new IntType(false))),
                        },
                        new String[] {"a", "m"});
        RowType nullable =
                RowType.of(
                        false,
                        new LogicalType[] {
                            new ArrayType(new IntType()),
                            new MapType(new IntType(false), RowType.of(new IntType())),
                        },
                        new String[] {"a", "m"});
        HotTableSpec spec =
                new HotTableSpec(
                        new ObjectPath("db", "nested"),
                        UUID.randomUUID().toString(),
                        0,
                        declared,
                        List.of(),
                        List.of(),
                        List.of(),
                        1,
                        Map.of());
        GenericArrayData elements = new GenericArrayData(new Integer[] {1, 2});
        GenericArrayData withNull = new GenericArrayData(new Integer[] {1, null});
        GenericMapData values = new GenericMapData(Map.of(1, GenericRowData.of(1)));
        GenericMapData valuesWithNull =
                new GenericMapData(Map.of(1, GenericRowData.of((Object) null)));
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(spec);
            Map<String, GenericRowData> refused =
                    Map.of(
                            "a[element]", GenericRowData.of(withNull, values),
                            "m[value].f0", GenericRowData.of(elements, valuesWithNull));
            refused.forEach(
                    (where, row) ->
                            assertThatThrownBy(() -> table.append(one(store, nullable, row)).join())
                                    .hasMessageContaining(
                                            "a row for table db.nested has NULL in "
                                                    + where
                                                    + ", which is NOT NULL"));
            assertThat(TestStore.end(table, 0)).isZero();
            table.append(one(store, nullable, GenericRowData.of(null, values))).join();
            assertThat(TestStore.end(table, 0)).isEqualTo(1);
        }
    }

    private static AppendBatch one(TestStore store, RowType type, GenericRowData row) {
        return new AppendBatch(0, WRITER, 0, RowBatches.of(type, List.of(row), store.allocator()));
    }

    @Test
    void nullInAKeyOrNotNullColumnIsRefusedAndNothingIsWritten() {
        try (TestStore store = new TestStore(directory)) {
            HotTable keyed = store.create(TestStore.primaryKeyTable("t", 1, Map.of()));
            HotTable log = store.create(TestStore.logTable("l", 1, Map.of()));
            for (HotTable table : List.of(keyed, log)) {
                assertThatThrownBy(() -> table.append(nullId(store, RowKind.INSERT)).join())
                        .hasMessageContaining("NULL_IN_NOT_NULL_COLUMN")
                        .hasMessageContaining("table db." + table.spec().path().getObjectName())
                        .hasMessageContaining("NULL in id");
                assertThat(TestStore.end(table, 0)).isZero();
            }
            assertThatThrownBy(() -> keyed.append(nullId(store, RowKind.DELETE)).join())
                    .hasMessageContaining("NULL_IN_KEY");
            store.append(keyed, 0, WRITER, 0, List.of(Change.upsert(1, "a"))).join();
            assertThat(TestStore.changelog(keyed, 0, 0)).hasSize(1);
        }
    }

    private static AppendBatch nullId(TestStore store, RowKind kind) {
        RowType nullable =
                RowType.of(
                        false,
                        new LogicalType[] {
                            new BigIntType(), new VarCharType(VarCharType.MAX_LENGTH)
                        },
                        new String[] {"id", "v"});
        List<GenericRowData> rows =
                List.of(
                        GenericRowData.of(1L, StringData.fromString("a")),
                        GenericRowData.ofKind(kind, null, StringData.fromString("b")));
        return new AppendBatch(0, WRITER, 0, RowBatches.of(nullable, rows, store.allocator()));
    }

    @Test
    void aStoreThatLostItsIdentityIsRefused() throws IOException {
        try (TestStore store = new TestStore(directory)) {
            store.create(TestStore.logTable("l", 1, Map.of()));
        }
        Files.delete(directory.resolve("store.json"));
        assertThatThrownBy(() -> new TestStore(directory))
                .hasMessageContaining("CORRUPT_CHANGELOG: the directory " + directory)
                .hasMessageContaining("store.json is missing");
    }

    @Test
    void aSecondStoreOnTheSameDirectoryIsRefused() {
        try (TestStore store = new TestStore(directory)) {
            assertThatThrownBy(() -> new TestStore(directory))
                    .hasMessageContaining("STORE_LOCKED: the hot directory " + directory)
                    .hasMessageContaining("in use by this process");
        }
    }

    @Test
    void aLogTableTakesInsertsOnly() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.logTable("l", 1, Map.of()));
            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    0,
                                                    WRITER,
                                                    0,
                                                    List.of(
                                                            Change.upsert(1, "a"),
                                                            new Change(RowKind.DELETE, 1, null)))
                                            .join())
                    .hasMessageContaining("takes +I rows only");
            assertThat(TestStore.end(table, 0)).isZero();
            assertThat(
                            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a")))
                                    .join()
                                    .endOffset())
                    .isEqualTo(1);
        }
    }
}
