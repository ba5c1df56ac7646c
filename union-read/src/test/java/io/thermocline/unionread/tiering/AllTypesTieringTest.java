package io.thermocline.unionread.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.conformance.RandomRows;
import io.thermocline.lake.conformance.RowValues;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.lake.paimon.PaimonLakeBinding;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.verify.Comparison;
import io.thermocline.unionread.verify.TableVerification;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of every type come out of the lake as they went into the hot tier. */
class AllTypesTieringTest {

    private static final ObjectPath PATH = new ObjectPath("default", "t");
    private static final int ROWS = 100;

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rowsOfAllTypesReachTheLake(boolean hasPrimaryKey) throws Exception {
        TestTable schema = TestTable.withAllTypes();
        if (hasPrimaryKey) {
            schema.primaryKey("id");
        }
        LakeConfig config =
                new LakeConfig("paimon", directory.resolve("lake").toString(), Map.of());
        try (LakeCatalog catalog =
                new PaimonLakeBinding().open(config, getClass().getClassLoader())) {
            catalog.createTable(PATH, schema.build(), List.of("id"), 1);
            LakeTable lake = catalog.table(PATH);
            HotTableSpec spec = LogicalTable.specOf(lake.definition());
            List<RowData> rows = rows(spec.rowType());

            try (LocalHotStore store =
                            LocalHotStore.open(
                                    LocalHotStoreConfig.of(directory.resolve("hot")),
                                    path -> Optional.of(spec),
                                    (path, tableId) -> {
                                        throw new UnsupportedOperationException();
                                    });
                    HotTable hot = store.openTable(PATH, spec.tableId())) {
                append(hot, rows.subList(0, ROWS / 2));
                new TieringRound(hot, lake, directory.resolve("spill")).run();
                append(hot, rows.subList(ROWS / 2, ROWS));
                assertThat(new TableVerification(new LogicalTable(spec, lake, null), hot).run())
                        .allMatch(Comparison::agrees);
                new TieringRound(hot, lake, directory.resolve("spill")).run();
            }

            assertThat(read(lake))
                    .containsExactlyInAnyOrderElementsOf(
                            rows.stream().map(row -> RowValues.of(row, spec.rowType())).toList());
        }
    }

    private static List<RowData> rows(RowType type) {
        RandomRows random = new RandomRows(42);
        List<RowData> rows = new ArrayList<>();
        for (long id = 0; id < ROWS; id++) {
            GenericRowData row = random.row(type);
            row.setField(type.getFieldIndex("id"), id);
            rows.add(row);
        }
        return rows;
    }

    private static void append(HotTable hot, List<RowData> rows) {
        try (BufferAllocator allocator = new RootAllocator();
                RowBatchBuilder builder = new RowBatchBuilder(hot.spec().rowType(), allocator)) {
            rows.forEach(builder::append);
            hot.append(new AppendBatch(0, UUID.randomUUID(), 0, builder.finish())).join();
        }
    }

    private static List<List<String>> read(LakeTable lake) throws Exception {
        RowType type = lake.definition().rowType();
        LakeScan scan =
                new LakeScan(
                        lake.latestSnapshot().orElseThrow().snapshotId(),
                        type.getFieldNames(),
                        null);
        List<List<String>> rows = new ArrayList<>();
        for (LakeSplit split : lake.planSplits(scan)) {
            try (CloseableIterator<RowData> iterator = lake.read(split, scan)) {
                while (iterator.hasNext()) {
                    rows.add(RowValues.of(iterator.next(), type));
                }
            }
        }
        return rows;
    }
}
