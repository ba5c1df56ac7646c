package io.thermocline.sink.writer;

import static io.thermocline.sink.testkit.TestTables.row;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.SharedHotStore;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.hotstore.testkit.HookedAppends;
import io.thermocline.sink.shuffle.BucketAssigner;
import io.thermocline.sink.testkit.TestTables;
import io.thermocline.sink.testkit.TestWriterContext;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.flink.api.common.JobID;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two attempts of a task write to a real store; the earlier one does not know that it is over. */
class WriterFencingTest {

    private static final JobID JOB = new JobID();
    private static final UUID SINK = UUID.randomUUID();

    @TempDir private Path directory;
    private LocalHotStore store;
    private HotTableSpec spec;
    private final Queue<Runnable> onTheWire = new ArrayDeque<>();

    private void open(HotTableSpec table) {
        spec = table;
        store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory).withKeyIndexMemoryBytes(16L << 20),
                        path -> Optional.of(spec),
                        (path, tableId) -> {
                            throw new UnsupportedOperationException("there is no lake here");
                        });
    }

    @AfterEach
    void close() {
        store.close();
    }

    private HotTableWriter attempt(HotStore connection, int subtask) {
        BucketAssigner assigner =
                spec.hasPrimaryKey()
                        ? new BucketAssigner(spec, TestTables.modulo(spec.bucketCount()))
                        : null;
        WriterSettings settings = new WriterSettings(1000, 1 << 20, Duration.ZERO, 32 << 20);
        return HotTableWriter.open(
                new WriterPlan(spec, start -> connection, assigner, settings, SINK),
                new TestWriterContext(JOB, subtask));
    }

    /** A connection whose requests arrive when the test says so. */
    private HotStore slow() {
        return HookedAppends.of(
                new SharedHotStore(store, () -> {}),
                (table, batch) ->
                        CompletableFuture.supplyAsync(() -> table.append(batch), onTheWire::add)
                                .thenCompose(Function.identity()));
    }

    private String valueOf(long id) {
        try (HotTable table = store.openTable(spec.path(), spec.tableId())) {
            byte[] key = KeyEncoder.forRows(spec, List.of("id")).encode(GenericRowData.of(id));
            List<RowData> rows =
                    table.lookup(
                                    new LookupRequest(
                                            new int[] {(int) (id % spec.bucketCount())},
                                            List.of(key),
                                            false,
                                            List.of("name")))
                            .join()
                            .rows()
                            .get(0);
            return rows.get(0).getString(0).toString();
        }
    }

    private static void assertFenced(HotTableWriter writer) {
        assertThatThrownBy(() -> writer.flush(false))
                .rootCause()
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED));
        assertThatThrownBy(() -> writer.flush(false))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot write to bucket 0 of table db.t: FENCED: batch ")
                .hasMessageContaining("a newer attempt of the same job writes to this bucket");
    }

    @Test
    void aRequestThatArrivesAfterTheNextAttemptHasWrittenChangesNothing() throws Exception {
        open(TestTables.primaryKeyTable(2));
        HotTableWriter earlier = attempt(slow(), 0);
        earlier.write(row(UPDATE_AFTER, 4L, "older"), null);
        onTheWire.remove().run();
        earlier.flush(false);
        earlier.write(row(UPDATE_AFTER, 4L, "old"), null);
        assertThat(onTheWire).hasSize(1);

        // Rescaled meanwhile: the bucket is that of another subtask.
        HotTableWriter later = attempt(new SharedHotStore(store, () -> {}), 3);
        later.write(row(UPDATE_AFTER, 4L, "new"), null);
        later.flush(false);
        onTheWire.remove().run();

        assertFenced(earlier);
        assertThat(valueOf(4)).isEqualTo("new");
        assertThatThrownBy(() -> earlier.write(row(UPDATE_AFTER, 4L, "old"), null))
                .hasMessageContaining("FENCED");
        later.write(row(UPDATE_AFTER, 4L, "newer"), null);
        later.flush(true);
        assertThat(valueOf(4)).isEqualTo("newer");
        earlier.close();
        later.close();
    }

    @Test
    void writersThatShareABucketDoNotFenceEachOther() throws Exception {
        open(TestTables.logTable(1));
        HotTableWriter first = attempt(new SharedHotStore(store, () -> {}), 0);
        HotTableWriter second = attempt(new SharedHotStore(store, () -> {}), 1);
        for (long id = 0; id < 3; id++) {
            for (HotTableWriter writer : List.of(first, second)) {
                writer.write(row(RowKind.INSERT, id, "n"), null);
                writer.flush(false);
            }
        }
        HotTableWriter secondAgain = attempt(new SharedHotStore(store, () -> {}), 1);
        secondAgain.write(row(RowKind.INSERT, 3L, "n"), null);
        secondAgain.flush(false);
        second.write(row(RowKind.INSERT, 3L, "n"), null);
        assertFenced(second);
        first.write(row(RowKind.INSERT, 3L, "n"), null);
        first.flush(true);
        try (HotTable table = store.openTable(spec.path(), spec.tableId())) {
            assertThat(table.offsets(new OffsetQuery.Latest()).offsets()).containsEntry(0, 8L);
        }
        List.of(first, second, secondAgain).forEach(HotTableWriter::close);
    }
}
