package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.hotstore.local.keyindex.KeyIndexScan;
import io.thermocline.hotstore.local.keyindex.KeyIndexView;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Views of all buckets of a table at one cut. */
final class LocalKeyIndexSnapshot implements KeyIndexSnapshot {

    private static final int MAX_BATCH_ROWS = 8192;
    private static final long MAX_BATCH_BYTES = 4L << 20;

    private final KeyIndexSnapshots registry;
    private final String snapshotId;
    private final TableState table;
    private final TableOffsets offsets;
    private final List<KeyIndexView> views;
    private final long maxIdleMillis;
    private final Set<BucketScan> scans = ConcurrentHashMap.newKeySet();
    private volatile long lastUsed;
    private volatile boolean closed;

    LocalKeyIndexSnapshot(
            KeyIndexSnapshots registry,
            String snapshotId,
            TableState table,
            TableOffsets offsets,
            List<KeyIndexView> views,
            long maxIdleMillis) {
        this.registry = registry;
        this.snapshotId = snapshotId;
        this.table = table;
        this.offsets = offsets;
        this.views = List.copyOf(views);
        this.maxIdleMillis = maxIdleMillis;
        this.lastUsed = registry.now();
    }

    TableState table() {
        return table;
    }

    boolean isIdle(long now) {
        return now - lastUsed > maxIdleMillis;
    }

    @Override
    public String snapshotId() {
        return snapshotId;
    }

    @Override
    public TableOffsets offsets() {
        return offsets;
    }

    @Override
    public Scan scan(int bucket, List<String> projection) {
        if (bucket < 0 || bucket >= views.size()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "table "
                            + table.spec().path()
                            + " has the buckets 0 to "
                            + (views.size() - 1)
                            + ", not "
                            + bucket);
        }
        StoredRowProjection columns = StoredRowProjection.of(table.spec(), projection);
        synchronized (this) {
            checkOpen();
            lastUsed = registry.now();
            BucketScan scan = new BucketScan(views.get(bucket).scan(), columns);
            scans.add(scan);
            return scan;
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new HotStoreException(
                    ErrorCode.SNAPSHOT_NOT_FOUND,
                    "key-index snapshot "
                            + snapshotId
                            + " of table "
                            + table.spec().path()
                            + " was closed, or was not used for "
                            + maxIdleMillis
                            + " ms. Open a new one and start the read again.");
        }
    }

    @Override
    public void keepAlive() {
        checkOpen();
        lastUsed = registry.now();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        registry.closed(this);
        scans.forEach(BucketScan::close);
        views.forEach(KeyIndexView::close);
    }

    private final class BucketScan implements Scan {

        private final KeyIndexScan rows;
        private final StoredRowProjection columns;
        private boolean finished;

        private BucketScan(KeyIndexScan rows, StoredRowProjection columns) {
            this.rows = rows;
            this.columns = columns;
        }

        // Closing the snapshot waits for the batch that is being read.
        @Override
        public synchronized @Nullable RowBatch next() {
            checkOpen();
            lastUsed = registry.now();
            if (finished) {
                return null;
            }
            try (RowBatchBuilder builder =
                    new RowBatchBuilder(columns.rowType(), table.allocator())) {
                while (builder.rowCount() < MAX_BATCH_ROWS
                        && builder.sizeBytes() < MAX_BATCH_BYTES) {
                    if (!rows.next()) {
                        finished = true;
                        break;
                    }
                    builder.append(columns.project(rows.value()));
                }
                return builder.rowCount() == 0 ? null : builder.finish();
            }
        }

        @Override
        public synchronized void close() {
            scans.remove(this);
            rows.close();
        }
    }
}
