package io.thermocline.hotstore.local.keyindex;

import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/** Rows of a key range in key order. {@link #close} may be called from any thread. */
public final class KeyIndexScan implements AutoCloseable {

    private final KeyIndex index;
    private final @Nullable KeyIndexView view;
    private final Slice end;
    private final ReadOptions options;
    private final RocksIterator iterator;
    private boolean started;
    private boolean closed;

    KeyIndexScan(KeyIndex index, byte[] prefix, @Nullable KeyIndexView view) {
        this.index = index;
        this.view = view;
        end = new Slice(after(prefix));
        options = new ReadOptions().setIterateUpperBound(end);
        if (view != null) {
            options.setSnapshot(view.snapshot());
        }
        iterator = index.db().newIterator(options);
        iterator.seek(prefix);
    }

    // Row keys start with 0x01, so there is always a byte that can be increased.
    private static byte[] after(byte[] prefix) {
        int last = prefix.length - 1;
        while (prefix[last] == (byte) 0xff) {
            last--;
        }
        byte[] end = java.util.Arrays.copyOf(prefix, last + 1);
        end[last]++;
        return end;
    }

    /** Moves to the next row; false at the end. */
    public synchronized boolean next() {
        checkOpen();
        if (started) {
            iterator.next();
        }
        started = true;
        if (iterator.isValid()) {
            return true;
        }
        try {
            iterator.status();
        } catch (RocksDBException e) {
            throw index.failed("scanning it", e);
        }
        return false;
    }

    /** Encoded primary key of the present row. */
    public synchronized byte[] key() {
        checkOpen();
        return KeyIndex.encodedKey(iterator.key());
    }

    /** Value of the present row. */
    public synchronized byte[] value() {
        checkOpen();
        return iterator.value();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the scan is closed");
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        iterator.close();
        options.close();
        end.close();
        if (view != null) {
            view.scanClosed();
        }
        index.release();
    }
}
