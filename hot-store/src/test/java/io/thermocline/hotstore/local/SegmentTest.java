package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.filter.RowPredicate;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.TestStore.Logged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.StringData;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Journal files become segments; retention deletes segments. */
class SegmentTest {

    private static final UUID WRITER = UUID.randomUUID();

    @TempDir private Path directory;

    private TestStore open(long rollBytes) {
        return new TestStore(
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withJournalRoll(rollBytes, Duration.ofHours(1))
                        .withMaintenanceInterval(Duration.ofMillis(20))
                        .withFiles(new FaultyFiles(), Clock.systemUTC()));
    }

    private static List<Long> write(TestStore store, HotTable table, int batches) {
        List<Long> timestamps = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            List<Change> changes = List.of(Change.upsert(i, "v" + i), Change.upsert(i, "w" + i));
            timestamps.add(store.append(table, 0, WRITER, i, changes).join().commitTimestamp());
        }
        return timestamps;
    }

    private void awaitSegments() {
        Awaitility.await().untilAsserted(() -> assertThat(journalFiles()).isEqualTo(1));
    }

    private long journalFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("journal"))) {
            return files.filter(path -> path.toString().endsWith(".journal")).count();
        }
    }

    private long segmentFiles(HotTableSpec spec) throws IOException {
        Path changelog =
                directory.resolve("tables").resolve(spec.tableId()).resolve("bucket-0/changelog");
        try (Stream<Path> files = Files.list(changelog)) {
            return files.count();
        }
    }

    @Test
    void segmentsHoldTheSameRecordsOffsetsAndTimestamps() throws IOException {
        HotTableSpec spec = TestStore.logTable("l", 1, Map.of());
        try (TestStore store = open(3000)) {
            HotTable table = store.create(spec);
            List<Long> timestamps = write(store, table, 60);
            awaitSegments();

            assertThat(segmentFiles(spec)).isBetween(1L, 8L);
            checkRecords(table, timestamps);
            store.reopen();
            HotTable reopened = store.open(spec);
            checkRecords(reopened, timestamps);
            assertThat(store.append(reopened, 0, WRITER, 59, List.of(Change.upsert(1, "x"))).join())
                    .extracting("baseOffset", "commitTimestamp")
                    .containsExactly(118L, timestamps.get(59));
        }
    }

    private static void checkRecords(HotTable table, List<Long> timestamps) {
        List<Logged> records = TestStore.changelog(table, 0, 0);
        assertThat(records).hasSize(2 * timestamps.size());
        assertThat(TestStore.changelog(table, 0, 31))
                .isEqualTo(records.subList(31, records.size()));
        for (int i = 0; i < timestamps.size(); i++) {
            assertThat(records.get(2 * i).value()).isEqualTo("v" + i);
            assertThat(records.get(2 * i + 1).value()).isEqualTo("w" + i);
            assertThat(offsetAt(table, timestamps.get(i))).isEqualTo(2L * i);
            assertThat(offsetAt(table, timestamps.get(i) + 1)).isEqualTo(2L * i + 2);
        }
        assertThat(offsetAt(table, 0)).isZero();
    }

    private static long offsetAt(HotTable table, long timestamp) {
        return table.offsets(new OffsetQuery.AtTimestamp(timestamp)).offsets().get(0);
    }

    @Test
    void readersKeepReadingWhileJournalFilesAreReplaced() {
        HotTableSpec spec = TestStore.logTable("l", 1, Map.of());
        try (TestStore store = open(2000)) {
            HotTable table = store.create(spec);
            int read = 0;
            try (ChangelogReader reader =
                    table.readChangelog(
                            new ChangelogScan(
                                    0, 0, ChangelogScan.UNBOUNDED, List.of("id"), null))) {
                write(store, table, 150);
                while (read < 300) {
                    try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                        for (int i = 0; i < batch.rows().rowCount(); i++) {
                            assertThat(batch.baseOffset() + i).isEqualTo(read);
                            assertThat(batch.rows().row(i).getLong(0)).isEqualTo(read / 2);
                            read++;
                        }
                    }
                }
                assertThat(reader.poll(Duration.ZERO)).isNull();
                assertThat(reader.position()).isEqualTo(300);
            }
        }
    }

    @Test
    void groupsInWhichNoRowCanMatchAreSkipped() {
        HotTableSpec spec = TestStore.logTable("l", 1, Map.of());
        try (TestStore store = open(64 << 20)) {
            HotTable table = store.create(spec);
            write(store, table, 10);
            RowPredicate predicate = new RowPredicate.Compare("id", RowPredicate.Op.EQ, 4L);
            try (ChangelogReader reader =
                            table.readChangelog(
                                    new ChangelogScan(0, 0, 20, List.of("id"), predicate));
                    ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                assertThat(batch.baseOffset()).isEqualTo(8);
                assertThat(batch.rows().rowCount()).isEqualTo(2);
                assertThat(reader.poll(Duration.ofSeconds(10))).isNull();
                assertThat(reader.isFinished()).isTrue();
            }
        }
    }

    @Test
    void groupsWithoutAWantedPartitionAreSkipped() {
        HotTableSpec spec =
                new HotTableSpec(
                        new ObjectPath("db", "p"),
                        UUID.randomUUID().toString(),
                        0,
                        TestStore.ROW_TYPE,
                        List.of(),
                        List.of("v"),
                        List.of(),
                        1,
                        Map.of());
        try (TestStore store = open(64 << 20)) {
            HotTable table = store.create(spec);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "a"), Change.upsert(2, "c")))
                    .join();
            store.append(table, 0, WRITER, 1, List.of(Change.upsert(3, "b"))).join();
            // Within the range of the first group, but none of its partitions.
            RowPredicate predicate =
                    new RowPredicate.Compare("v", RowPredicate.Op.EQ, StringData.fromString("b"));
            try (ChangelogReader reader =
                            table.readChangelog(
                                    new ChangelogScan(0, 0, 3, List.of("id"), predicate));
                    ChangelogBatch batch = reader.poll(Duration.ofSeconds(10))) {
                assertThat(batch.baseOffset()).isEqualTo(2);
                assertThat(batch.rows().row(0).getLong(0)).isEqualTo(3);
                assertThat(reader.isFinished()).isTrue();
            }
        }
    }

    @Test
    void retentionFlushesTheKeyIndexBeforeItDeletes() throws IOException {
        HotTableSpec spec = TestStore.primaryKeyTable("t", 1, Map.of("hot.log.retention", "1 ms"));
        Path crashed = directory.resolveSibling(directory.getFileName() + "-crashed");
        try (TestStore store = open(2000)) {
            HotTable table = store.create(spec);
            write(store, table, 40);
            awaitSegments();
            long end = TestStore.end(table, 0);
            table.reportTieredOffsets(Map.of(0, end));
            table.reportTieredOffsets(Map.of(0, end));
            Awaitility.await()
                    .untilAsserted(() -> assertThat(TestStore.start(table, 0)).isPositive());
            // As a crash leaves it: nothing is flushed or closed.
            copy(directory, crashed);
        }
        try (TestStore store = new TestStore(crashed)) {
            HotTable table = store.create(spec);
            assertThat(TestStore.start(table, 0)).isPositive();
            for (long id = 0; id < 40; id++) {
                assertThat(TestStore.lookup(table, 0, id)).contains("w" + id);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> walk = Files.walk(from)) {
            for (Path path : (Iterable<Path>) walk::iterator) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }

    @Test
    void snapshotsAndLeasesThatAreNotUsedEnd() {
        AdjustableClock clock = new AdjustableClock();
        HotTableSpec spec = TestStore.primaryKeyTable("t", 1, Map.of());
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withMaintenanceInterval(Duration.ofMillis(20))
                        .withFiles(new FaultyFiles(), clock);
        try (TestStore store = new TestStore(config)) {
            HotTable table = store.create(spec);
            write(store, table, 3);
            KeyIndexSnapshot snapshot = table.openKeyIndexSnapshot(60_000);
            KeyIndexSnapshot.Scan scan = snapshot.scan(0, List.of("id"));
            String lease =
                    table.acquireLease(new LeaseRequest("test", Map.of(0, 0L), 5, 60_000, true));
            clock.advance(Duration.ofSeconds(59));
            table.renewLease(lease, Map.of());
            snapshot.keepAlive();
            clock.advance(Duration.ofSeconds(59));
            assertThat(store.store().leasedLakeSnapshots(spec.tableId())).containsExactly(5L);
            assertThat(store.store().idleSinceMillis()).isEqualTo(clock.millis());

            clock.advance(Duration.ofSeconds(2));

            assertThat(store.store().leasedLakeSnapshots(spec.tableId())).isEmpty();
            Awaitility.await()
                    .untilAsserted(
                            () ->
                                    assertThat(store.store().idleSinceMillis())
                                            .isLessThan(clock.millis()));
            assertThatThrownBy(scan::next)
                    .hasMessageContaining("SNAPSHOT_NOT_FOUND")
                    .hasMessageContaining("was not used for 60000 ms");
            assertThatThrownBy(() -> table.attachKeyIndexSnapshot(snapshot.snapshotId()))
                    .hasMessageContaining("SNAPSHOT_NOT_FOUND");
            assertThatThrownBy(() -> table.renewLease(lease, Map.of()))
                    .hasMessageContaining("LEASE_NOT_FOUND: lease " + lease);
        }
    }

    /** Stands still until it is told to go on. */
    private static final class AdjustableClock extends Clock {

        private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);

        private void advance(Duration duration) {
            millis.addAndGet(duration.toMillis());
        }

        @Override
        public long millis() {
            return millis.get();
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void retentionWaitsForTheLakeAndForLeases() {
        HotTableSpec spec = TestStore.logTable("l", 1, Map.of("hot.log.retention", "1 ms"));
        try (TestStore store = open(2000)) {
            HotTable table = store.create(spec);
            write(store, table, 40);
            awaitSegments();
            String lease =
                    table.acquireLease(new LeaseRequest("test", Map.of(0, 0L), 17, 60_000, true));
            assertThat(store.store().leasedLakeSnapshots(spec.tableId())).containsExactly(17L);

            table.reportTieredOffsets(Map.of(0, 80L));
            store.reopen();
            HotTable reopened = store.open(spec);
            reopened.reportTieredOffsets(Map.of(0, 80L));
            reopened.reportTieredOffsets(Map.of(0, 80L));
            reopened.renewLease(lease, Map.of(0, 0L));
            assertThat(TestStore.changelog(reopened, 0, 0)).hasSize(80);

            reopened.releaseLeases(List.of(lease));
            Awaitility.await()
                    .untilAsserted(() -> assertThat(TestStore.start(reopened, 0)).isPositive());
            long start = TestStore.start(reopened, 0);
            assertThat(TestStore.changelog(reopened, 0, start)).hasSize((int) (80 - start));
            assertThatThrownBy(() -> TestStore.changelog(reopened, 0, 0))
                    .hasMessageContaining("OFFSET_OUT_OF_RANGE: offset 0 of bucket 0 of table db.l")
                    .hasMessageContaining("holds " + start + " to 80");
            assertThatThrownBy(() -> reopened.renewLease(lease, Map.of()))
                    .hasMessageContaining("LEASE_NOT_FOUND: lease " + lease);
            assertThatThrownBy(() -> reopened.reportTieredOffsets(Map.of(0, 81L)))
                    .hasMessageContaining("TIERED_OFFSET_AHEAD")
                    .hasMessageContaining("up to offset 81");
            store.reopen();
            assertThat(TestStore.start(store.open(spec), 0)).isGreaterThanOrEqualTo(start);
        }
    }

    @Test
    void aLogTableWithoutTieringKeepsEverything() {
        HotTableSpec spec =
                TestStore.logTable(
                        "l", 1, Map.of("hot.log.retention", "1 ms", "tiering.enabled", "false"));
        try (TestStore store = open(2000)) {
            HotTable table = store.create(spec);
            write(store, table, 40);
            awaitSegments();
            store.reopen();
            assertThat(TestStore.changelog(store.open(spec), 0, 0)).hasSize(80);
        }
    }

    @Test
    void aDamagedSegmentIsNamed() throws IOException {
        HotTableSpec spec = TestStore.logTable("l", 1, Map.of());
        try (TestStore store = open(2000)) {
            HotTable table = store.create(spec);
            write(store, table, 40);
            awaitSegments();
            Path changelog =
                    directory
                            .resolve("tables")
                            .resolve(spec.tableId())
                            .resolve("bucket-0/changelog");
            Path segment;
            try (Stream<Path> files = Files.list(changelog)) {
                segment = files.sorted().findFirst().orElseThrow();
            }
            byte[] content = Files.readAllBytes(segment);
            content[100] ^= 1;
            Files.write(segment, content);
            assertThatThrownBy(() -> TestStore.changelog(table, 0, 0))
                    .hasMessageContaining("CORRUPT_CHANGELOG")
                    .hasMessageContaining(segment.toString());
        }
    }
}
