package io.thermocline.hotstore.local.keyindex;

import org.rocksdb.Snapshot;

/** A bucket's key index as it was at one offset. Thread-safe. */
public final class KeyIndexView implements AutoCloseable {

    private final KeyIndex index;
    private final Snapshot snapshot;
    private final long appliedOffset;
    private boolean closed;
    private int scans;

    KeyIndexView(KeyIndex index) {
        this.index = index;
        this.snapshot = index.db().getSnapshot();
        this.appliedOffset = index.appliedOffset();
    }

    /** The view holds the effect of exactly the records below this offset. */
    public long appliedOffset() {
        return appliedOffset;
    }

    /** All rows in key order. */
    public synchronized KeyIndexScan scan() {
        if (closed) {
            throw new IllegalStateException("the view is closed");
        }
        index.claim();
        try {
            KeyIndexScan scan = new KeyIndexScan(index, KeyIndex.rowKey(new byte[0]), this);
            scans++;
            return scan;
        } catch (RuntimeException e) {
            index.release();
            throw e;
        }
    }

    Snapshot snapshot() {
        return snapshot;
    }

    synchronized void scanClosed() {
        scans--;
        releaseIfUnused();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            releaseIfUnused();
        }
    }

    private void releaseIfUnused() {
        if (closed && scans == 0) {
            index.db().releaseSnapshot(snapshot);
            snapshot.close();
            index.release();
        }
    }
}
