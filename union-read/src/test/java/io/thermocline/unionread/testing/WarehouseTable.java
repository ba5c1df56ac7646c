package io.thermocline.unionread.testing;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeWriter;
import io.thermocline.lake.TieredState;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.reader.NetChangeReader;
import io.thermocline.unionread.reader.NetChangeScan;
import io.thermocline.unionread.reader.SpillSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;

/** A table of a {@link TestWarehouse}, with what tests do to it. */
public final class WarehouseTable {

    private final LogicalTable table;
    private final TestWarehouse warehouse;
    private final UUID writerId = UUID.randomUUID();
    private final Map<Integer, Long> sequences = new HashMap<>();
    private final BucketFunction bucketFunction;
    private int nextLogBucket;

    WarehouseTable(LogicalTable table, TestWarehouse warehouse) {
        this.table = table;
        this.warehouse = warehouse;
        this.bucketFunction = table.lake().bucketFunction();
    }

    /** The table as queries get it. */
    public LogicalTable logical() {
        return table;
    }

    /** The hot table; the caller closes it. */
    public HotTable openHot() {
        return warehouse.store().openTable(table.spec().path(), table.spec().tableId());
    }

    /** Writes rows, one batch per bucket, and waits until they can be read. */
    public void write(RowData... rows) {
        HotTableSpec spec = table.spec();
        Map<Integer, RowBatchBuilder> builders = new TreeMap<>();
        for (RowData row : rows) {
            builders.computeIfAbsent(
                            bucketOf(row),
                            bucket -> new RowBatchBuilder(spec.rowType(), ArrowMemory.root()))
                    .append(row);
        }
        try (HotTable hot = openHot()) {
            builders.forEach(
                    (bucket, builder) -> {
                        long sequence = sequences.merge(bucket, 1L, Long::sum) - 1;
                        hot.append(new AppendBatch(bucket, writerId, sequence, builder.finish()))
                                .join();
                        builder.close();
                    });
        }
    }

    /** Tiers everything up to now. */
    public void tier() {
        HotTableSpec spec = table.spec();
        LakeSnapshot before = table.lake().latestTieredSnapshot().orElseThrow();
        try (HotTable hot = openHot();
                LakeWriter writer =
                        table.lake().newWriter(warehouse.spillDirectory().toString())) {
            TableOffsets ends = hot.offsets(new OffsetQuery.Latest());
            Map<Integer, TieredState.BucketPosition> positions = new TreeMap<>();
            before.tieredState()
                    .offsets()
                    .forEach(
                            (bucket, start) -> {
                                long end = ends.offsets().get(bucket);
                                if (spec.hasPrimaryKey()) {
                                    tierKeys(hot, writer, bucket, start, end);
                                } else {
                                    tierRecords(hot, writer, bucket, start, end);
                                }
                                positions.put(
                                        bucket,
                                        new TieredState.BucketPosition(
                                                end, ends.commitTimestamp()));
                            });
            TieredState next = new TieredState(spec.tableId(), positions);
            table.lake()
                    .commit(new LakeCommit(before.tieredState(), next, writer.finish()));
            hot.reportTieredOffsets(next.offsets());
        }
    }

    private void tierKeys(HotTable hot, LakeWriter writer, int bucket, long start, long end) {
        NetChangeScan scan =
                new NetChangeScan(
                        bucket, start, end, table.spec().rowType().getFieldNames(), true, null);
        try (NetChangeReader reader =
                new NetChangeReader(hot, scan, SpillSettings.in(warehouse.spillDirectory()))) {
            for (RowData row = reader.next(); row != null; row = reader.next()) {
                writer.write(bucket, row);
            }
        }
    }

    private void tierRecords(HotTable hot, LakeWriter writer, int bucket, long start, long end) {
        List<String> columns = table.spec().rowType().getFieldNames();
        try (ChangelogReader reader =
                hot.readChangelog(new ChangelogScan(bucket, start, end, columns, null))) {
            while (!reader.isFinished()) {
                try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(1))) {
                    for (int i = 0; batch != null && i < batch.rows().rowCount(); i++) {
                        writer.write(bucket, batch.rows().row(i));
                    }
                }
            }
        }
    }

    /** The bucket that a row belongs to; of a log table without a bucket key, the next one. */
    private int bucketOf(RowData row) {
        HotTableSpec spec = table.spec();
        if (spec.bucketKeys().isEmpty()) {
            nextLogBucket = (nextLogBucket + 1) % spec.bucketCount();
            return nextLogBucket;
        }
        int[] positions =
                spec.bucketKeys().stream().mapToInt(spec.rowType()::getFieldIndex).toArray();
        return bucketFunction.bucket(ProjectedRowData.from(positions).replaceRow(row));
    }
}
