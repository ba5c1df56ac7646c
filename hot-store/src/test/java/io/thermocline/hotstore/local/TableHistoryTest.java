package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.ReadPeriod;
import io.thermocline.hotstore.TableHistory;
import io.thermocline.hotstore.TieringReport;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableHistoryTest {

    private static final long HOUR = Duration.ofHours(1).toMillis();

    private final StorageFiles files = new FaultyFiles();

    @TempDir private Path directory;

    private static TieringReport committed(long startMillis) {
        return new TieringReport(
                startMillis,
                12,
                new TieringResult(3, Map.of(0, 1L), Map.of(0, 5L), 4, 2, 900, 70L, 1),
                null);
    }

    private static TieringReport failed(long startMillis) {
        return new TieringReport(startMillis, 5, null, "the lake is away");
    }

    private LocalTableHistory history(Instant now) {
        return new LocalTableHistory("db.t", directory, files, Clock.fixed(now, ZoneOffset.UTC));
    }

    @Test
    void roundsAndReadsOutliveTheStore() {
        try (TestStore store = new TestStore(directory)) {
            HotTableSpec spec = TestStore.primaryKeyTable("t", 1, Map.of());
            TableHistory history = store.create(spec).history();
            history.reportTiering(committed(1));
            history.reportTiering(failed(2));
            history.reportReads(ReadFigures.ofRead(true, true));
            history.reportReads(ReadFigures.ofRows(1, 2, 3, 4));

            store.reopen();

            TableHistory again = store.open(spec).history();
            assertThat(again.tieringRounds()).containsExactly(committed(1), failed(2));
            assertThat(again.readPeriods())
                    .extracting(ReadPeriod::figures)
                    .containsExactly(new ReadFigures(0, 0, 1, 1, 2, 3, 4));
        }
    }

    @Test
    void readsAreCountedByThePeriodTheyWereReportedIn() {
        history(Instant.ofEpochMilli(7 * HOUR + 5)).reportReads(ReadFigures.ofRead(true, false));
        history(Instant.ofEpochMilli(7 * HOUR + 9)).reportReads(ReadFigures.ofRead(false, true));
        history(Instant.ofEpochMilli(9 * HOUR)).reportReads(ReadFigures.ofRead(true, false));

        assertThat(history(Instant.EPOCH).readPeriods())
                .containsExactly(
                        new ReadPeriod(7 * HOUR, new ReadFigures(1, 1, 0, 0, 0, 0, 0)),
                        new ReadPeriod(9 * HOUR, new ReadFigures(1, 0, 0, 0, 0, 0, 0)));
    }

    @Test
    void aLineThatWasCutOffIsLeftOut() throws IOException {
        LocalTableHistory history = history(Instant.EPOCH);
        history.reportTiering(committed(1));
        Files.writeString(
                directory.resolve(LocalTableHistory.TIERING),
                "{\"startMillis\":7",
                StandardOpenOption.APPEND);

        assertThat(history.tieringRounds()).containsExactly(committed(1));
        history.reportTiering(failed(2));
        assertThat(history.tieringRounds()).containsExactly(committed(1), failed(2));
    }

    @Test
    void aLineThatIsDamagedIsLeftOutAndTheOthersStay() throws IOException {
        LocalTableHistory history = history(Instant.ofEpochMilli(7 * HOUR));
        history.reportTiering(committed(1));
        history.reportReads(ReadFigures.ofRead(true, false));
        for (String name : List.of(LocalTableHistory.TIERING, LocalTableHistory.READS)) {
            Files.writeString(
                    directory.resolve(name),
                    "\0\0\0\0\nnull\n{}\n[1]\n{\"startMillis\":\"x\"}\n",
                    StandardOpenOption.APPEND);
        }
        history.reportTiering(failed(2));
        history.flush();

        LocalTableHistory again = history(Instant.ofEpochMilli(9 * HOUR));
        again.reportReads(ReadFigures.ofRead(true, false));
        assertThat(again.tieringRounds()).containsExactly(committed(1), failed(2));
        assertThat(again.readPeriods())
                .extracting(ReadPeriod::startMillis)
                .containsExactly(7 * HOUR, 9 * HOUR);
    }

    @Test
    void aFileOfAnotherVersionIsLeftAlone() throws IOException {
        Path file = directory.resolve(LocalTableHistory.TIERING);
        String newer = "{\"formatVersion\":2}\n{\"begin\":1}\n";
        Files.writeString(file, newer);
        LocalTableHistory history = history(Instant.EPOCH);

        history.reportTiering(committed(1));

        assertThat(file).hasContent(newer);
        assertThatThrownBy(history::tieringRounds)
                .hasMessageContaining("UNSUPPORTED_FORMAT_VERSION")
                .hasMessageContaining(
                        "begins with {\"formatVersion\":2}, this version reads {\"formatVersion\":1}");
    }

    @Test
    void theHistoryIsBoundedAndKeepsTheNewest() throws IOException {
        LocalTableHistory history = history(Instant.EPOCH);
        String error = "x".repeat(50_000);
        for (int i = 0; i < 50; i++) {
            history.reportTiering(new TieringReport(i, 1, null, error));
        }

        List<TieringReport> kept = history.tieringRounds();
        assertThat(Files.size(directory.resolve(LocalTableHistory.TIERING)))
                .isLessThanOrEqualTo(HistoryFile.MAX_BYTES);
        assertThat(kept).hasSizeBetween(10, 21);
        assertThat(kept.get(kept.size() - 1).startMillis()).isEqualTo(49);
        assertThat(kept)
                .extracting(TieringReport::startMillis)
                .isSorted()
                .doesNotHaveDuplicates()
                .contains(48L, 47L, 46L);
    }

    @Test
    void manyPeriodsOfReadsAreMerged() throws IOException {
        HistoryFile file = new HistoryFile(directory.resolve("lines"), files, lines -> lines);
        file.append(List.of("a", "b"));
        file.append(List.of("c"));
        assertThat(file.lines()).containsExactly("a", "b", "c");

        long hours = LocalTableHistory.MAX_PERIODS + 40L;
        for (int round = 0; round < 8; round++) {
            reportOncePerHour(hours);
        }
        List<ReadPeriod> periods = history(Instant.EPOCH).readPeriods();
        assertThat(Files.size(directory.resolve(LocalTableHistory.READS)))
                .isLessThanOrEqualTo(HistoryFile.MAX_BYTES);
        assertThat(periods).isNotEmpty();
        assertThat(periods.get(periods.size() - 1))
                .isEqualTo(
                        new ReadPeriod((hours - 1) * HOUR, new ReadFigures(0, 0, 0, 0, 0, 8, 80)));
    }

    /** Backwards in time, so that nothing is due to be written before the end. */
    private void reportOncePerHour(long hours) {
        AtomicLong hour = new AtomicLong(hours);
        InstantSource source = () -> Instant.ofEpochMilli(hour.get() * HOUR);
        LocalTableHistory history =
                new LocalTableHistory(
                        "db.t", directory, StorageFiles.DISK, source.withZone(ZoneOffset.UTC));
        while (hour.decrementAndGet() >= 0) {
            history.reportReads(ReadFigures.ofRows(0, 0, 1, 10));
        }
        history.flush();
    }

    @Test
    void figuresCountWorkAndOpenNoKeyIndex() {
        UUID writer = UUID.randomUUID();
        try (TestStore store = new TestStore(directory)) {
            HotTableSpec spec = TestStore.primaryKeyTable("t", 1, Map.of());
            HotTable table = store.create(spec);
            store.append(table, 0, writer, 0, List.of(Change.upsert(1, "a"), Change.upsert(2, "b")))
                    .join();
            store.append(table, 0, writer, 1, List.of(Change.delete(1), Change.upsert(2, "c")))
                    .join();
            TestStore.lookup(table, 0, 2);
            TestStore.lookup(table, 0, 1);
            table.history().reportTiering(committed(1));
            table.history().reportTiering(failed(2));

            TableFigures figures = store.store().figures().get(0);
            assertThat(figures.work().appendedRows()).isEqualTo(4);
            assertThat(figures.work().appendedBytes()).isPositive();
            assertThat(figures.work().failedAppends()).isZero();
            assertThat(figures.work().lookups()).isEqualTo(2);
            assertThat(figures.work().lookupMisses()).isEqualTo(1);
            assertThat(figures.tiering())
                    .isEqualTo(new TieringTotal(1, 1, 4, 2, 900, 1, committed(1)));
            assertThat(figures.buckets())
                    .extracting(BucketStatus::keyIndexRows)
                    .containsExactly(1L);

            store.reopen();

            assertThat(store.store().figures().get(0).buckets())
                    .extracting(BucketStatus::keyIndexRows, BucketStatus::appliedOffset)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple(
                                    BucketStatus.UNKNOWN, BucketStatus.UNKNOWN));
            assertThat(store.open(spec).status())
                    .extracting(BucketStatus::keyIndexRows, BucketStatus::appliedOffset)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple(1L, 5L));
        }
    }

    @Test
    void leasesAreCountedByBucket() {
        HotTableSpec spec = TestStore.logTable("l", 2, Map.of());
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(spec);
            table.acquireLease(new LeaseRequest("stream", Map.of(1, 0L), -1, 60_000, false));
            table.acquireLease(new LeaseRequest("query", Map.of(0, 0L, 1, 0L), -1, 60_000, true));

            assertThat(table.status()).extracting(BucketStatus::leases).containsExactly(1, 2);
            assertThat(table.status())
                    .extracting(BucketStatus::boundedLeases)
                    .containsExactly(1, 1);
            store.reopen();
            assertThat(store.open(spec).status())
                    .extracting(BucketStatus::boundedLeases)
                    .containsExactly(1, 1);
        }
    }
}
