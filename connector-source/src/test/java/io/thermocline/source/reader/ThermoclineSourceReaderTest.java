package io.thermocline.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.source.ThermoclineSource;
import io.thermocline.source.enumerator.ReadRequest;
import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.OffsetRange;
import io.thermocline.unionread.plan.ReadPosition;
import io.thermocline.unionread.plan.ReadStep;
import io.thermocline.unionread.plan.ReadUnit;
import io.thermocline.unionread.plan.Startup;
import io.thermocline.unionread.plan.Tier;
import io.thermocline.unionread.testing.TestWarehouse;
import io.thermocline.unionread.testing.WarehouseTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.connector.testutils.source.reader.TestingReaderOutput;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.OperatorMetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThermoclineSourceReaderTest {

    private static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir Path directory;

    private final List<Running> opened = new ArrayList<>();
    private TestWarehouse warehouse;

    @BeforeEach
    void openWarehouse() throws Exception {
        warehouse = TestWarehouse.in(directory);
    }

    @AfterEach
    void closeWarehouse() throws Exception {
        for (Running running : opened) {
            running.reader.close();
        }
        warehouse.close();
    }

    @Test
    void goesOnWithinABatchWhereItWasLeft() throws Exception {
        WarehouseTable table = table(1);
        table.write(row(1, "a"), row(2, "b"), row(3, "c"));
        Running first = running(table, false);
        first.reader.addSplits(List.of(changelog(0, 0)));
        first.awaitRows(2);
        List<ThermoclineSplit> state = first.reader.snapshotState(1);
        assertThat(state)
                .extracting(ThermoclineSplit::position)
                .containsExactly(new ReadPosition(0, 2));

        Running second = running(table, false);
        second.reader.addSplits(state);
        table.write(row(1, "A"));
        second.awaitRows(3);
        assertThat(second.output.rows).containsExactly("+I 3 c", "-U 1 a", "+U 1 A");
    }

    @Test
    void goesOnWithinAKeyIndexSnapshotThatTheStoreHasLost() throws Exception {
        WarehouseTable table = table(1);
        table.write(row(1, "a"), row(2, "b"), row(3, "c"));
        Running first = running(table, false);
        try (HotTable hot = table.openHot()) {
            KeyIndexSnapshot snapshot = hot.openKeyIndexSnapshot(LIMIT.toMillis());
            ReadStep state = new ReadStep.KeyIndex(0, snapshot.snapshotId());
            ReadStep changes = new ReadStep.Changelog(0, 3, ChangelogScan.UNBOUNDED);
            ReadUnit unit = new ReadUnit("bucket-0", 0, List.of(state, changes));
            first.reader.addSplits(List.of(ThermoclineSplit.of(unit)));
            first.awaitRows(2);
        }
        List<ThermoclineSplit> state = first.reader.snapshotState(1);
        assertThat(state)
                .extracting(ThermoclineSplit::position)
                .containsExactly(new ReadPosition(0, 2));
        opened.remove(first);
        first.reader.close();
        warehouse.restartStore();
        table.write(row(1, "A"), row(3, "C"), row(4, "d"));

        Running second = running(table, false);
        second.reader.addSplits(state);
        second.awaitRows(6);
        assertThat(second.output.rows)
                .containsExactly("+I 3 c", "-U 1 a", "+U 1 A", "-U 3 c", "+U 3 C", "+I 4 d");
    }

    @Test
    void countsRowsAndNothingElse() throws Exception {
        WarehouseTable table = table(1);
        table.write(row(1, "a"), row(2, "b"));
        table.tier();
        table.write(row(3, "c"));
        Running running = running(table, true);
        running.reader.addSplits(List.of(lakeThenChangelog(table)));
        running.awaitRows(3);
        running.awaitPosition(new ReadPosition(1, 1));
        assertThat(running.output.rows).containsExactly("+I 1 a", "+I 2 b", "+I 3 c");
        assertThat(running.context.metricGroup().getIOMetricGroup().getNumRecordsInCounter())
                .extracting(counter -> counter.getCount())
                .isEqualTo(3L);
    }

    @Test
    void tellsWhatWasReadOnceACheckpointHasCompleted() throws Exception {
        WarehouseTable table = table(1);
        table.write(row(1, "a"));
        table.tier();
        table.write(row(2, "b"));
        Running running = running(table, false);
        ThermoclineSplit split = lakeThenChangelog(table);
        running.reader.addSplits(List.of(split));
        running.awaitRows(2);
        running.awaitPosition(new ReadPosition(1, 1));
        running.reader.notifyCheckpointComplete(1);
        assertThat(running.events())
                .filteredOn(event -> !(event instanceof RowsRead))
                .containsExactly(
                        new StateRead(split.splitId()), new ChangelogProgress(Map.of(0, 2L), true));
        assertThat(running.events()).first().isInstanceOf(RowsRead.class);
        ReadFigures rows =
                running.events().stream()
                        .filter(RowsRead.class::isInstance)
                        .map(event -> ((RowsRead) event).figures())
                        .reduce(ReadFigures.NONE, ReadFigures::plus);
        assertThat(rows.lakeRows()).isEqualTo(1);
        assertThat(rows.hotRows()).isEqualTo(1);
        assertThat(rows.lakeBytes()).isPositive();
        assertThat(rows.hotBytes()).isPositive();
    }

    @Test
    void tellsWhichRestoredStatesItHasYetToReadWhenItStarts() throws Exception {
        WarehouseTable table = table(2);
        table.write(row(1, "a"));
        table.tier();
        Running running = running(table, false);
        ThermoclineSplit unread = lakeThenChangelog(table);
        running.reader.addSplits(List.of(unread, changelog(1, 0)));
        running.reader.start();
        assertThat(running.events()).containsExactly(new StatesHeld(Set.of(unread.splitId())));
    }

    @Test
    void metricsTellTiersPositionsAndLag() throws Exception {
        MetricListener listener = new MetricListener();
        WarehouseTable table = table(1);
        table.write(row(1, "a"), row(2, "b"));
        table.tier();
        table.write(row(3, "c"));
        Running running = running(table, false, listener.getMetricGroup());
        assertThat(value(listener, "currentFetchEventTimeLag")).isEqualTo(-1L);

        running.reader.addSplits(List.of(lakeThenChangelog(table)));
        running.awaitRows(3);
        running.awaitPosition(new ReadPosition(1, 1));

        assertThat(count(listener, "numRecordsInFromLake")).isEqualTo(2);
        assertThat(count(listener, "numRecordsInFromHot")).isEqualTo(1);
        assertThat(count(listener, "numBytesInFromLake")).isPositive();
        assertThat(count(listener, "numBytesInFromHot")).isPositive();
        assertThat(value(listener, "currentFetchEventTimeLag")).isBetween(0L, LIMIT.toMillis());
        assertThat(value(listener, "bucket", "0", "currentOffset")).isEqualTo(3L);
        await().atMost(LIMIT).until(() -> value(listener, "bucket", "0", "readableOffset") == 3L);
        assertThat(value(listener, "pendingRecords")).isZero();
    }

    private static long count(MetricListener listener, String... name) {
        return listener.getCounter(name).orElseThrow().getCount();
    }

    private static long value(MetricListener listener, String... name) {
        return ((Number) listener.getGauge(name).orElseThrow().getValue()).longValue();
    }

    @Test
    void aPositionThatIsGoneNamesTheWaysOut() throws Exception {
        WarehouseTable table = table(1);
        table.write(row(1, "a"));
        Running running = running(table, false);
        running.reader.addSplits(List.of(changelog(0, 7)));
        assertThatThrownBy(() -> running.awaitRows(1))
                .rootCause()
                .isInstanceOf(HotStoreException.class);
        assertThatThrownBy(() -> running.awaitRows(1))
                .hasStackTraceContaining(
                        "cannot go on reading table db.t bucket 0 at offset 7: the changelog does not"
                                + " hold it (any more). Either restore from a younger checkpoint, or"
                                + " start the query without the old state")
                .hasStackTraceContaining("Raise hot.log.retention");
    }

    @Test
    void aPausedChangelogDoesNotHoldBackAnother() throws Exception {
        WarehouseTable table = table(2);
        Running running = running(table, false);
        running.reader.addSplits(List.of(changelog(0, 0), changelog(1, 0)));
        running.poll();
        running.reader.pauseOrResumeSplits(List.of("bucket-0"), List.of());
        for (long id = 0; id < 20; id++) {
            table.write(row(id, "x"));
        }
        long ofOther = end(table, 1);
        assertThat(ofOther).isBetween(1L, 19L);
        // what was fetched of the paused one before it paused may still come
        await().atMost(LIMIT).until(() -> running.poll().positions().get(1) == ofOther);

        running.reader.pauseOrResumeSplits(List.of(), List.of("bucket-0"));
        running.awaitRows(20);
        assertThat(running.output.rows).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void aLakeSplitOfAnUnknownBucketLosesTheKeysOfAllTails() throws Exception {
        WarehouseTable table = table(2);
        for (long id = 0; id < 10; id++) {
            table.write(row(id, "lake"));
        }
        table.tier();
        Map<Integer, OffsetRange> tails = new HashMap<>();
        long[] tiered = {end(table, 0), end(table, 1)};
        for (long id = 5; id < 10; id++) {
            table.write(row(id, "hot"));
        }
        for (int bucket = 0; bucket < 2; bucket++) {
            tails.put(bucket, new OffsetRange(tiered[bucket], end(table, bucket)));
        }
        Running running = running(table, true);
        long snapshotId = snapshot(table).snapshotId();
        int id = 0;
        for (LakeSplit split : lakeSplits(table, snapshotId)) {
            LakeSplit unknown =
                    new LakeSplit(LakeSplit.UNKNOWN_BUCKET, split.rowCount(), split.payload());
            ReadStep step = new ReadStep.Lake(snapshotId, unknown, tails, ReadStep.ANY_BUCKET);
            ReadUnit unit = new ReadUnit("lake-" + id++, ReadStep.ANY_BUCKET, List.of(step));
            running.reader.addSplits(List.of(ThermoclineSplit.of(unit)));
        }
        running.reader.notifyNoMoreSplits();
        running.awaitEnd();
        assertThat(running.output.rows)
                .containsExactlyInAnyOrder(
                        "+I 0 lake", "+I 1 lake", "+I 2 lake", "+I 3 lake", "+I 4 lake");
    }

    @Test
    void everyBucketTakesItsOwnRowsOfALakeSplitOfAnUnknownBucket() throws Exception {
        WarehouseTable table = table(2);
        for (long id = 0; id < 10; id++) {
            table.write(row(id, "lake"));
        }
        table.tier();
        long snapshotId = snapshot(table).snapshotId();
        List<String> all = new ArrayList<>();
        for (int bucket = 0; bucket < 2; bucket++) {
            Running running = running(table, true);
            List<ReadStep> steps = new ArrayList<>();
            for (LakeSplit split : lakeSplits(table, snapshotId)) {
                LakeSplit unknown =
                        new LakeSplit(LakeSplit.UNKNOWN_BUCKET, split.rowCount(), split.payload());
                steps.add(new ReadStep.Lake(snapshotId, unknown, Map.of(), bucket));
            }
            running.reader.addSplits(
                    List.of(ThermoclineSplit.of(new ReadUnit("b-" + bucket, bucket, steps))));
            running.reader.notifyNoMoreSplits();
            running.awaitEnd();
            assertThat(running.output.rows).hasSize((int) end(table, bucket));
            all.addAll(running.output.rows);
        }
        assertThat(all).hasSize(10).doesNotHaveDuplicates();
    }

    // ------------------------------------------------------------------

    /** Rows as text: they are only valid while they are emitted. */
    private static final class Output extends TestingReaderOutput<RowData> {

        private final List<String> rows = new ArrayList<>();

        @Override
        public void collect(RowData row) {
            rows.add(
                    row.getRowKind().shortString() + " " + row.getLong(0) + " " + row.getString(1));
        }

        @Override
        public void collect(RowData row, long timestamp) {
            collect(row);
        }
    }

    /** A reader, driven by the test as a task drives it. */
    private static final class Running {

        private final TestingReaderContext context;
        private final Output output = new Output();
        private final SourceReader<RowData, ThermoclineSplit> reader;
        private long checkpoints;

        private Running(ThermoclineSource source, SourceReaderMetricGroup metrics) {
            context = new TestingReaderContext(new Configuration(), metrics);
            reader = source.createReader(context);
        }

        private Running poll() throws Exception {
            reader.pollNext(output);
            return this;
        }

        private void awaitRows(int count) {
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(LIMIT)
                    .until(() -> output.rows.size() >= count || poll().output.rows.size() >= count);
        }

        private void awaitEnd() {
            await().atMost(LIMIT).until(() -> reader.pollNext(output) == InputStatus.END_OF_INPUT);
        }

        private void awaitPosition(ReadPosition position) {
            await().atMost(LIMIT)
                    .until(
                            () ->
                                    poll().reader.snapshotState(++checkpoints).stream()
                                            .allMatch(split -> split.position().equals(position)));
        }

        private Map<Integer, Long> positions() {
            Map<Integer, Long> positions = new HashMap<>();
            reader.snapshotState(++checkpoints)
                    .forEach(
                            split ->
                                    positions.put(
                                            split.unit().bucket(), split.position().progress()));
            return positions;
        }

        private List<SourceEvent> events() {
            return context.getSentEvents();
        }
    }

    private Running running(WarehouseTable table, boolean merged) {
        return running(
                table, merged, UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup());
    }

    private Running running(WarehouseTable table, boolean merged, MetricGroup metrics) {
        ReadRequest request =
                new ReadRequest(
                        table.logical(),
                        UnionScan.of(List.of("id", "v")),
                        new Startup.Full(),
                        Tier.UNION,
                        merged,
                        Duration.ofMinutes(5));
        Running running =
                new Running(
                        new ThermoclineSource(
                                request,
                                InternalTypeInfo.of(table.logical().spec().rowType()),
                                1 << 20),
                        metrics instanceof OperatorMetricGroup operator
                                ? InternalSourceReaderMetricGroup.wrap(operator)
                                : InternalSourceReaderMetricGroup.mock(metrics));
        opened.add(running);
        return running;
    }

    private static ThermoclineSplit changelog(int bucket, long offset) {
        ReadStep step = new ReadStep.Changelog(bucket, offset, ChangelogScan.UNBOUNDED);
        return ThermoclineSplit.of(new ReadUnit("bucket-" + bucket, bucket, List.of(step)));
    }

    /** State and changes of a table with one bucket and one lake split. */
    private static ThermoclineSplit lakeThenChangelog(WarehouseTable table) {
        LakeSnapshot snapshot = snapshot(table);
        List<LakeSplit> splits = lakeSplits(table, snapshot.snapshotId());
        assertThat(splits).hasSize(1);
        long tiered = snapshot.tieredState().offsets().get(0);
        return ThermoclineSplit.of(
                new ReadUnit(
                        "bucket-0",
                        0,
                        List.of(
                                new ReadStep.Lake(
                                        snapshot.snapshotId(),
                                        splits.get(0),
                                        Map.of(),
                                        ReadStep.ANY_BUCKET),
                                new ReadStep.Changelog(0, tiered, ChangelogScan.UNBOUNDED))));
    }

    private static LakeSnapshot snapshot(WarehouseTable table) {
        return table.logical().lake().latestSnapshot().orElseThrow();
    }

    private static List<LakeSplit> lakeSplits(WarehouseTable table, long snapshotId) {
        return table.logical()
                .lake()
                .planSplits(new LakeScan(snapshotId, List.of("id", "v"), null));
    }

    private static long end(WarehouseTable table, int bucket) {
        try (var hot = table.openHot()) {
            return hot.status().get(bucket).readableEnd();
        }
    }

    private WarehouseTable table(int buckets) {
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("v", DataTypes.STRING())
                        .primaryKey("id");
        return warehouse.createTable("t", definition, List.of("id"), buckets);
    }

    private static RowData row(long id, String value) {
        return GenericRowData.of(id, StringData.fromString(value));
    }
}
