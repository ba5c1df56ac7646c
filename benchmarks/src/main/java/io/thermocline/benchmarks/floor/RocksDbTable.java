package io.thermocline.benchmarks.floor;

import io.thermocline.benchmarks.driver.BenchRow;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.driver.TargetTable;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import io.thermocline.hotstore.local.keyindex.KeyIndexMemory;
import io.thermocline.hotstore.local.keyindex.KeyIndexScan;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Narrow rows in RocksDB, packed to 88 bytes. */
final class RocksDbTable implements TargetTable {

    private static final int ROWS_PER_BATCH = 1000;
    private static final int TEXT_BYTES = 16;
    private static final int VALUE_BYTES = 88;
    private static final int TIME_AT = 20;

    private final TableKey key;
    private final KeyIndex index;
    private long batches;

    RocksDbTable(Path directory, TableKey key, KeyIndexMemory memory) {
        this.key = key;
        this.index = KeyIndex.open(directory, memory);
    }

    private static byte[] encoded(long key) {
        return ByteBuffer.allocate(Long.BYTES).putLong(key ^ Long.MIN_VALUE).array();
    }

    private byte[] keyOf(BenchRow row) {
        byte[] first = encoded(row.integer(Shape.KEY));
        if (key == TableKey.SIMPLE) {
            return first;
        }
        return ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .put(first)
                .putInt((int) row.integer(Shape.NUMBER) ^ Integer.MIN_VALUE)
                .array();
    }

    private static byte[] value(BenchRow row) {
        ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
        value.putLong(row.integer(Shape.KEY));
        value.putInt((int) row.integer(1)).putInt((int) row.integer(2));
        value.putInt((int) row.integer(Shape.NUMBER));
        value.putLong(row.integer(Shape.TIME)).putLong(row.integer(5));
        value.putDouble(row.real(6)).putDouble(row.real(7));
        value.putShort((short) TEXT_BYTES).put(row.text(8));
        value.putShort((short) TEXT_BYTES).put(row.text(9));
        return value.array();
    }

    @Override
    public RowWriter writer() {
        return new Writer();
    }

    /** Reads the old rows of a batch, then writes the new ones. */
    private final class Writer implements RowWriter {

        private final List<byte[]> keys = new ArrayList<>(ROWS_PER_BATCH);
        private final List<byte[]> values = new ArrayList<>(ROWS_PER_BATCH);
        private final List<Runnable> callbacks = new ArrayList<>();

        @Override
        public void write(BenchRow row, Runnable acknowledged) {
            keys.add(keyOf(row));
            values.add(value(row));
            if (acknowledged != null) {
                callbacks.add(acknowledged);
            }
            if (keys.size() == ROWS_PER_BATCH) {
                flush();
            }
        }

        @Override
        public void flush() {
            index.multiGet(keys);
            try (KeyIndex.Changes changes = new KeyIndex.Changes()) {
                for (int i = 0; i < keys.size(); i++) {
                    changes.put(keys.get(i), values.get(i));
                }
                index.write(changes, ++batches);
            }
            keys.clear();
            values.clear();
            callbacks.forEach(Runnable::run);
            callbacks.clear();
        }

        @Override
        public void close() {
            flush();
        }
    }

    @Override
    public CompletableFuture<Long> lookup(long number) {
        byte[] value = index.get(encoded(number));
        return CompletableFuture.completedFuture(
                value == null ? null : ByteBuffer.wrap(value).getLong(TIME_AT));
    }

    @Override
    public CompletableFuture<Integer> lookupPrefix(long first) {
        int rows = 0;
        try (KeyIndexScan scan = index.scan(encoded(first))) {
            while (scan.next()) {
                touch(ByteBuffer.wrap(scan.value()));
                rows++;
            }
        }
        return CompletableFuture.completedFuture(rows);
    }

    @Override
    public ScanTotals scanState() {
        long rows = 0;
        long checksum = 0;
        try (KeyIndexScan scan = index.scan(new byte[0])) {
            while (scan.next()) {
                checksum += touch(ByteBuffer.wrap(scan.value()));
                rows++;
            }
        }
        return new ScanTotals(rows, checksum);
    }

    private static long touch(ByteBuffer value) {
        long sum = value.getLong() + value.getInt() + value.getInt() + value.getInt();
        sum += value.getLong() + value.getLong();
        sum += (long) value.getDouble() + (long) value.getDouble();
        for (int text = 0; text < 2; text++) {
            int length = value.getShort();
            sum += value.get(value.position() + length - 1);
            value.position(value.position() + length);
        }
        return sum;
    }

    @Override
    public void close() {
        index.close();
    }
}
