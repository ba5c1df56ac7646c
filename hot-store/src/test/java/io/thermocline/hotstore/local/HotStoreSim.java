package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random histories with re-opened stores, beside a map and a list. */
class HotStoreSim {

    private static final int STEPS = 200;
    private static final int KEYS = 40;
    private static final int BUCKETS = 3;
    private static final int WRITERS = 3;

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void storeAgreesWithTheModel(long seed) {
        Random random = new Random(seed);
        LocalHotStoreConfig config =
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withJournalRoll(2000 + random.nextInt(20_000), Duration.ofMillis(200))
                        .withReplayBytes(10_000)
                        .withMaintenanceInterval(Duration.ofMillis(20))
                        .withFiles(
                                seed == 1 ? StorageFiles.DISK : new FaultyFiles(),
                                Clock.systemUTC());
        try (TestStore store = new TestStore(config)) {
            HotTableSpec keyed = TestStore.primaryKeyTable("t", BUCKETS, Map.of());
            HotTableSpec log = TestStore.logTable("l", BUCKETS, Map.of());
            List<BucketModel> models = new ArrayList<>();
            for (int i = 0; i < 2 * BUCKETS; i++) {
                models.add(new BucketModel(i < BUCKETS));
            }
            List<List<WriterEpoch>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                writers.add(new ArrayList<>(List.of(WriterEpoch.unfenced(UUID.randomUUID()))));
            }
            List<HotTable> tables =
                    new ArrayList<>(List.of(store.create(keyed), store.create(log)));
            for (int step = 0; step < STEPS; step++) {
                int action = random.nextInt(100);
                if (action < 3) {
                    store.reopen();
                    tables = List.of(store.open(keyed), store.open(log));
                } else if (action < 15) {
                    int at = random.nextInt(models.size());
                    check(seed, tables.get(at / BUCKETS), at % BUCKETS, models.get(at), random);
                } else {
                    write(store, tables, models, writers, random);
                }
            }
            for (int at = 0; at < models.size(); at++) {
                check(seed, tables.get(at / BUCKETS), at % BUCKETS, models.get(at), random);
            }
            checkSnapshot(seed, tables.get(0), models);
        }
    }

    private void write(
            TestStore store,
            List<HotTable> tables,
            List<BucketModel> models,
            List<List<WriterEpoch>> writers,
            Random random) {
        int at = random.nextInt(models.size());
        BucketModel model = models.get(at);
        HotTable table = tables.get(at / BUCKETS);
        int bucket = at % BUCKETS;
        WriterEpoch writer = writer(table, writers, random);
        if (writer.epoch() < model.newestEpochs.getOrDefault(writer.writerId(), 0L)) {
            long sequence = random.nextInt(3);
            assertThatThrownBy(
                            () ->
                                    store.append(
                                                    table,
                                                    bucket,
                                                    writer,
                                                    sequence,
                                                    changes(model.hasKey, random))
                                            .join())
                    .hasMessageContaining("FENCED: batch " + sequence + " of writer " + writer);
            return;
        }
        model.newestEpochs.put(writer.writerId(), writer.epoch());
        List<CompletableFuture<AppendResult>> pending = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            long sequence = model.sequences.merge(writer, 1L, Long::sum) - 1;
            List<Change> changes = changes(model.hasKey, random);
            pending.add(store.append(table, bucket, writer, sequence, changes));
            names.add(writer + "/" + sequence);
            model.apply(changes);
        }
        for (int i = 0; i < pending.size(); i++) {
            model.results.put(names.get(i), pending.get(i).join());
        }
        if (random.nextInt(4) == 0) {
            long next = model.sequences.get(writer);
            int known = (int) Math.min(next, AppendBatch.MAX_UNANSWERED);
            long earlier = next - 1 - random.nextInt(known);
            AppendResult again =
                    store.append(table, bucket, writer, earlier, changes(model.hasKey, random))
                            .join();
            assertThat(again).isEqualTo(model.results.get(writer + "/" + earlier));
        }
    }

    /** A life of a writer: a new one, the present one, or one that should have ended. */
    private static WriterEpoch writer(
            HotTable table, List<List<WriterEpoch>> writers, Random random) {
        List<WriterEpoch> lives = writers.get(random.nextInt(writers.size()));
        int action = random.nextInt(10);
        if (action == 0) {
            WriterEpoch begun = table.beginWriter(lives.get(0).writerId());
            writers.forEach(
                    others ->
                            assertThat(others)
                                    .allSatisfy(
                                            before ->
                                                    assertThat(begun.epoch())
                                                            .isGreaterThan(before.epoch())));
            lives.add(begun);
        }
        return action < 8 ? lives.get(lives.size() - 1) : lives.get(random.nextInt(lives.size()));
    }

    private static List<Change> changes(boolean hasKey, Random random) {
        List<Change> changes = new ArrayList<>();
        for (int i = 1 + random.nextInt(12); i > 0; i--) {
            long id = random.nextInt(KEYS);
            int kind = random.nextInt(10);
            String value = random.nextInt(8) == 0 ? null : "v" + random.nextInt(4);
            if (!hasKey || kind < 6) {
                changes.add(Change.upsert(id, value));
            } else if (kind == 6) {
                changes.add(new Change(RowKind.UPDATE_AFTER, id, value));
            } else if (kind == 7) {
                changes.add(new Change(RowKind.UPDATE_BEFORE, id, value));
            } else {
                changes.add(Change.delete(id));
            }
        }
        return changes;
    }

    private static void check(
            long seed, HotTable table, int bucket, BucketModel model, Random random) {
        int from = model.changelog.isEmpty() ? 0 : random.nextInt(model.changelog.size() + 1);
        assertThat(TestStore.changelog(table, bucket, from))
                .as("changelog of bucket %s from %s, seed %s", bucket, from, seed)
                .isEqualTo(model.changelog.subList(from, model.changelog.size()));
        if (!model.hasKey) {
            return;
        }
        assertThat(table.status().get(bucket).keyIndexRows())
                .as("rows of bucket %s, seed %s", bucket, seed)
                .isEqualTo(model.rows.size());
        for (long id = 0; id < KEYS; id++) {
            assertThat(TestStore.lookup(table, bucket, id))
                    .as("key %s of bucket %s, seed %s", id, bucket, seed)
                    .isEqualTo(
                            model.rows.containsKey(id)
                                    ? Optional.of(String.valueOf(model.rows.get(id)))
                                    : Optional.empty());
        }
    }

    private static void checkSnapshot(long seed, HotTable table, List<BucketModel> models) {
        try (KeyIndexSnapshot snapshot = table.openKeyIndexSnapshot(60_000)) {
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                Map<Long, String> rows = new TreeMap<>();
                try (KeyIndexSnapshot.Scan scan = snapshot.scan(bucket, List.of("v", "id"))) {
                    for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
                        try (RowBatch open = batch) {
                            for (int i = 0; i < open.rowCount(); i++) {
                                rows.put(open.row(i).getLong(1), TestStore.text(open.row(i), 0));
                            }
                        }
                    }
                }
                assertThat(rows)
                        .as("bucket %s, seed %s", bucket, seed)
                        .isEqualTo(models.get(bucket).rows);
                assertThat(snapshot.offsets().offsets().get(bucket))
                        .isEqualTo(models.get(bucket).changelog.size());
            }
        }
    }
}
