package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.TestStore.Logged;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrencyTest {

    private static final int WRITERS = 4;
    private static final int BATCHES = 60;

    @TempDir private Path directory;

    @Test
    void concurrentWritersLoseAndRepeatNothing() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.primaryKeyTable("t", 2, Map.of()));
            List<Future<?>> done = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                done.add(threads.submit(() -> writeAll(store, table, writer)));
            }
            for (Future<?> future : done) {
                future.get();
            }
            for (int bucket = 0; bucket < 2; bucket++) {
                checkBucket(table, bucket);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    // All writers write the same keys: value is "<writer>-<batch>".
    private static void writeAll(TestStore store, HotTable table, int writer) {
        UUID id = UUID.randomUUID();
        List<CompletableFuture<AppendResult>> pending = new ArrayList<>();
        for (int batch = 0; batch < BATCHES; batch++) {
            String value = writer + "-" + batch;
            for (int bucket = 0; bucket < 2; bucket++) {
                pending.add(
                        store.append(
                                table,
                                bucket,
                                id,
                                batch,
                                List.of(
                                        Change.upsert(batch % 7, value),
                                        Change.upsert(100 + writer, value))));
            }
        }
        pending.forEach(CompletableFuture::join);
    }

    private static void checkBucket(HotTable table, int bucket) {
        Map<Long, String> state = new HashMap<>();
        int changes = 0;
        for (Logged record : TestStore.changelog(table, bucket, 0)) {
            switch (record.kind()) {
                case INSERT -> assertThat(state.put(record.id(), record.value())).isNull();
                case UPDATE_BEFORE -> assertThat(record.value()).isEqualTo(state.get(record.id()));
                case UPDATE_AFTER -> state.put(record.id(), record.value());
                case DELETE -> throw new AssertionError("nothing was deleted");
            }
            changes += record.kind() == RowKind.UPDATE_BEFORE ? 0 : 1;
        }
        assertThat(changes).isEqualTo(WRITERS * BATCHES * 2);
        for (int writer = 0; writer < WRITERS; writer++) {
            assertThat(state).containsEntry(100L + writer, writer + "-" + (BATCHES - 1));
        }
        state.forEach(
                (id, value) -> assertThat(TestStore.lookup(table, bucket, id)).contains(value));
    }

    @Test
    void aChangeIsInTheChangelogOnlyOnceALookupShowsIt() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.primaryKeyTable("t", 1, Map.of()));
            int count = 300;
            Future<?> writer =
                    thread.submit(
                            () -> {
                                UUID id = UUID.randomUUID();
                                List<CompletableFuture<AppendResult>> pending = new ArrayList<>();
                                for (int i = 0; i < count; i++) {
                                    pending.add(
                                            store.append(
                                                    table,
                                                    0,
                                                    id,
                                                    i,
                                                    List.of(Change.upsert(i, "v" + i))));
                                }
                                pending.forEach(CompletableFuture::join);
                            });
            try (ChangelogReader reader =
                    table.readChangelog(new ChangelogScan(0, 0, count, List.of("id"), null))) {
                while (!reader.isFinished()) {
                    try (ChangelogBatch batch = reader.poll(Duration.ofSeconds(30))) {
                        for (int i = 0; i < batch.rows().rowCount(); i++) {
                            long id = batch.rows().row(i).getLong(0);
                            assertThat(TestStore.lookup(table, 0, id)).contains("v" + id);
                        }
                    }
                }
            }
            writer.get();
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void snapshotsAndEndsAreOneCut() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        AtomicBoolean stop = new AtomicBoolean();
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.primaryKeyTable("t", 2, Map.of()));
            Future<?> writer =
                    thread.submit(
                            () -> {
                                UUID id = UUID.randomUUID();
                                for (int i = 0; !stop.get(); i++) {
                                    List<Change> change = List.of(Change.upsert(i, "v"));
                                    CompletableFuture<AppendResult> first =
                                            store.append(table, 0, id, i, change);
                                    store.append(table, 1, id, i, change).join();
                                    first.join();
                                }
                            });
            try {
                long lastTimestamp = -1;
                for (int i = 0; i < 20; i++) {
                    TableOffsets ends = table.offsets(new OffsetQuery.Latest());
                    assertThat(ends.commitTimestamp()).isGreaterThanOrEqualTo(lastTimestamp);
                    lastTimestamp = ends.commitTimestamp();
                    try (KeyIndexSnapshot snapshot = table.openKeyIndexSnapshot(60_000)) {
                        for (int bucket = 0; bucket < 2; bucket++) {
                            assertThat(rows(snapshot, bucket))
                                    .isEqualTo(snapshot.offsets().offsets().get(bucket));
                        }
                    }
                }
            } finally {
                stop.set(true);
                writer.get();
            }
        } finally {
            thread.shutdownNow();
        }
    }

    private static long rows(KeyIndexSnapshot snapshot, int bucket) {
        long rows = 0;
        try (KeyIndexSnapshot.Scan scan = snapshot.scan(bucket, List.of("id"))) {
            for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
                rows += batch.rowCount();
                batch.close();
            }
        }
        return rows;
    }
}
