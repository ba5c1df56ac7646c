package io.thermocline.benchmarks.thermocline;

import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TargetTable;
import io.thermocline.benchmarks.flink.BenchRows;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.key.KeyEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongToIntFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/** A table of a hot store, in this process or another one. */
final class HotTargetTable implements TargetTable {

    private static final Duration POLL = Duration.ofSeconds(10);
    private static final long SNAPSHOT_IDLE_MILLIS = 600_000;

    private final HotTable table;
    private final Shape shape;
    private final LongToIntFunction bucketOf;
    private final KeyEncoder keyEncoder;
    private final List<String> allColumns;
    private final KeyEncoder prefixEncoder;
    private final LakeSide lake;
    private final List<ChangelogReader> tails = new ArrayList<>();

    /** The lake's side of the table. */
    interface LakeSide {

        /** Runs a tiering round. */
        TieringResult tier();

        /** Compacts and expires. */
        void maintain();
    }

    /**
     * @param bucketOf bucket of a key; not used for a log
     * @param lake the lake's side of it
     */
    HotTargetTable(HotTable table, Shape shape, LongToIntFunction bucketOf, LakeSide lake) {
        this.table = table;
        this.shape = shape;
        this.bucketOf = bucketOf;
        this.allColumns = table.spec().rowType().getFieldNames();
        this.lake = lake;
        List<String> key = table.spec().primaryKey();
        this.keyEncoder = key.size() == 1 ? KeyEncoder.forRows(table.spec(), key) : null;
        this.prefixEncoder =
                key.size() > 1 ? KeyEncoder.forPrefix(table.spec(), key.subList(0, 1), 1) : null;
    }

    @Override
    public RowWriter writer() {
        return new HotRowWriter(table, shape, bucketOf);
    }

    @Override
    public ScanTotals scan(int[] columns) {
        List<String> projection = Arrays.stream(columns).mapToObj(shape::name).toList();
        Map<Integer, Long> ends = cut();
        long rows = 0;
        long checksum = 0;
        for (int bucket = 0; bucket < table.spec().bucketCount(); bucket++) {
            try (ChangelogReader reader =
                    table.readChangelog(
                            new ChangelogScan(bucket, 0, ends.get(bucket), projection, null))) {
                while (!reader.isFinished()) {
                    ChangelogBatch batch = reader.poll(POLL);
                    if (batch == null) {
                        continue;
                    }
                    try (batch) {
                        checksum += touch(columns, batch.rows());
                        rows += batch.rows().rowCount();
                    }
                }
            }
        }
        return new ScanTotals(rows, checksum);
    }

    private long touch(int[] columns, RowBatch batch) {
        long sum = 0;
        for (int row = 0; row < batch.rowCount(); row++) {
            sum += BenchRows.touch(shape, columns, batch.row(row));
        }
        return sum;
    }

    @Override
    public ScanTotals scanState() {
        int[] columns = new int[shape.columnCount()];
        Arrays.setAll(columns, column -> column);
        long rows = 0;
        long checksum = 0;
        try (KeyIndexSnapshot snapshot = table.openKeyIndexSnapshot(SNAPSHOT_IDLE_MILLIS)) {
            for (int bucket = 0; bucket < table.spec().bucketCount(); bucket++) {
                try (KeyIndexSnapshot.Scan scan = snapshot.scan(bucket, allColumns)) {
                    RowBatch next = scan.next();
                    while (next != null) {
                        try (RowBatch batch = next) {
                            checksum += touch(columns, batch);
                            rows += batch.rowCount();
                        }
                        next = scan.next();
                    }
                }
            }
        }
        return new ScanTotals(rows, checksum);
    }

    @Override
    public CompletableFuture<Long> lookup(long key) {
        LookupRequest request =
                new LookupRequest(
                        new int[] {bucketOf.applyAsInt(key)},
                        List.of(keyEncoder.encode(GenericRowData.of(key))),
                        false,
                        allColumns);
        return table.lookup(request)
                .thenApply(
                        result -> {
                            List<RowData> found = result.rows().get(0);
                            return found.isEmpty() ? null : found.get(0).getLong(Shape.TIME);
                        });
    }

    @Override
    public CompletableFuture<Integer> lookupPrefix(long first) {
        LookupRequest request =
                new LookupRequest(
                        new int[] {bucketOf.applyAsInt(first)},
                        List.of(prefixEncoder.encode(GenericRowData.of(first))),
                        true,
                        allColumns);
        return table.lookup(request).thenApply(result -> result.rows().get(0).size());
    }

    @Override
    public Map<Integer, Long> cut() {
        return table.offsets(new OffsetQuery.Latest()).offsets();
    }

    @Override
    public void maintainLake() {
        lake.maintain();
    }

    @Override
    public LakeWrite tier() {
        TieringResult result = lake.tier();
        return new LakeWrite(result.rows(), result.files(), result.bytes());
    }

    @Override
    public CompletableFuture<Void> tail(int count, TailListener listener) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        AtomicInteger left = new AtomicInteger(count);
        cut().forEach(
                        (bucket, end) -> {
                            ChangelogReader reader =
                                    table.readChangelog(
                                            new ChangelogScan(
                                                    bucket,
                                                    end,
                                                    ChangelogScan.UNBOUNDED,
                                                    List.of(
                                                            shape.name(Shape.NUMBER),
                                                            shape.name(Shape.TIME)),
                                                    null));
                            tails.add(reader);
                            Thread thread =
                                    new Thread(
                                            () -> tail(reader, bucket, left, listener, done),
                                            "tail-" + bucket);
                            thread.setDaemon(true);
                            thread.start();
                        });
        return done;
    }

    private static void tail(
            ChangelogReader reader,
            int bucket,
            AtomicInteger left,
            TailListener listener,
            CompletableFuture<Void> done) {
        try (reader) {
            while (!done.isDone()) {
                ChangelogBatch batch = reader.poll(POLL);
                if (batch == null) {
                    continue;
                }
                try (batch) {
                    RowBatch rows = batch.rows();
                    for (int i = 0; i < rows.rowCount(); i++) {
                        if (rows.rowKind(i) != RowKind.UPDATE_BEFORE) {
                            RowData row = rows.row(i);
                            listener.arrived(
                                    row.getInt(0), row.getLong(1), bucket, batch.baseOffset() + i);
                            if (left.decrementAndGet() == 0) {
                                done.complete(null);
                            }
                        }
                    }
                }
            }
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
    }

    @Override
    public void close() {
        tails.forEach(ChangelogReader::close);
        table.close();
    }
}
