package io.thermocline.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.ReadPeriod;
import io.thermocline.lake.conformance.TestTable;
import io.thermocline.source.reader.ChangelogProgress;
import io.thermocline.source.reader.RowsRead;
import io.thermocline.source.reader.StateRead;
import io.thermocline.source.reader.StatesHeld;
import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.Claim;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext.SplitAssignmentState;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThermoclineEnumeratorTest {

    private static final Duration LEASE_AGE = Duration.ofMinutes(5);

    @TempDir Path directory;

    private final List<ThermoclineEnumerator> opened = new ArrayList<>();
    private TestWarehouse warehouse;
    private Coordinator context;

    /** Runs what is given to worker threads when the test says so. */
    private static final class Coordinator extends TestingSplitEnumeratorContext<ThermoclineSplit> {

        private boolean isProcessingBacklog;

        private Coordinator(int parallelism) {
            super(parallelism);
        }

        @Override
        public void setIsProcessingBacklog(boolean isProcessingBacklog) {
            this.isProcessingBacklog = isProcessingBacklog;
        }
    }

    @BeforeEach
    void openWarehouse() throws Exception {
        warehouse = TestWarehouse.in(directory);
        context = new Coordinator(2);
    }

    @AfterEach
    void closeWarehouse() {
        opened.forEach(ThermoclineEnumerator::close);
        warehouse.close();
    }

    @Test
    void aBoundedReadOfNothingEnds() {
        ThermoclineEnumerator enumerator = started(batch(table(2)), null);
        register(0, 1);
        enumerator.handleSplitRequest(0, null);
        assertThat(context.getSplitAssignments()).isEmpty();

        plan();
        enumerator.handleSplitRequest(1, null);

        assertThat(assignment(0).getAssignedSplits()).isEmpty();
        assertThat(assignment(0).hasReceivedNoMoreSplitsSignal()).isTrue();
        assertThat(assignment(1).hasReceivedNoMoreSplitsSignal()).isTrue();
    }

    @Test
    void boundedSplitsAreHandedOutOneByOneAndComeBackFirst() {
        ThermoclineEnumerator enumerator = started(batch(rowsInEveryBucket(3)), null);
        register(0, 1);
        plan();
        enumerator.handleSplitRequest(0, null);
        enumerator.handleSplitRequest(1, null);
        ThermoclineSplit lost = assignment(1).getAssignedSplits().get(0);
        assertThat(assignment(0).getAssignedSplits()).hasSize(1);

        fail(1);
        enumerator.addSplitsBack(List.of(lost), 1);
        enumerator.handleSplitRequest(0, null);
        assertThat(assignment(0).getAssignedSplits()).element(1).isEqualTo(lost);
        enumerator.handleSplitRequest(0, null);
        enumerator.handleSplitRequest(0, null);

        assertThat(ids(0)).containsExactlyInAnyOrder("tail-0", "tail-1", "tail-2");
        assertThat(assignment(0).hasReceivedNoMoreSplitsSignal()).isTrue();
    }

    @Test
    void changelogsBelongToTheReaderOfTheirBucket() {
        ThermoclineEnumerator enumerator = started(streaming(table(3)), null);
        register(0);
        plan();
        assertThat(ids(0)).containsExactlyInAnyOrder("bucket-0", "bucket-2");

        register(1);
        enumerator.addReader(1);
        assertThat(ids(1)).containsExactly("bucket-1");
        assertThat(assignment(1).hasReceivedNoMoreSplitsSignal()).isFalse();

        List<ThermoclineSplit> lost = List.copyOf(assignment(1).getAssignedSplits());
        fail(1);
        enumerator.addSplitsBack(lost, 1);
        assertThat(ids(0)).hasSize(2);
        register(1);
        enumerator.addReader(1);
        assertThat(assignment(1).getAssignedSplits()).isEqualTo(lost);
    }

    @Test
    void anUnplannedReadIsPlannedFromWhereItWasToStart() {
        WarehouseTable table = table(1);
        table.write(row(1), row(2));
        EnumeratorState state =
                new EnumeratorState(
                        table.logical().spec().tableId(),
                        new Startup.Latest(),
                        false,
                        List.of(),
                        Set.of(),
                        null);
        started(streaming(table), state);
        register(0);
        plan();
        assertThat(assignment(0).getAssignedSplits())
                .singleElement()
                .extracting(split -> split.unit().steps())
                .isEqualTo(List.of(changelog(0, 2)));
    }

    @Test
    void aPlannedReadIsNotPlannedAgain() {
        WarehouseTable table = rowsInEveryBucket(2);
        ThermoclineEnumerator first = started(streaming(table), null);
        register(0);
        plan();
        EnumeratorState state = first.snapshotState(1);
        assertThat(state.planned()).isTrue();
        assertThat(state.pending())
                .extracting(ThermoclineSplit::splitId)
                .containsExactly("bucket-1");
        assertThat(ids(0)).containsExactly("bucket-0");

        table.write(row(100));
        context = new Coordinator(1);
        started(streaming(table), state);
        register(0);
        plan();
        opened.get(1).addReader(0);
        assertThat(assignment(0).getAssignedSplits()).isEqualTo(state.pending());
    }

    @Test
    void aReadWithoutSplitsLeftStaysSo() {
        WarehouseTable table = rowsInEveryBucket(2);
        Claim claim = new Claim(Map.of(0, 1L, 1, 1L), -1, null);
        EnumeratorState state =
                new EnumeratorState(
                        table.logical().spec().tableId(),
                        new Startup.Full(),
                        true,
                        List.of(),
                        Set.of(),
                        claim);
        ThermoclineEnumerator enumerator = started(streaming(table), state);
        register(0, 1);
        plan();
        enumerator.handleSplitRequest(0, null);
        assertThat(context.getSplitAssignments()).isEmpty();
        assertThat(enumerator.snapshotState(2)).isEqualTo(state);
        assertThat(leases(table)).isEqualTo(1);
    }

    @Test
    void theLeaseFollowsCompletedCheckpointsAndLetsTheStateGo() {
        WarehouseTable table = rowsInEveryBucket(1);
        table.tier();
        table.write(row(100), row(101));
        ThermoclineEnumerator enumerator = started(streaming(table), null);
        register(0);
        plan();
        long tiered = enumerator.snapshotState(1).claim().fromOffsets().get(0);
        assertThat(enumerator.snapshotState(1).claim().isOfChangelogOnly()).isFalse();
        assertThat(leases(table)).isEqualTo(1);

        send(enumerator, new ChangelogProgress(Map.of(0, tiered + 2), false));
        context.triggerAllActions();
        assertThat(enumerator.snapshotState(2).claim().fromOffsets()).isEqualTo(Map.of(0, tiered));

        assertThat(context.isProcessingBacklog).isTrue();
        send(enumerator, new StateRead("bucket-0"));
        assertThat(context.isProcessingBacklog).isFalse();
        send(enumerator, new ChangelogProgress(Map.of(0, tiered + 1), true));
        context.triggerAllActions();
        Claim claim = enumerator.snapshotState(3).claim();
        assertThat(claim.fromOffsets()).isEqualTo(Map.of(0, tiered + 1));
        assertThat(claim.isOfChangelogOnly()).as("a restore may want the state").isFalse();

        enumerator.notifyCheckpointComplete(2);
        context.triggerAllActions();
        assertThat(enumerator.snapshotState(4).claim().isOfChangelogOnly()).isFalse();
        enumerator.notifyCheckpointComplete(3);
        context.triggerAllActions();
        assertThat(enumerator.snapshotState(5).claim())
                .isEqualTo(new Claim(Map.of(0, tiered + 1), -1, null));
        assertThat(leases(table)).isEqualTo(1);
    }

    @Test
    void aStateThatWasReadWhileTheCheckpointWasTakenIsNotWaitedForAfterARestore() {
        WarehouseTable table = rowsInEveryBucket(3);
        table.tier();
        ThermoclineEnumerator first = started(streaming(table), null);
        register(0);
        plan();
        assertThat(ids(0)).containsExactlyInAnyOrder("bucket-0", "bucket-2");
        EnumeratorState state = first.snapshotState(1);
        assertThat(state.unreadStates())
                .containsExactlyInAnyOrder("bucket-0", "bucket-1", "bucket-2");

        // bucket-0 was read before its reader's part was taken, bucket-1 was never handed out
        context = new Coordinator(2);
        ThermoclineEnumerator restored = started(streaming(table), state);
        send(restored, 0, new StatesHeld(Set.of("bucket-2")));
        assertThat(restored.snapshotState(2).unreadStates())
                .as("the other reader may hold them")
                .isEqualTo(state.unreadStates());
        send(restored, 1, new StatesHeld(Set.of()));
        assertThat(restored.snapshotState(3).unreadStates())
                .containsExactlyInAnyOrder("bucket-1", "bucket-2");

        send(restored, new StateRead("bucket-1"));
        send(restored, new StateRead("bucket-2"));
        assertThat(context.isProcessingBacklog).isFalse();
        assertThat(restored.snapshotState(4).unreadStates()).isEmpty();
    }

    @Test
    void onlyAnUnboundedReadWithoutCheckpointsGivesItsStateBackByAge() {
        WarehouseTable table = rowsInEveryBucket(1);
        table.tier();
        assertThat(claimPastItsAge(shortLease(batch(table))).isOfChangelogOnly())
                .as("a reader that fails reads the state again")
                .isFalse();
        assertThat(claimPastItsAge(shortLease(streaming(table))).isOfChangelogOnly()).isTrue();
    }

    /** The claim of a read whose states were read longer ago than its lease's age. */
    private Claim claimPastItsAge(ReadRequest request) {
        context = new Coordinator(1);
        ThermoclineEnumerator enumerator = started(request, null);
        register(0);
        plan();
        enumerator.handleSplitRequest(0, null);
        long begun = System.nanoTime();
        ids(0).forEach(id -> send(enumerator, new StateRead(id)));
        await().until(() -> System.nanoTime() - begun > 2 * request.leaseAge().toNanos());
        context.triggerAllActions();
        context.triggerAllActions();
        return enumerator.snapshotState(1).claim();
    }

    @Test
    void onlyBoundedReadsGiveTheLeaseBack() {
        WarehouseTable table = rowsInEveryBucket(1);
        ThermoclineEnumerator batch = started(batch(table), null);
        plan();
        assertThat(leases(table)).isEqualTo(1);
        batch.close();
        assertThat(leases(table)).isZero();

        ThermoclineEnumerator streaming = started(streaming(table), null);
        plan();
        streaming.close();
        assertThat(leases(table)).as("a restart goes on with it").isEqualTo(1);
    }

    @Test
    void whatWasReadIsReportedWithTheLease() {
        WarehouseTable table = rowsInEveryBucket(1);
        ThermoclineEnumerator hotOnly = started(batch(table), null);
        plan();
        send(hotOnly, new RowsRead(ReadFigures.ofRows(20, 200, 0, 0)));
        assertThat(reads(table)).isEqualTo(ReadFigures.NONE);
        hotOnly.close();
        assertThat(reads(table)).isEqualTo(new ReadFigures(1, 0, 0, 20, 200, 0, 0));

        table.tier();
        ThermoclineEnumerator lakeOnly = started(batch(table), null);
        plan();
        lakeOnly.close();
        assertThat(reads(table)).isEqualTo(new ReadFigures(1, 1, 0, 20, 200, 0, 0));

        table.write(row(100));
        started(batch(table), null);
        plan();
        opened.get(2).close();
        assertThat(reads(table)).isEqualTo(new ReadFigures(1, 1, 1, 20, 200, 0, 0));
    }

    @Test
    void aReadWithoutEndReportsWhenItsStateWasReadAndWhenItRenews() {
        WarehouseTable table = rowsInEveryBucket(1);
        table.tier();
        ThermoclineEnumerator enumerator = started(streaming(table), null);
        plan();
        send(enumerator, new RowsRead(ReadFigures.ofRows(0, 0, 20, 200)));
        send(enumerator, new StateRead("bucket-0"));
        plan();
        assertThat(reads(table)).isEqualTo(new ReadFigures(0, 0, 1, 0, 0, 20, 200));

        send(enumerator, new RowsRead(ReadFigures.ofRows(3, 30, 0, 0)));
        context.triggerAllActions();
        assertThat(reads(table)).isEqualTo(new ReadFigures(0, 0, 1, 3, 30, 20, 200));
    }

    @Test
    void aLeaseThatCannotBeTakenAfterARestoreIsTriedAgain() {
        WarehouseTable table = rowsInEveryBucket(1);
        ReadRequest request = failingOnce(streaming(table));
        EnumeratorState state = readToOffset(table, 0);
        ThermoclineEnumerator enumerator = started(request, state);
        plan();
        assertThat(leases(table)).isZero();

        // what the readers had read without a checkpoint must not count: a restart goes back
        send(enumerator, new ChangelogProgress(Map.of(0, 1L), false));
        context.triggerAllActions();
        assertThat(leases(table)).isEqualTo(1);
        assertThat(enumerator.snapshotState(1).claim()).isEqualTo(state.claim());
    }

    @Test
    void theChangelogStaysClaimedWhenTheKeyIndexSnapshotIsGone() {
        WarehouseTable table = rowsInEveryBucket(1);
        ReadStep state = new ReadStep.KeyIndex(0, "gone");
        ReadUnit unit = new ReadUnit("bucket-0", 0, List.of(state, changelog(0, 0)));
        EnumeratorState restored =
                new EnumeratorState(
                        table.logical().spec().tableId(),
                        new Startup.Full(),
                        true,
                        List.of(new ThermoclineSplit(unit, ReadPosition.START)),
                        Set.of("bucket-0"),
                        new Claim(Map.of(0, 0L), -1, "gone"));
        started(streaming(table), restored);
        plan();
        assertThat(leases(table)).isEqualTo(1);
    }

    @Test
    void aReadThatCannotBePlannedFailsTheJob() {
        WarehouseTable table = rowsInEveryBucket(1);
        started(failingOnce(streaming(table)), null);
        assertThatThrownBy(this::plan)
                .isInstanceOf(FlinkRuntimeException.class)
                .hasMessage("cannot plan the read of table db.t: STORE_UNREACHABLE: not now");
    }

    // ------------------------------------------------------------------

    private ThermoclineEnumerator started(ReadRequest request, EnumeratorState state) {
        ThermoclineEnumerator enumerator =
                new ThermoclineEnumerator(
                        context, request, new HotConnection(request.table()), state);
        opened.add(enumerator);
        enumerator.start();
        return enumerator;
    }

    /** Runs what the coordinator has given to its workers. */
    private void plan() {
        context.getExecutorService().triggerAll();
    }

    private void register(int... readers) {
        for (int reader : readers) {
            context.registerReader(reader, "host");
        }
    }

    /** A reader that fails is not registered any more, and knows nothing of its splits. */
    private void fail(int reader) {
        context.registeredReaders().remove(reader);
        context.getSplitAssignments().remove(reader);
    }

    private SplitAssignmentState<ThermoclineSplit> assignment(int reader) {
        return context.getSplitAssignments().get(reader);
    }

    private List<String> ids(int reader) {
        return assignment(reader).getAssignedSplits().stream()
                .map(ThermoclineSplit::splitId)
                .toList();
    }

    private static void send(ThermoclineEnumerator enumerator, SourceEvent event) {
        send(enumerator, 0, event);
    }

    private static void send(ThermoclineEnumerator enumerator, int reader, SourceEvent event) {
        enumerator.handleSourceEvent(reader, event);
    }

    private static ReadStep changelog(int bucket, long offset) {
        return new ReadStep.Changelog(bucket, offset, Long.MAX_VALUE);
    }

    private static EnumeratorState readToOffset(WarehouseTable table, long offset) {
        return new EnumeratorState(
                table.logical().spec().tableId(),
                new Startup.Full(),
                true,
                List.of(),
                Set.of(),
                new Claim(Map.of(0, offset), -1, null));
    }

    private static ReadRequest batch(WarehouseTable table) {
        return request(table.logical(), true);
    }

    private static ReadRequest streaming(WarehouseTable table) {
        return request(table.logical(), false);
    }

    private static ReadRequest request(LogicalTable table, boolean merged) {
        UnionScan scan = UnionScan.of(List.of("id", "v"));
        return new ReadRequest(table, scan, new Startup.Full(), Tier.UNION, merged, LEASE_AGE);
    }

    private static ReadRequest shortLease(ReadRequest request) {
        return new ReadRequest(
                request.table(),
                request.scan(),
                request.startup(),
                request.tier(),
                request.merged(),
                Duration.ofMillis(10));
    }

    private static ReadRequest failingOnce(ReadRequest request) {
        LogicalTable table = request.table();
        return request(
                new LogicalTable(
                        table.spec(),
                        table.lake(),
                        new FailingOnce(table.store(), new AtomicInteger())),
                request.merged());
    }

    /** A store that cannot be reached at first. */
    private record FailingOnce(HotStoreProvider provider, AtomicInteger calls)
            implements HotStoreProvider {

        @Override
        public HotStore connect(WhenStopped whenStopped) {
            if (calls.getAndIncrement() == 0) {
                throw new HotStoreException(ErrorCode.STORE_UNREACHABLE, "not now");
            }
            return provider.connect(whenStopped);
        }
    }

    private static int leases(WarehouseTable table) {
        try (HotTable hot = table.openHot()) {
            return hot.status().stream().mapToInt(BucketStatus::leases).max().orElseThrow();
        }
    }

    private static ReadFigures reads(WarehouseTable table) {
        try (HotTable hot = table.openHot()) {
            return hot.history().readPeriods().stream()
                    .map(ReadPeriod::figures)
                    .reduce(ReadFigures.NONE, ReadFigures::plus);
        }
    }

    private WarehouseTable rowsInEveryBucket(int buckets) {
        WarehouseTable table = table(buckets);
        for (int id = 0; id < 20; id++) {
            table.write(row(id));
        }
        return table;
    }

    private WarehouseTable table(int buckets) {
        TestTable definition =
                new TestTable()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("v", DataTypes.STRING())
                        .primaryKey("id");
        return warehouse.createTable("t", definition, List.of("id"), buckets);
    }

    private static RowData row(long id) {
        return GenericRowData.of(id, StringData.fromString("v" + id));
    }
}
