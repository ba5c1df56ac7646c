package io.thermocline.benchmarks.micro;

import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.key.KeyEncoder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.data.GenericRowData;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The store's inner loops on narrow rows, without waiting for the disk: nanoseconds a row or key.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(value = 1, jvmArgsAppend = ArrowMemory.REQUIRED_JVM_OPTION)
public class StoreBenchmark {

    private static final int BATCH_ROWS = 4_096;
    private static final int KEYS = 500_000;
    private static final int LOOKUP_KEYS = 128;
    private static final Duration POLL = Duration.ofSeconds(10);

    /** A table of which every key is written once. */
    @State(Scope.Benchmark)
    public static class Keyed {

        private final SplittableRandom random = new SplittableRandom(7);
        private StoreFixture store;
        private KeyEncoder encoder;
        private List<String> columns;

        @Setup(Level.Trial)
        public void setUp() throws IOException {
            store = new StoreFixture(Shape.NARROW, TableKey.SIMPLE);
            for (long first = 0; first < KEYS; first += BATCH_ROWS) {
                long base = first;
                store.append(store.batch(BATCH_ROWS, key -> base + key, 0));
            }
            columns = store.table().spec().rowType().getFieldNames();
            encoder = KeyEncoder.forRows(store.table().spec(), columns.subList(0, 1));
        }

        @TearDown(Level.Trial)
        public void tearDown() throws IOException {
            store.close();
        }

        private LookupRequest request(int count) {
            List<byte[]> keys = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                keys.add(encoder.encode(GenericRowData.of((long) random.nextInt(KEYS))));
            }
            return new LookupRequest(new int[count], keys, false, columns);
        }
    }

    /** A batch of random keys; making it is not measured. */
    @State(Scope.Thread)
    public static class Update {

        private RowBatch rows;
        private long version;

        @Setup(Level.Invocation)
        public void make(Keyed keyed) {
            rows = keyed.store.batch(BATCH_ROWS, key -> keyed.random.nextInt(KEYS), ++version);
        }
    }

    /** A batch for a log; making it is not measured. */
    @State(Scope.Thread)
    public static class Rows {

        private RowBatch rows;
        private long version;

        @Setup(Level.Invocation)
        public void make(Log log) {
            rows = log.store.batch(BATCH_ROWS, key -> key, ++version);
        }
    }

    /** A log with some rows. */
    @State(Scope.Benchmark)
    public static class Log {

        private StoreFixture store;
        private long end;

        @Setup(Level.Trial)
        public void setUp() throws IOException {
            store = new StoreFixture(Shape.NARROW, TableKey.NONE);
            for (int i = 0; i < 16; i++) {
                end = store.append(store.batch(BATCH_ROWS, key -> key, i));
            }
        }

        @TearDown(Level.Trial)
        public void tearDown() throws IOException {
            store.close();
        }

        private long scan(List<String> columns) {
            long sum = 0;
            try (ChangelogReader reader =
                    store.table().readChangelog(new ChangelogScan(0, 0, end, columns, null))) {
                while (!reader.isFinished()) {
                    try (ChangelogBatch batch = reader.poll(POLL)) {
                        sum += batch.rows().rowCount();
                    }
                }
            }
            return sum;
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH_ROWS)
    public long applyUpdates(Keyed keyed, Update update) {
        return keyed.store.append(update.rows);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH_ROWS)
    public long append(Log log, Rows rows) {
        return log.store.append(rows.rows);
    }

    @Benchmark
    @OperationsPerInvocation(LOOKUP_KEYS)
    public Object lookup128(Keyed keyed) {
        return keyed.store.table().lookup(keyed.request(LOOKUP_KEYS)).join();
    }

    @Benchmark
    public Object lookup1(Keyed keyed) {
        return keyed.store.table().lookup(keyed.request(1)).join();
    }

    @Benchmark
    @OperationsPerInvocation(16 * BATCH_ROWS)
    public long scanAll(Log log) {
        return log.scan(log.store.table().spec().rowType().getFieldNames());
    }

    @Benchmark
    @OperationsPerInvocation(16 * BATCH_ROWS)
    public long scanTwoColumns(Log log) {
        return log.scan(List.of("l1", "d2"));
    }
}
