package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.local.TestStore.Change;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DetachTest {

    private static final UUID WRITER = UUID.randomUUID();
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @TempDir private Path directory;

    @Test
    void nothingComesBehindTheDetachRecord() {
        try (TestStore store = new TestStore(directory)) {
            HotTableSpec attached = TestStore.primaryKeyTable("t", 2, Map.of());
            HotTable table = store.create(attached);
            AppendResult last = store.append(table, 1, WRITER, 0, upsert(1, "a")).join();

            store.create(state(attached, "draining", 1));

            assertRefused(store.append(table, 1, WRITER, 1, upsert(2, "b")));
            assertThat(store.append(table, 1, WRITER, 0, upsert(1, "a")).join()).isEqualTo(last);
            assertThat(table.detach().offsets()).isEqualTo(Map.of(0, 1L, 1, 2L));
            assertThat(TestStore.lookup(table, 1, 1)).contains("a");
            assertThat(offsets(table, 1, 2)).containsExactly(0L);
            assertThatThrownBy(() -> offsets(table, 1, ChangelogScan.UNBOUNDED))
                    .isInstanceOf(HotStoreException.class)
                    .hasMessageContaining("TABLE_DETACHING: table db.t has no more changes");
        }
    }

    @Test
    void batchesUnderWayLieBeforeTheRecordOrAreRefused() {
        try (TestStore store = new TestStore(directory)) {
            HotTableSpec attached = TestStore.logTable("l", 1, Map.of());
            HotTable table = store.create(attached);
            List<CompletableFuture<AppendResult>> appends = new ArrayList<>();
            for (int batch = 0; batch < 60; batch++) {
                appends.add(store.append(table, 0, WRITER, batch, upsert(batch, "v")));
                if (batch == 30) {
                    store.create(state(attached, "draining", 1));
                }
            }
            long end = table.detach().offsets().get(0);

            long accepted = 0;
            for (CompletableFuture<AppendResult> append : appends) {
                try {
                    assertThat(append.join().endOffset()).isLessThan(end);
                    accepted++;
                } catch (CompletionException e) {
                    assertThat(e)
                            .cause()
                            .isInstanceOfSatisfying(
                                    HotStoreException.class,
                                    refused ->
                                            assertThat(refused.code())
                                                    .isEqualTo(ErrorCode.TABLE_DETACHING));
                }
            }
            assertThat(end).isEqualTo(accepted + 1);
            assertThat(TestStore.end(table, 0)).isEqualTo(end);
        }
    }

    @Test
    void aRestartKeepsItAndTheWayBackIsOpen() {
        try (TestStore store = new TestStore(directory)) {
            HotTableSpec attached = TestStore.primaryKeyTable("t", 1, Map.of());
            store.append(store.create(attached), 0, WRITER, 0, upsert(1, "a")).join();
            HotTableSpec draining = state(attached, "draining", 1);
            store.create(draining).detach();

            store.reopen();

            HotTable table = store.open(draining);
            assertThat(TestStore.lookup(table, 0, 1)).contains("a");
            assertRefused(store.append(table, 0, WRITER, 1, upsert(2, "b")));

            HotTableSpec kept = state(attached, "attached", 2);
            HotTable again = store.create(kept);
            AppendResult next = store.append(again, 0, WRITER, 1, upsert(2, "b")).join();
            assertThat(next.baseOffset()).isEqualTo(2);
            assertThat(offsets(again, 0, 3)).containsExactly(0L, 2L);

            store.reopen();
            assertThat(TestStore.lookup(store.open(kept), 0, 2)).contains("b");
        }
    }

    @Test
    void anOutdatedDefinitionDoesNotUndoIt() {
        try (TestStore store = new TestStore(directory)) {
            HotTableSpec attached = TestStore.primaryKeyTable("t", 1, Map.of());
            store.create(attached);
            HotTable table = store.create(state(attached, "draining", 1));
            store.create(attached);
            assertThat(table.spec().isDraining()).isTrue();
            assertRefused(store.append(table, 0, WRITER, 0, upsert(1, "late")));
        }
    }

    @Test
    void onlyADrainingTableIsDetached() {
        try (TestStore store = new TestStore(directory)) {
            HotTable table = store.create(TestStore.logTable("l", 1, Map.of()));
            assertThatThrownBy(table::detach)
                    .hasMessageContaining("the hot tier of table db.l is not being taken away");
            assertThat(TestStore.end(table, 0)).isZero();
        }
    }

    private static void assertRefused(CompletableFuture<AppendResult> append) {
        assertThatThrownBy(append::join)
                .cause()
                .hasMessageContaining("TABLE_DETACHING: table db.t takes no more rows");
    }

    private static List<Change> upsert(long id, String value) {
        return List.of(Change.upsert(id, value));
    }

    private static HotTableSpec state(HotTableSpec spec, String state, long epoch) {
        return new HotTableSpec(
                spec.path(),
                spec.tableId(),
                spec.schemaVersion(),
                spec.rowType(),
                spec.primaryKey(),
                spec.partitionKeys(),
                spec.bucketKeys(),
                spec.bucketCount(),
                Map.of(
                        HotTableSpec.ATTACHMENT_STATE,
                        state,
                        HotTableSpec.ATTACHMENT_EPOCH,
                        String.valueOf(epoch)));
    }

    private static List<Long> offsets(HotTable table, int bucket, long end) {
        List<Long> offsets = new ArrayList<>();
        try (ChangelogReader reader =
                table.readChangelog(new ChangelogScan(bucket, 0, end, List.of("id"), null))) {
            while (!reader.isFinished()) {
                try (ChangelogBatch batch = reader.poll(TIMEOUT)) {
                    for (int row = 0; batch != null && row < batch.rows().rowCount(); row++) {
                        offsets.add(batch.baseOffset() + row);
                    }
                }
            }
        }
        return offsets;
    }
}
