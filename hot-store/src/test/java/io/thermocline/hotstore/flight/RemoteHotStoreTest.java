package io.thermocline.hotstore.flight;

import static io.thermocline.hotstore.flight.FlightFixture.PATH;
import static io.thermocline.hotstore.flight.FlightFixture.SPEC;
import static io.thermocline.hotstore.flight.FlightFixture.TABLE_ID;
import static io.thermocline.hotstore.flight.FlightFixture.key;
import static io.thermocline.hotstore.flight.FlightFixture.prefix;
import static io.thermocline.hotstore.flight.FlightFixture.row;
import static io.thermocline.hotstore.flight.FlightFixture.text;
import static io.thermocline.hotstore.flight.FlightFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.AbsorbedBatch;
import io.thermocline.hotstore.Absorption;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.ReadPeriod;
import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.filter.RowPredicate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class RemoteHotStoreTest {

    private static final Duration RETRY = Duration.ofSeconds(20);
    private static final List<String> ALL = SPEC.rowType().getFieldNames();

    @TempDir Path directory;
    private FlightFixture fixture;
    private RemoteHotStore remote;
    private HotTable table;

    @BeforeEach
    void connect() {
        fixture = new FlightFixture(directory.resolve("hot"));
        remote = fixture.connect(RETRY);
        table = remote.openTable(PATH, TABLE_ID);
    }

    @AfterEach
    void disconnect() {
        remote.close();
        fixture.close();
    }

    @Test
    void openingGivesTheDefinition() {
        assertThat(table.spec()).isEqualTo(SPEC);
        assertThat(remote.identity()).isEqualTo(fixture.store().identity());
    }

    @Test
    void marksOfTheLakeComeAlong() throws Exception {
        append(0, UUID.randomUUID(), 0, row(RowKind.INSERT, 1, "eu", "a"));
        LakeMark mark = new LakeMark(-8, 5, 1_767_225_600_123L);
        try (HotTable local = fixture.store().openTable(PATH, TABLE_ID);
                Absorption absorption = local.beginAbsorption(Map.of(0, 0L, 1, 0L))) {
            RowBatch rows =
                    RowBatches.of(
                            SPEC.rowType(),
                            List.of(row(RowKind.INSERT, 2, "us", "lake")),
                            ArrowMemory.root());
            absorption.append(new AbsorbedBatch(0, mark, rows)).join();
        }
        List<LakeMark> marks = new ArrayList<>();
        try (ChangelogReader reader = table.readChangelog(scan(0, 0, 2, ALL))) {
            while (!reader.isFinished()) {
                try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                    if (batch != null) {
                        marks.add(batch.mark());
                    }
                }
            }
        }
        assertThat(marks).containsExactly(null, mark);
        assertThatThrownBy(() -> table.beginAbsorption(Map.of(0, 0L, 1, 0L)))
                .hasMessage(
                        "INVALID_ARGUMENT: rows of the lake table of db.orders can only be taken"
                                + " over by the process that has the hot store open");
    }

    @Test
    void whatIsAppendedIsLookedUpAndScanned() throws Exception {
        UUID writer = UUID.randomUUID();
        AppendResult first =
                append(
                        0,
                        writer,
                        0,
                        row(RowKind.INSERT, 1, "eu", "a"),
                        row(RowKind.INSERT, 2, "us", null));
        AppendResult second = append(0, writer, 1, row(RowKind.UPDATE_AFTER, 1, "eu", "b"));

        assertThat(first.baseOffset()).isZero();
        assertThat(first.endOffset()).isEqualTo(2);
        assertThat(second.endOffset()).isEqualTo(4);
        assertThat(lookup(false, key(1, "eu"), key(9, "eu"), key(2, "us")))
                .containsExactly(List.of("+I[1, eu, b]"), List.of(), List.of("+I[2, us, null]"));
        assertThat(lookup(true, prefix(2), prefix(3)))
                .containsExactly(List.of("+I[2, us, null]"), List.of());
        try (ChangelogReader reader = table.readChangelog(scan(0, 0, 4, ALL))) {
            List<String> rows = new ArrayList<>();
            List<Long> timestamps = new ArrayList<>();
            readAll(reader, rows, timestamps);
            assertThat(rows)
                    .containsExactly(
                            "0 +I[1, eu, a]",
                            "1 +I[2, us, null]",
                            "2 -U[1, eu, a]",
                            "3 +U[1, eu, b]");
            assertThat(timestamps)
                    .containsExactly(
                            first.commitTimestamp(),
                            first.commitTimestamp(),
                            second.commitTimestamp(),
                            second.commitTimestamp());
            assertThat(reader.isFinished()).isTrue();
            assertThat(reader.position()).isEqualTo(4);
        }
    }

    @Test
    void aProjectionIsAppliedByTheServer() throws Exception {
        append(1, UUID.randomUUID(), 0, row(RowKind.INSERT, 5, "eu", "n"));
        try (ChangelogReader reader = table.readChangelog(scan(1, 0, 1, List.of("note", "id")));
                ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
            assertThat(batch.rows().rowType().getFieldNames()).containsExactly("note", "id");
            assertThat(batch.rows().row(0).getString(0)).hasToString("n");
            assertThat(batch.rows().row(0).getLong(1)).isEqualTo(5);
        }
        try (ChangelogReader reader = table.readChangelog(scan(1, 0, 1, List.of()));
                ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
            assertThat(batch.rows().rowCount()).isEqualTo(1);
            assertThat(batch.rows().rowKind(0)).isEqualTo(RowKind.INSERT);
        }
    }

    @Test
    void aSkippedRangeMovesThePosition() throws Exception {
        append(0, UUID.randomUUID(), 0, row(RowKind.INSERT, 1, "eu", "a"));
        RowPredicate never = new RowPredicate.Compare("id", RowPredicate.Op.GT, 1_000_000L);
        try (ChangelogReader reader = table.readChangelog(new ChangelogScan(0, 0, 1, ALL, never))) {
            await().atMost(Duration.ofMinutes(1))
                    .until(
                            () -> {
                                try (ChangelogBatch batch = reader.poll(Duration.ofMillis(50))) {
                                    return reader.isFinished();
                                }
                            });
            assertThat(reader.position()).isEqualTo(1);
        }
    }

    @Test
    void aTailingReaderGetsABatchAtOnce() throws Exception {
        UUID writer = UUID.randomUUID();
        try (ChangelogReader reader =
                table.readChangelog(scan(0, 0, ChangelogScan.UNBOUNDED, ALL))) {
            assertThat(reader.poll(Duration.ZERO)).isNull();
            for (int i = 0; i < 20; i++) {
                append(0, writer, i, row(RowKind.INSERT, i, "eu", "x"));
                try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                    assertThat(batch.baseOffset()).isEqualTo(i);
                    assertThat(batch.endOffset()).isEqualTo(i + 1);
                }
            }
            assertThat(reader.isFinished()).isFalse();
        }
    }

    @Test
    void wakeUpAndCloseEndAWaitingPoll() throws Exception {
        ChangelogReader reader = table.readChangelog(scan(0, 0, ChangelogScan.UNBOUNDED, ALL));
        CompletableFuture<ChangelogBatch> polled =
                CompletableFuture.supplyAsync(() -> reader.poll(Duration.ofMinutes(5)));
        reader.wakeUp();
        assertThat(polled.get(60, TimeUnit.SECONDS)).isNull();

        CompletableFuture<Boolean> ended =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return reader.poll(Duration.ofMinutes(5)) == null;
                            } catch (HotStoreException e) {
                                return e.code() == ErrorCode.TABLE_CLOSED;
                            }
                        });
        reader.close();
        assertThat(ended.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aStartAboveTheEndIsRefused() {
        assertThatThrownBy(() -> table.readChangelog(scan(0, 99, ChangelogScan.UNBOUNDED, ALL)))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE))
                .hasMessageContaining("99");
    }

    @Test
    void anUnknownTableIsRefusedWithItsName() {
        assertThatThrownBy(
                        () ->
                                remote.openTable(
                                        new org.apache.flink.table.catalog.ObjectPath("db", "nope"),
                                        TABLE_ID))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND))
                .hasMessageStartingWith("TABLE_NOT_FOUND: ")
                .hasMessageContaining("nope");
    }

    @Test
    void manyLookupsAtOnceEachGetTheirOwn() throws Exception {
        UUID writer = UUID.randomUUID();
        RowData[] rows = new RowData[500];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = row(RowKind.INSERT, i, "eu", "note " + i);
        }
        append(0, writer, 0, rows);
        List<CompletableFuture<List<List<String>>>> asked = new ArrayList<>();
        for (int i = 0; i < 2 * rows.length; i++) {
            byte[] key = key(i, "eu");
            asked.add(
                    table.lookup(new LookupRequest(new int[] {0}, List.of(key), false, ALL))
                            .thenApply(result -> texts(result.rows())));
        }
        for (int i = 0; i < 2 * rows.length; i++) {
            assertThat(asked.get(i).get(60, TimeUnit.SECONDS))
                    .containsExactly(
                            i < rows.length
                                    ? List.of("+I[" + i + ", eu, note " + i + "]")
                                    : List.of());
        }
    }

    @Test
    void offsetsStatusAndLeases() throws Exception {
        AppendResult result = append(1, UUID.randomUUID(), 0, row(RowKind.INSERT, 1, "eu", "a"));
        assertThat(table.offsets(new OffsetQuery.Earliest()).offsets())
                .isEqualTo(Map.of(0, 0L, 1, 0L));
        assertThat(table.offsets(new OffsetQuery.Latest()).offsets())
                .isEqualTo(Map.of(0, 0L, 1, 1L));
        assertThat(
                        table.offsets(new OffsetQuery.AtTimestamp(result.commitTimestamp() + 1))
                                .offsets())
                .isEqualTo(Map.of(0, 0L, 1, 1L));
        assertThat(table.offsets(new OffsetQuery.AtTimestamp(result.commitTimestamp())).offsets())
                .isEqualTo(Map.of(0, 0L, 1, 0L));

        String lease =
                table.acquireLease(new LeaseRequest("test", Map.of(0, 0L, 1, 0L), 4, 60_000, true));
        assertThat(table.status())
                .extracting(BucketStatus::leases, BucketStatus::boundedLeases)
                .containsExactly(tuple(1, 1), tuple(1, 1));
        table.renewLease(lease, Map.of(0, 0L, 1, 1L));
        table.releaseLeases(List.of(lease));
        assertThat(table.status()).extracting(BucketStatus::leases).containsExactly(0, 0);
        assertThatThrownBy(() -> table.renewLease(lease, Map.of(0, 0L, 1, 1L)))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LEASE_NOT_FOUND))
                .hasMessageContaining(lease);

        table.reportTieredOffsets(Map.of(0, 0L, 1, 1L));
        assertThat(table.status()).extracting(BucketStatus::tieredOffset).containsExactly(0L, 1L);
        assertThatThrownBy(() -> table.reportTieredOffsets(Map.of(1, 17L)))
                .hasMessageContaining("TIERED_OFFSET_AHEAD");
    }

    @Test
    void theHistoryIsTheStores() {
        TieringReport committed =
                new TieringReport(
                        1_000,
                        20,
                        new TieringResult(7, Map.of(0, 0L), Map.of(0, 1L), 3, 2, 900, null, null),
                        null);
        TieringReport failed = new TieringReport(2_000, 3, null, "the lake is away");

        table.history().reportTiering(committed);
        table.history().reportTiering(failed);
        table.history().reportReads(ReadFigures.ofRead(false, true));
        table.history().reportReads(ReadFigures.ofRows(1, 10, 2, 20));

        assertThat(table.history().tieringRounds()).containsExactly(committed, failed);
        assertThat(table.history().readPeriods())
                .extracting(ReadPeriod::figures)
                .containsExactly(new ReadFigures(0, 1, 0, 1, 10, 2, 20));
    }

    @Test
    void tieringIsTheStoresMatter() {
        assertThat(remote.tier(PATH, TABLE_ID))
                .isEqualTo(
                        new TieringResult(
                                7,
                                Map.of(0, 0L, 1, 1L),
                                Map.of(0, 1L, 1, 2L),
                                3,
                                2,
                                900,
                                40L,
                                null));
        remote.shutdownServer();
        assertThat(fixture.shutdowns()).isEqualTo(1);
    }

    @Test
    void aSnapshotIsScannedByAnotherClient() throws Exception {
        UUID writer = UUID.randomUUID();
        append(0, writer, 0, row(RowKind.INSERT, 2, "eu", "b"), row(RowKind.INSERT, 1, "eu", "a"));
        try (KeyIndexSnapshot snapshot = table.openKeyIndexSnapshot(60_000)) {
            append(0, writer, 1, row(RowKind.DELETE, 1, "eu", null));
            assertThat(snapshot.offsets().offsets()).isEqualTo(Map.of(0, 2L, 1, 0L));
            try (RemoteHotStore other = fixture.connect(RETRY)) {
                KeyIndexSnapshot attached =
                        other.openTable(PATH, TABLE_ID)
                                .attachKeyIndexSnapshot(snapshot.snapshotId());
                assertThat(attached.offsets()).isEqualTo(snapshot.offsets());
                assertThat(scanAll(attached)).containsExactly("+I[1, eu, a]", "+I[2, eu, b]");
            }
            snapshot.keepAlive();
        }
        assertThatThrownBy(() -> table.attachKeyIndexSnapshot("gone"))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_NOT_FOUND));
    }

    @Test
    void appendsLookupsAndScansSurviveARestart() throws Exception {
        UUID writer = UUID.randomUUID();
        try (ChangelogReader reader =
                table.readChangelog(scan(0, 0, ChangelogScan.UNBOUNDED, ALL))) {
            append(0, writer, 0, row(RowKind.INSERT, 0, "eu", "n"));
            lookup(false, key(0, "eu"));
            fixture.stop();
            List<CompletableFuture<AppendResult>> sent = new ArrayList<>();
            for (int i = 1; i <= 10; i++) {
                sent.add(fixture.append(table, 0, writer, i, row(RowKind.INSERT, i, "eu", "n")));
            }
            fixture.start();
            for (int i = 1; i <= 10; i++) {
                assertThat(sent.get(i - 1).get(60, TimeUnit.SECONDS).baseOffset()).isEqualTo(i);
            }
            assertThat(lookup(false, key(10, "eu"))).containsExactly(List.of("+I[10, eu, n]"));
            List<Long> offsets = new ArrayList<>();
            await().atMost(Duration.ofMinutes(1))
                    .until(
                            () -> {
                                try (ChangelogBatch batch = reader.poll(Duration.ofMillis(100))) {
                                    for (long o = batch == null ? 0 : batch.baseOffset();
                                            batch != null && o < batch.endOffset();
                                            o++) {
                                        offsets.add(o);
                                    }
                                }
                                return offsets.size() >= 11;
                            });
            assertThat(offsets).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
        }
    }

    private AppendResult append(int bucket, UUID writer, long sequence, RowData... rows)
            throws Exception {
        return fixture.append(table, bucket, writer, sequence, rows).get(60, TimeUnit.SECONDS);
    }

    private List<List<String>> lookup(boolean prefix, byte[]... keys) throws Exception {
        return texts(
                table.lookup(new LookupRequest(new int[keys.length], List.of(keys), prefix, ALL))
                        .get(60, TimeUnit.SECONDS)
                        .rows());
    }

    private static ChangelogScan scan(int bucket, long start, long end, List<String> projection) {
        return new ChangelogScan(bucket, start, end, projection, null);
    }

    private static void readAll(ChangelogReader reader, List<String> rows, List<Long> timestamps) {
        while (!reader.isFinished()) {
            try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                for (int i = 0; batch != null && i < batch.rows().rowCount(); i++) {
                    rows.add(batch.baseOffset() + i + " " + text(batch.rows().row(i)));
                    timestamps.add(batch.commitTimestamps()[i]);
                }
            }
        }
    }

    private static List<String> scanAll(KeyIndexSnapshot snapshot) {
        List<String> rows = new ArrayList<>();
        try (KeyIndexSnapshot.Scan scan = snapshot.scan(0, ALL)) {
            RowBatch batch = scan.next();
            while (batch != null) {
                for (int i = 0; i < batch.rowCount(); i++) {
                    rows.add(text(batch.row(i)));
                }
                batch.close();
                batch = scan.next();
            }
        }
        return rows;
    }
}
