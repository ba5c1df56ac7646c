package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.unionread.plan.OffsetRange;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Keys of hot tails, each set read once per task and shared by the lake splits that it filters. A
 * set that nobody uses is kept until another one is needed. Thread-safe.
 */
final class TailKeySets implements AutoCloseable {

    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

    private final ReadContext context;
    private final Map<Map<Integer, OffsetRange>, Entry> entries = new HashMap<>();
    private boolean closed;

    TailKeySets(ReadContext context) {
        this.context = context;
    }

    /** A set in use. */
    final class Handle implements AutoCloseable {

        private final Entry entry;

        private Handle(Entry entry) {
            this.entry = entry;
        }

        SpillableKeySet keys() {
            return entry.keys;
        }

        @Override
        public void close() {
            release(entry);
        }
    }

    private static final class Entry {
        private final SpillableKeySet keys;
        private int users;

        private Entry(SpillableKeySet keys) {
            this.keys = keys;
        }
    }

    /**
     * The keys of all records in these ranges, by bucket. Whoever comes second waits for the first.
     */
    synchronized Handle acquire(Map<Integer, OffsetRange> ranges) {
        Entry entry = entries.get(ranges);
        if (entry == null) {
            dropUnused();
            entry = new Entry(read(ranges));
            entries.put(ranges, entry);
        }
        entry.users++;
        return new Handle(entry);
    }

    @Override
    public synchronized void close() {
        closed = true;
        dropUnused();
    }

    private synchronized void release(Entry entry) {
        entry.users--;
        if (closed) {
            dropUnused();
        }
    }

    private void dropUnused() {
        for (Iterator<Entry> all = entries.values().iterator(); all.hasNext(); ) {
            Entry entry = all.next();
            if (entry.users == 0) {
                entry.keys.close();
                all.remove();
            }
        }
    }

    private SpillableKeySet read(Map<Integer, OffsetRange> ranges) {
        SpillableKeySet keys = new SpillableKeySet(context.spill());
        try {
            ranges.forEach((bucket, range) -> read(bucket, range, keys));
        } catch (RuntimeException e) {
            keys.close();
            throw e;
        }
        return keys;
    }

    private void read(int bucket, OffsetRange range, SpillableKeySet keys) {
        HotTable table = context.hotTable();
        List<String> columns = table.spec().primaryKey();
        KeyEncoder encoder = KeyEncoder.forRows(table.spec(), columns);
        // rows that the changelog filter skips cannot match in the lake either: same key, same
        // answer
        ChangelogScan scan =
                new ChangelogScan(
                        bucket,
                        range.start(),
                        range.end(),
                        columns,
                        context.scan().changelogFilter());
        try (ChangelogReader reader = table.readChangelog(scan)) {
            while (!reader.isFinished()) {
                try (ChangelogBatch batch = reader.poll(POLL_TIMEOUT)) {
                    for (int row = 0; batch != null && row < batch.rows().rowCount(); row++) {
                        keys.add(encoder.encode(batch.rows().row(row)));
                    }
                }
                checkOpen(bucket);
            }
        }
    }

    private void checkOpen(int bucket) {
        ReaderInterruption.check(bucket);
        if (context.isClosed()) {
            throw new HotStoreException(
                    ErrorCode.TABLE_CLOSED, "reading the keys of bucket " + bucket + " was ended");
        }
    }
}
