package io.thermocline.benchmarks.fluss;

import io.thermocline.benchmarks.driver.BenchRow;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.driver.Target;
import io.thermocline.benchmarks.driver.TargetTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.admin.Admin;
import org.apache.fluss.client.admin.OffsetSpec;
import org.apache.fluss.client.lookup.Lookuper;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.client.table.scanner.log.ScanRecords;
import org.apache.fluss.client.table.writer.AppendWriter;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.metadata.TableBucket;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.record.ChangeType;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.row.InternalRow;

/** A table of Fluss. */
final class FlussTable implements TargetTable {

    private static final Duration POLL = Duration.ofMillis(500);

    private final Connection connection;
    private final TablePath path;
    private final Shape shape;
    private final boolean keyed;
    private final Table table;
    private Lookuper lookuper;
    private Lookuper prefixLookuper;

    FlussTable(Connection connection, TablePath path, Shape shape, TableKey key) {
        this.connection = connection;
        this.path = path;
        this.shape = shape;
        this.keyed = key.exists();
        this.table = connection.getTable(path);
    }

    @Override
    public RowWriter writer() {
        return new Writer();
    }

    /** Writes with the stock client: batches of up to 2 MB or 100 ms. */
    private final class Writer implements RowWriter {

        private final UpsertWriter upserts = keyed ? table.newUpsert().createWriter() : null;
        private final AppendWriter appends = keyed ? null : table.newAppend().createWriter();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        @Override
        public void write(BenchRow row, Runnable acknowledged) {
            throwFailure();
            GenericRow converted = FlussRows.of(shape, row);
            CompletableFuture<?> written =
                    keyed ? upserts.upsert(converted) : appends.append(converted);
            written.whenComplete(
                    (result, error) -> {
                        if (error != null) {
                            failure.compareAndSet(null, error);
                        } else if (acknowledged != null) {
                            acknowledged.run();
                        }
                    });
        }

        @Override
        public void flush() {
            if (keyed) {
                upserts.flush();
            } else {
                appends.flush();
            }
            throwFailure();
        }

        private void throwFailure() {
            Throwable error = failure.getAndSet(null);
            if (error != null) {
                throw new IllegalStateException("a write failed", error);
            }
        }

        @Override
        public void close() {
            // Writers of Fluss end with the connection.
        }
    }

    @Override
    public Map<Integer, Long> cut() throws Exception {
        List<Integer> buckets = new ArrayList<>();
        for (int bucket = 0; bucket < Target.BUCKETS; bucket++) {
            buckets.add(bucket);
        }
        try (Admin admin = connection.getAdmin()) {
            return admin.listOffsets(path, buckets, new OffsetSpec.LatestSpec()).all().get();
        }
    }

    @Override
    public ScanTotals scan(int[] columns) throws Exception {
        Map<Integer, Long> ends = new HashMap<>(cut());
        long rows = 0;
        long checksum = 0;
        try (LogScanner scanner = table.newScan().project(columns).createLogScanner()) {
            ends.values().removeIf(end -> end == 0);
            ends.keySet().forEach(scanner::subscribeFromBeginning);
            while (!ends.isEmpty()) {
                ScanRecords records = scanner.poll(POLL);
                for (TableBucket bucket : records.buckets()) {
                    long last = -1;
                    for (ScanRecord scanned : records.records(bucket)) {
                        checksum += FlussRows.touch(shape, columns, scanned.getRow());
                        last = scanned.logOffset();
                        rows++;
                    }
                    // A bucket at its end holds the others up with empty fetches.
                    if (last >= ends.getOrDefault(bucket.getBucket(), Long.MAX_VALUE) - 1) {
                        ends.remove(bucket.getBucket());
                        scanner.unsubscribe(bucket.getBucket());
                    }
                }
            }
        }
        return new ScanTotals(rows, checksum);
    }

    @Override
    public synchronized CompletableFuture<Long> lookup(long key) {
        if (lookuper == null) {
            lookuper = table.newLookup().createLookuper();
        }
        return lookuper.lookup(GenericRow.of(key))
                .thenApply(
                        result -> {
                            InternalRow row = result.getSingletonRow();
                            return row == null ? null : row.getLong(Shape.TIME);
                        });
    }

    @Override
    public synchronized CompletableFuture<Integer> lookupPrefix(long first) {
        if (prefixLookuper == null) {
            prefixLookuper = table.newLookup().lookupBy(shape.name(Shape.KEY)).createLookuper();
        }
        return prefixLookuper
                .lookup(GenericRow.of(first))
                .thenApply(result -> result.getRowList().size());
    }

    @Override
    public CompletableFuture<Void> tail(int count, TailListener listener) throws Exception {
        LogScanner scanner =
                table.newScan().project(new int[] {Shape.NUMBER, Shape.TIME}).createLogScanner();
        cut().forEach(scanner::subscribe);
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> tail(scanner, count, listener, done), "tail");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private static void tail(
            LogScanner scanner, int count, TailListener listener, CompletableFuture<Void> done) {
        try (scanner) {
            int left = count;
            while (left > 0) {
                ScanRecords records = scanner.poll(POLL);
                for (TableBucket bucket : records.buckets()) {
                    for (ScanRecord scanned : records.records(bucket)) {
                        if (scanned.getChangeType() != ChangeType.UPDATE_BEFORE) {
                            listener.arrived(
                                    scanned.getRow().getInt(0),
                                    scanned.getRow().getLong(1),
                                    bucket.getBucket(),
                                    scanned.logOffset());
                            left--;
                        }
                    }
                }
            }
            done.complete(null);
        } catch (Exception e) {
            done.completeExceptionally(e);
        }
    }

    @Override
    public void close() throws Exception {
        table.close();
    }
}
