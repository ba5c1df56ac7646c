package io.thermocline.hotstore.local.keyindex;

import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * The memory that all key indexes of a store share: blocks that were read and rows not yet flushed.
 */
public final class KeyIndexMemory implements AutoCloseable {

    private static final int WRITE_BUFFER_SHARE = 3;

    /** Part of the write buffers that filters may take; they are there from the first row on. */
    private static final int FILTER_SHARE = 4;

    private final Cache cache;
    private final WriteBufferManager writeBuffers;
    private final AtomicLong filterBytesLeft;

    /**
     * @param bytes for blocks and write buffers together; a third of it may hold rows that are not
     *     flushed
     */
    public KeyIndexMemory(long bytes) {
        RocksDB.loadLibrary();
        cache = new LRUCache(bytes);
        writeBuffers = new WriteBufferManager(bytes / WRITE_BUFFER_SHARE, cache);
        filterBytesLeft = new AtomicLong(bytes / WRITE_BUFFER_SHARE / FILTER_SHARE);
    }

    /** Takes memory for a filter of rows not yet flushed; false if there is none left. */
    boolean acquireFilter(long bytes) {
        return filterBytesLeft.getAndUpdate(left -> left >= bytes ? left - bytes : left) >= bytes;
    }

    void releaseFilter(long bytes) {
        filterBytesLeft.addAndGet(bytes);
    }

    Cache cache() {
        return cache;
    }

    WriteBufferManager writeBuffers() {
        return writeBuffers;
    }

    /** To be called after the last key index is closed. */
    @Override
    public void close() {
        writeBuffers.close();
        cache.close();
    }
}
