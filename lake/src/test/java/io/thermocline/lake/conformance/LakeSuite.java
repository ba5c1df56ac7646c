package io.thermocline.lake.conformance;

import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeCommittable;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.LakeWriter;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredState.BucketPosition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What the suites share: a catalog over an empty warehouse, and short ways to write and read. */
public abstract class LakeSuite {

    protected static final ObjectPath PATH = new ObjectPath("default", "t");

    @TempDir protected Path temporary;

    protected LakeUnderTest lake;
    protected LakeCatalog catalog;

    /** The binding's lake in an empty directory. */
    protected abstract LakeUnderTest open(Path warehouse);

    @BeforeEach
    void openLake() {
        lake = open(temporary.resolve("warehouse"));
        catalog = lake.openCatalog();
    }

    @AfterEach
    void closeLake() {
        catalog.close();
        lake.close();
    }

    protected LakeTable create(TestTable table, List<String> bucketKeys, int buckets) {
        catalog.createTable(PATH, table.build(), bucketKeys, buckets);
        return catalog.table(PATH);
    }

    /** Buckets of the hot tier of a primary-key table that was created with some. */
    protected int hotBuckets(int created) {
        return created;
    }

    /** The state in the lake. */
    protected static TieredState state(LakeTable table) {
        return table.latestTieredSnapshot().orElseThrow().tieredState();
    }

    /**
     * One tiering round: rows to buckets as the lake places them, each bucket's offset moves on.
     */
    protected LakeSnapshot tier(LakeTable table, List<? extends RowData> rows) {
        Written written = write(table, rows);
        TieredState expected = state(table);
        return table.commit(
                new LakeCommit(expected, next(expected, written.counts()), written.committables()));
    }

    /** The state after more records in some buckets. */
    protected static TieredState next(TieredState state, Map<Integer, Integer> records) {
        Map<Integer, BucketPosition> buckets = new HashMap<>(state.buckets());
        records.forEach(
                (bucket, count) ->
                        buckets.compute(
                                bucket,
                                (b, position) ->
                                        new BucketPosition(
                                                position.offset() + count,
                                                position.maxCommitTimestamp() + 1000)));
        return new TieredState(state.tableId(), buckets);
    }

    /** Files of a round and the number of records in each bucket. */
    protected record Written(List<LakeCommittable> committables, Map<Integer, Integer> counts) {}

    protected Written write(LakeTable table, List<? extends RowData> rows) {
        Map<Integer, Integer> counts = new HashMap<>();
        try (LakeWriter writer = table.newWriter(temporary.resolve("spill").toString())) {
            for (RowData row : rows) {
                int bucket = bucketOf(table, row);
                writer.write(bucket, row);
                counts.merge(bucket, 1, Integer::sum);
            }
            return new Written(writer.finish(), counts);
        }
    }

    protected static int bucketOf(LakeTable table, RowData row) {
        LakeTableDefinition definition = table.definition();
        if (definition.bucketKeys().isEmpty()) {
            return 0;
        }
        BucketFunction function = table.bucketFunction();
        return function.bucket(project(row, definition.rowType(), definition.bucketKeys()));
    }

    protected static GenericRowData project(RowData row, RowType type, List<String> columns) {
        GenericRowData projected = new GenericRowData(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            int field = type.getFieldIndex(columns.get(i));
            projected.setField(
                    i, RowData.createFieldGetter(type.getTypeAt(field), field).getFieldOrNull(row));
        }
        return projected;
    }

    /** All rows of the latest snapshot, as strings. */
    protected static List<List<String>> readAll(LakeTable table) {
        return read(table, table.definition().rowType().getFieldNames());
    }

    protected static List<List<String>> read(LakeTable table, List<String> columns) {
        return read(
                table,
                new LakeScan(table.latestSnapshot().orElseThrow().snapshotId(), columns, null));
    }

    protected static List<List<String>> read(LakeTable table, LakeScan scan) {
        RowType type = projectedType(table, scan.projection());
        List<List<String>> rows = new ArrayList<>();
        for (LakeSplit split : table.planSplits(scan)) {
            rows.addAll(readSplit(table, split, scan, type));
        }
        return rows;
    }

    protected static List<List<String>> readSplit(
            LakeTable table, LakeSplit split, LakeScan scan, RowType type) {
        List<List<String>> rows = new ArrayList<>();
        try (CloseableIterator<RowData> iterator = table.read(split, scan)) {
            while (iterator.hasNext()) {
                rows.add(RowValues.of(iterator.next(), type));
            }
        } catch (Exception e) {
            throw new IllegalStateException("cannot read " + split, e);
        }
        return rows;
    }

    protected static RowType projectedType(LakeTable table, List<String> columns) {
        RowType type = table.definition().rowType();
        return new RowType(
                false,
                columns.stream()
                        .map(name -> type.getFields().get(type.getFieldIndex(name)))
                        .toList());
    }

    /** Rows as strings. */
    protected static List<List<String>> values(List<? extends RowData> rows, RowType type) {
        return rows.stream().map(row -> RowValues.of(row, type)).toList();
    }
}
