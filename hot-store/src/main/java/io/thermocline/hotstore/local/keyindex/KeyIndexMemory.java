package io.thermocline.hotstore.local.keyindex;

import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * The memory that all key indexes of a store share: blocks that were read and rows not yet flushed.
 */
public final class KeyIndexMemory implements AutoCloseable {

    private static final int WRITE_BUFFER_SHARE = 3;

    private final Cache cache;
    private final WriteBufferManager writeBuffers;

    /**
     * @param bytes for blocks and write buffers together; a third of it may hold rows that are not
     *     flushed
     */
    public KeyIndexMemory(long bytes) {
        RocksDB.loadLibrary();
        cache = new LRUCache(bytes);
        writeBuffers = new WriteBufferManager(bytes / WRITE_BUFFER_SHARE, cache);
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
