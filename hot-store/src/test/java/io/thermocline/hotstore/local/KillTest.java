package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.TestStore.Logged;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.apache.flink.table.catalog.ObjectPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 of a JVM that appends: every acknowledged row is there once. */
class KillTest {

    private static final int ROUNDS = 2;
    private static final int IN_FLIGHT = 8;

    @TempDir private Path directory;

    private static TestStore open(Path directory) {
        return new TestStore(
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withJournalRoll(20_000, Duration.ofHours(1))
                        .withMaintenanceInterval(Duration.ofMillis(20)));
    }

    private static HotTableSpec table(boolean keyed) {
        HotTableSpec spec =
                keyed
                        ? TestStore.primaryKeyTable("t", 1, Map.of())
                        : TestStore.logTable("l", 1, Map.of());
        // Both processes must mean the same table.
        return new HotTableSpec(
                new ObjectPath("db", keyed ? "t" : "l"),
                new UUID(1, keyed ? 1 : 2).toString(),
                spec.schemaVersion(),
                spec.rowType(),
                spec.primaryKey(),
                spec.partitionKeys(),
                spec.bucketKeys(),
                spec.bucketCount(),
                spec.options());
    }

    /** Appends rows with the ids from the first argument on, and prints what is acknowledged. */
    static final class Appender {

        private Appender() {}

        public static void main(String[] arguments) throws InterruptedException {
            TestStore store = open(Path.of(arguments[0]));
            long id = Long.parseLong(arguments[1]);
            HotTable keyed = store.create(table(true));
            HotTable log = store.create(table(false));
            UUID writer = UUID.randomUUID();
            Semaphore inFlight = new Semaphore(IN_FLIGHT);
            for (long sequence = 0; ; sequence++) {
                long row = id + sequence;
                inFlight.acquire();
                CompletableFuture<AppendResult> first =
                        store.append(
                                keyed,
                                0,
                                writer,
                                sequence,
                                List.of(
                                        Change.upsert(row, "v" + row),
                                        Change.upsert(-1, "" + row)));
                store.append(log, 0, writer, sequence, List.of(Change.upsert(row, "v" + row)))
                        .thenCombine(first, (a, b) -> row)
                        .thenAccept(
                                acknowledged -> {
                                    System.out.println(acknowledged);
                                    System.out.flush();
                                    inFlight.release();
                                });
            }
        }
    }

    @Test
    void everyAcknowledgedRowIsThereOnce() throws Exception {
        long seed = 3;
        Random random = new Random(seed);
        Set<Long> acknowledged = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            Process child =
                    ChildJvm.start(
                            ChildJvm.classPath(),
                            Appender.class,
                            directory.toString(),
                            "" + round * 1_000_000L);
            readUntilKilled(child, 100 + random.nextInt(200), acknowledged);
            check(acknowledged, "seed " + seed + " round " + round);
        }
    }

    private static void readUntilKilled(Process child, int count, Set<Long> acknowledged)
            throws IOException, InterruptedException {
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            int read = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                // The last line may be cut by the kill.
                if (line.matches("\\d+")) {
                    acknowledged.add(Long.parseLong(line));
                }
                if (++read == count) {
                    child.destroyForcibly();
                    break;
                }
            }
            assertThat(read).isEqualTo(count);
        } finally {
            child.destroyForcibly();
        }
        child.waitFor();
    }

    private void check(Set<Long> acknowledged, String what) {
        try (TestStore store = open(directory)) {
            HotTable log = store.create(table(false));
            Map<Long, Integer> counts = new HashMap<>();
            for (Logged record : TestStore.changelog(log, 0, 0)) {
                counts.merge(record.id(), 1, Integer::sum);
                assertThat(record.value()).isEqualTo("v" + record.id());
            }
            assertThat(counts.values()).as(what).containsOnly(1);
            assertThat(counts.keySet()).as(what).containsAll(acknowledged);
            HotTable keyed = store.create(table(true));
            Map<Long, String> state = new HashMap<>();
            for (Logged record : TestStore.changelog(keyed, 0, 0)) {
                switch (record.kind()) {
                    case INSERT -> assertThat(state.put(record.id(), record.value())).isNull();
                    case UPDATE_BEFORE ->
                            assertThat(state).containsEntry(record.id(), record.value());
                    case UPDATE_AFTER -> state.put(record.id(), record.value());
                    case DELETE -> throw new AssertionError("nothing was deleted");
                }
            }
            assertThat(state.keySet()).as(what).containsAll(acknowledged);
            state.forEach(
                    (id, value) ->
                            assertThat(TestStore.lookup(keyed, 0, id)).as(what).contains(value));
        }
    }
}
