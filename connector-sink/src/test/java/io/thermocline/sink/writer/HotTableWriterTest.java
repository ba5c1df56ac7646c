package io.thermocline.sink.writer;

import static io.thermocline.sink.testkit.TestTables.row;
import static org.apache.flink.types.RowKind.DELETE;
import static org.apache.flink.types.RowKind.INSERT;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.apache.flink.types.RowKind.UPDATE_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.sink.shuffle.BucketAssigner;
import io.thermocline.sink.testkit.RecordingHotStore;
import io.thermocline.sink.testkit.RecordingHotTable;
import io.thermocline.sink.testkit.RecordingHotTable.Sent;
import io.thermocline.sink.testkit.TestTables;
import io.thermocline.sink.testkit.TestWriterContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HotTableWriterTest {

    private static final long MEBIBYTE = 1 << 20;
    private static final WriterSettings NO_WAIT =
            new WriterSettings(1000, MEBIBYTE, Duration.ZERO, 32 * MEBIBYTE);

    private RecordingHotTable table;
    private RecordingHotStore store;
    private TestWriterContext context;
    private HotTableWriter writer;

    @AfterEach
    void close() {
        if (writer != null) {
            writer.close();
        }
    }

    @Test
    void rowLeavesAtOnceAndLaterRowsShareTheNextRequest() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        writer.write(row(INSERT, 1L, "a"), null);
        writer.write(row(UPDATE_AFTER, 1L, "b"), null);
        writer.write(row(DELETE, 1L, "b"), null);
        assertThat(rows()).containsExactly(List.of("+I[1, a]"));

        table.requests().get(0).acknowledge();
        context.runMails();

        assertThat(rows()).containsExactly(List.of("+I[1, a]"), List.of("+U[1, b]", "-D[1, b]"));
        assertThat(table.requests()).extracting(Sent::sequence).containsExactly(0L, 1L);
        assertThat(table.requests())
                .extracting(Sent::writer)
                .containsOnly(table.requests().get(0).writer());
    }

    @Test
    void everyBucketHasItsOwnSequence() throws Exception {
        open(TestTables.primaryKeyTable(2), NO_WAIT);
        for (long id = 0; id < 4; id++) {
            writer.write(row(INSERT, id, "n"), null);
        }
        table.requests().forEach(Sent::acknowledge);
        context.runMails();
        assertThat(table.requests())
                .extracting(s -> s.bucket() + ":" + s.sequence() + s.rows())
                .containsExactly(
                        "0:0[+I[0, n]]", "1:0[+I[1, n]]", "0:1[+I[2, n]]", "1:1[+I[3, n]]");
    }

    @Test
    void fullRequestLeavesWhileAnotherIsUnderWay() throws Exception {
        open(
                TestTables.primaryKeyTable(1),
                new WriterSettings(2, MEBIBYTE, Duration.ZERO, 32 * MEBIBYTE));
        for (long id = 0; id < 6; id++) {
            writer.write(row(INSERT, id, "n"), null);
        }
        assertThat(rows())
                .containsExactly(
                        List.of("+I[0, n]"),
                        List.of("+I[1, n]", "+I[2, n]"),
                        List.of("+I[3, n]", "+I[4, n]"));
    }

    @Test
    void rowsWaitForTheIntervalWhenThereIsOne() throws Exception {
        open(
                TestTables.primaryKeyTable(2),
                new WriterSettings(100, MEBIBYTE, Duration.ofMillis(50), 32 * MEBIBYTE));
        context.advanceTo(1000);
        writer.write(row(INSERT, 0L, "a"), null);
        context.advanceTo(1030);
        writer.write(row(INSERT, 1L, "b"), null);
        writer.write(row(INSERT, 2L, "c"), null);
        assertThat(table.requests()).isEmpty();

        context.advanceTo(1050);
        assertThat(rows()).containsExactly(List.of("+I[0, a]", "+I[2, c]"));
        context.advanceTo(1080);
        assertThat(rows()).containsExactly(List.of("+I[0, a]", "+I[2, c]"), List.of("+I[1, b]"));
    }

    @Test
    void rowsWaitOnWhenTheIntervalIsOverButTheLineIsNotFree() throws Exception {
        open(
                TestTables.primaryKeyTable(1),
                new WriterSettings(100, MEBIBYTE, Duration.ofMillis(50), 32 * MEBIBYTE));
        for (long id = 0; id < 6; id++) {
            writer.write(row(INSERT, id, "n"), null);
            context.advanceTo(50 * (id + 1));
        }
        assertThat(table.requests()).hasSize(HotTableWriter.MAX_REQUESTS_PER_BUCKET);

        table.requests().get(0).acknowledge();
        context.runMails();
        context.advanceTo(350);
        assertThat(rows()).hasSize(5).last().isEqualTo(List.of("+I[4, n]", "+I[5, n]"));
    }

    @Test
    void flushReturnsWhenEveryRowIsAcknowledged() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        for (long id = 0; id < 5; id++) {
            writer.write(row(INSERT, id, "n"), null);
        }
        AtomicInteger acknowledged = new AtomicInteger();
        CompletableFuture<Void> server =
                CompletableFuture.runAsync(
                        () -> {
                            await().atMost(Duration.ofMinutes(1))
                                    .until(() -> table.requests().size() == 2);
                            for (Sent sent : table.requests()) {
                                acknowledged.addAndGet(sent.rows().size());
                                sent.acknowledge();
                            }
                        });
        writer.flush(false);
        assertThat(acknowledged).hasValue(5);
        server.join();
    }

    @Test
    void writeHoldsBackWhileTooMuchIsUnacknowledged() throws Exception {
        int rowBytes = 1000;
        open(
                TestTables.primaryKeyTable(1),
                new WriterSettings(10, MEBIBYTE, Duration.ZERO, 40 * rowBytes));
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicInteger mostUnacknowledged = new AtomicInteger();
        AtomicInteger written = new AtomicInteger();
        CompletableFuture<Void> server =
                CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; acknowledged.get() < 500; i++) {
                                int next = i;
                                await().pollInterval(Duration.ofMillis(1))
                                        .atMost(Duration.ofMinutes(1))
                                        .until(() -> table.requests().size() > next);
                                Sent sent = table.requests().get(i);
                                mostUnacknowledged.accumulateAndGet(
                                        written.get() - acknowledged.get(), Math::max);
                                acknowledged.addAndGet(sent.rows().size());
                                sent.acknowledge();
                            }
                        });
        String name = "x".repeat(rowBytes);
        for (long id = 0; id < 500; id++) {
            writer.write(row(INSERT, id, name), null);
            written.incrementAndGet();
        }
        writer.flush(true);
        server.join();
        assertThat(mostUnacknowledged.get()).isBetween(1, 42);
        assertThat(table.requests().stream().flatMap(s -> s.rows().stream()))
                .containsExactlyElementsOf(
                        LongStream.range(0, 500)
                                .mapToObj(id -> "+I[" + id + ", " + name + "]")
                                .toList());
    }

    @Test
    void failedRequestFailsTheTaskAtOnceAndEveryLaterCall() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        writer.write(row(INSERT, 1L, "a"), null);
        HotStoreException cause =
                new HotStoreException(ErrorCode.DISK_FULL, "no space left in /hot; free some");
        table.requests().get(0).answer().completeExceptionally(cause);
        String message =
                "cannot write to bucket 0 of table db.t: DISK_FULL: no space left in /hot;"
                        + " free some";
        assertThatThrownBy(() -> context.runMails()).rootCause().isSameAs(cause);
        assertThatThrownBy(() -> writer.write(row(INSERT, 2L, "b"), null))
                .isInstanceOf(IOException.class)
                .hasMessage(message)
                .hasCause(cause);
        assertThatThrownBy(() -> writer.flush(false)).hasMessage(message);
        assertThat(context.metricGroup().getNumRecordsSendErrorsCounter().getCount()).isEqualTo(1);
    }

    @Test
    void flushFailsWithTheCauseOfTheRequest() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        writer.write(row(INSERT, 1L, "a"), null);
        HotStoreException cause =
                new HotStoreException(ErrorCode.TABLE_RECREATED, "table db.t was re-created");
        table.requests().get(0).answer().completeExceptionally(cause);
        assertThatThrownBy(() -> writer.flush(false)).rootCause().isSameAs(cause);
    }

    @Test
    void rowsMayBeReusedByTheCaller() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        GenericRowData reused = new GenericRowData(2);
        for (long id = 0; id < 3; id++) {
            reused.setField(0, StringData.fromString("n" + id));
            reused.setField(1, id);
            writer.write(reused, null);
        }
        table.requests().get(0).acknowledge();
        context.runMails();
        assertThat(rows()).containsExactly(List.of("+I[0, n0]"), List.of("+I[1, n1]", "+I[2, n2]"));
    }

    @Test
    void oldImagesAreNotSent() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        writer.write(row(UPDATE_BEFORE, 1L, "a"), null);
        assertThat(table.requests()).isEmpty();
    }

    @Test
    void deleteNeedsNothingButTheKey() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        writer.write(row(DELETE, 1L, null), null);
        assertThat(rows()).containsExactly(List.of("-D[1, null]"));
    }

    @Test
    void appendOnlyTableRefusesChanges() {
        open(TestTables.logTable(1), NO_WAIT);
        assertThatThrownBy(() -> writer.write(row(DELETE, 1L, "a"), null))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "table db.t has no primary key and takes inserts only, but a row of kind -D"
                                + " came");
    }

    @Test
    void writerOfRowsWithoutBucketStaysWithItsOwn() throws Exception {
        HotTableSpec spec = TestTables.logTable(4);
        open(spec, NO_WAIT, null, 6);
        writer.write(row(INSERT, null, "a"), null);
        writer.write(row(INSERT, 5L, null), null);
        table.requests().get(0).acknowledge();
        context.runMails();
        assertThat(table.requests())
                .extracting(s -> s.bucket() + " " + s.rows())
                .containsExactly("2 [+I[null, a]]", "2 [+I[5, null]]");
    }

    @Test
    void nullInThePrimaryKeyNamesTheColumn() {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        assertThatThrownBy(() -> writer.write(row(INSERT, null, "a"), null))
                .isInstanceOf(HotStoreException.class)
                .hasMessage(
                        "NULL_IN_KEY: cannot write a row to table db.t: primary-key column 'id' is"
                                + " null; filter such rows out or give the column a value");
    }

    @Test
    void countsRowsAndBytesSent() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        writer.write(row(INSERT, 1L, "abc"), null);
        assertThat(context.metricGroup().getNumRecordsSendCounter().getCount()).isEqualTo(1);
        assertThat(context.metricGroup().getNumBytesSendCounter().getCount()).isGreaterThan(10);
    }

    @Test
    void closingWithRequestsUnderWayReleasesEverything() throws Exception {
        open(TestTables.primaryKeyTable(1), NO_WAIT);
        writer.write(row(INSERT, 1L, "a"), null);
        writer.write(row(INSERT, 2L, "b"), null);
        writer.close();
        assertThat(table.isClosed()).isTrue();
        assertThat(store.isClosed()).isTrue();
        table.requests().get(0).acknowledge();
        context.runMails();
        assertThat(table.requests()).hasSize(1);
        writer = null;
    }

    private List<List<String>> rows() {
        return table.requests().stream().map(Sent::rows).toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"TABLE_NOT_FOUND", "TABLE_RECREATED", "STORE_UNREACHABLE"})
    void onlyATableThatIsGoneSuppressesRestarts(ErrorCode code) {
        HotTableSpec spec = TestTables.primaryKeyTable(1);
        HotStoreException failure = new HotStoreException(code, "no such table");
        store = new RecordingHotStore(new RecordingHotTable(spec, TestTables::print), failure);
        WriterPlan plan = new WriterPlan(spec, start -> store, null, NO_WAIT, UUID.randomUUID());
        Throwable thrown =
                catchThrowable(
                        () -> HotTableWriter.open(plan, new TestWriterContext(new JobID(), 0)));
        if (code == ErrorCode.STORE_UNREACHABLE) {
            assertThat(thrown).isSameAs(failure);
        } else {
            assertThat(thrown).isInstanceOf(SuppressRestartsException.class).hasCause(failure);
        }
        assertThat(store.isClosed()).isTrue();
    }

    private void open(HotTableSpec spec, WriterSettings settings) {
        BucketAssigner assigner =
                spec.bucketKeys().isEmpty()
                        ? null
                        : new BucketAssigner(spec, TestTables.modulo(spec.bucketCount()));
        open(spec, settings, assigner, 0);
    }

    private void open(
            HotTableSpec spec, WriterSettings settings, BucketAssigner assigner, int subtask) {
        table = new RecordingHotTable(spec, TestTables::print);
        store = new RecordingHotStore(table);
        context = new TestWriterContext(new JobID(), subtask);
        writer =
                HotTableWriter.open(
                        new WriterPlan(spec, start -> store, assigner, settings, UUID.randomUUID()),
                        context);
    }
}
