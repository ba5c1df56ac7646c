package io.thermocline.hotstore.local.keyindex;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.file.FormatVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Primary key to latest row of one bucket. Thread-safe; writes come from one thread at a time.
 * Every use holds a claim, so that closing waits for what is under way.
 */
public final class KeyIndex implements AutoCloseable {

    /** First byte of every key that is a row's; the rest is the encoded primary key. */
    private static final byte ROW = 1;

    private static final int FORMAT_VERSION = 1;
    private static final byte[] FORMAT_KEY = {0, 'v'};
    private static final byte[] APPLIED_KEY = {0, 'a'};
    private static final byte[] ROWS_KEY = {0, 'r'};

    /** Number of rows of an index that was made before they were counted. */
    public static final long UNKNOWN_ROWS = -1;

    private static final int TABLE_FORMAT_VERSION = 5;
    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final long WRITE_BUFFER_BYTES = 32L << 20;
    private static final long ARENA_BLOCK_BYTES = 256L << 10;

    /** About 16 bits for each row of a full write buffer: most reads of it are spared. */
    private static final double MEMTABLE_FILTER_RATIO = 0.01;

    private static final long MEMTABLE_FILTER_BYTES =
            (long) (WRITE_BUFFER_BYTES * MEMTABLE_FILTER_RATIO);
    private static final int MAX_OPEN_FILES = 512;

    private final Path directory;
    private final KeyIndexMemory memory;
    private final boolean hasMemtableFilter;
    private final BloomFilter bloomFilter;
    private final Options options;
    private final WriteOptions writeOptions;
    private final RocksDB db;
    private final boolean isNew;
    private final AtomicInteger claims = new AtomicInteger(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean closing;
    private volatile long appliedOffset;
    private volatile long flushedOffset;
    private volatile long rowCount;

    private KeyIndex(Path directory, KeyIndexMemory memory) {
        this.directory = directory;
        this.memory = memory;
        hasMemtableFilter = memory.acquireFilter(MEMTABLE_FILTER_BYTES);
        bloomFilter = new BloomFilter(BLOOM_BITS_PER_KEY, false);
        options =
                new Options()
                        .setCreateIfMissing(true)
                        .setWriteBufferManager(memory.writeBuffers())
                        .setWriteBufferSize(WRITE_BUFFER_BYTES)
                        .setArenaBlockSize(ARENA_BLOCK_BYTES)
                        .setMemtableWholeKeyFiltering(hasMemtableFilter)
                        .setMemtablePrefixBloomSizeRatio(
                                hasMemtableFilter ? MEMTABLE_FILTER_RATIO : 0)
                        .setMaxOpenFiles(MAX_OPEN_FILES)
                        .setCompressionType(CompressionType.LZ4_COMPRESSION)
                        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                        .setKeepLogFileNum(2)
                        .setTableFormatConfig(
                                new BlockBasedTableConfig()
                                        .setFormatVersion(TABLE_FORMAT_VERSION)
                                        .setBlockCache(memory.cache())
                                        .setCacheIndexAndFilterBlocks(true)
                                        .setPinL0FilterAndIndexBlocksInCache(true)
                                        .setDataBlockIndexType(
                                                DataBlockIndexType.kDataBlockBinaryAndHash)
                                        .setFilterPolicy(bloomFilter));
        writeOptions = new WriteOptions().setDisableWAL(true);
        try {
            db = RocksDB.open(options, directory.toString());
        } catch (RocksDBException e) {
            closeOptions();
            throw failed("opening it", e);
        }
        try {
            isNew = checkFormat();
            byte[] applied = db.get(APPLIED_KEY);
            appliedOffset = applied == null ? 0 : littleEndian(applied).getLong(0);
            flushedOffset = appliedOffset;
            byte[] rows = db.get(ROWS_KEY);
            rowCount = rows != null ? littleEndian(rows).getLong(0) : isNew ? 0 : UNKNOWN_ROWS;
        } catch (RocksDBException e) {
            closeNative();
            throw failed("reading its applied offset", e);
        } catch (HotStoreException e) {
            closeNative();
            throw e;
        }
    }

    /** Opens the key index in a directory, creating it if there is none. */
    public static KeyIndex open(Path directory, KeyIndexMemory memory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED, "cannot create " + directory + ": " + e, e);
        }
        return new KeyIndex(directory, memory);
    }

    private boolean checkFormat() throws RocksDBException {
        byte[] format = db.get(FORMAT_KEY);
        if (format == null) {
            return true;
        }
        FormatVersion.check(
                directory, "key index ", littleEndian(format).getInt(0), FORMAT_VERSION);
        return false;
    }

    /** The index holds the effect of exactly the changelog records below this offset. */
    public long appliedOffset() {
        return appliedOffset;
    }

    /** Number of rows at the applied offset; {@link #UNKNOWN_ROWS} if they were never counted. */
    public long rowCount() {
        return rowCount;
    }

    /** What would be left of {@link #appliedOffset} after a crash. */
    public long flushedOffset() {
        return flushedOffset;
    }

    /** Key under which the row of an encoded primary key is found. */
    static byte[] rowKey(byte[] encodedKey) {
        byte[] key = new byte[encodedKey.length + 1];
        key[0] = ROW;
        System.arraycopy(encodedKey, 0, key, 1, encodedKey.length);
        return key;
    }

    /** Encoded primary key of a row key. */
    static byte[] encodedKey(byte[] rowKey) {
        return java.util.Arrays.copyOfRange(rowKey, 1, rowKey.length);
    }

    /** The value of an encoded primary key; null if there is none. */
    public byte @Nullable [] get(byte[] encodedKey) {
        claim();
        try {
            return db.get(rowKey(encodedKey));
        } catch (RocksDBException e) {
            throw failed("reading a key", e);
        } finally {
            release();
        }
    }

    /** The values of encoded primary keys, in the same order; null for a missing key. */
    public List<byte @Nullable []> multiGet(List<byte[]> encodedKeys) {
        List<byte[]> keys = new java.util.ArrayList<>(encodedKeys.size());
        for (byte[] key : encodedKeys) {
            keys.add(rowKey(key));
        }
        claim();
        try {
            return db.multiGetAsList(keys);
        } catch (RocksDBException e) {
            throw failed("reading " + keys.size() + " keys", e);
        } finally {
            release();
        }
    }

    /** Rows to be written together. Not thread-safe. */
    public static final class Changes implements AutoCloseable {

        private final WriteBatch batch = new WriteBatch();
        private long addedRows;

        /** Tells by how much these changes raise the number of rows. */
        public void addRows(long delta) {
            addedRows += delta;
        }

        /** Sets the value of an encoded primary key; null deletes it. */
        public void put(byte[] encodedKey, byte @Nullable [] value) {
            try {
                if (value == null) {
                    batch.delete(rowKey(encodedKey));
                } else {
                    batch.put(rowKey(encodedKey), value);
                }
            } catch (RocksDBException e) {
                throw new HotStoreException(
                        ErrorCode.INTERNAL, "cannot collect a change: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            batch.close();
        }
    }

    /** Writes changes and the offset up to which the index is applied with them, atomically. */
    public void write(Changes changes, long newAppliedOffset) {
        claim();
        try {
            changes.batch.put(
                    APPLIED_KEY, littleEndian(new byte[8]).putLong(0, newAppliedOffset).array());
            long newRowCount =
                    rowCount == UNKNOWN_ROWS ? UNKNOWN_ROWS : rowCount + changes.addedRows;
            if (newRowCount != UNKNOWN_ROWS) {
                changes.batch.put(
                        ROWS_KEY, littleEndian(new byte[8]).putLong(0, newRowCount).array());
            }
            if (isNew) {
                changes.batch.put(
                        FORMAT_KEY, littleEndian(new byte[4]).putInt(0, FORMAT_VERSION).array());
            }
            db.write(writeOptions, changes.batch);
            appliedOffset = newAppliedOffset;
            rowCount = newRowCount;
        } catch (RocksDBException e) {
            throw failed("writing to it", e);
        } finally {
            release();
        }
    }

    /**
     * @throws HotStoreException what {@link #write} would throw because of an earlier failure
     */
    public void checkWritable() {
        claim();
        try (WriteBatch empty = new WriteBatch()) {
            db.write(writeOptions, empty);
        } catch (RocksDBException e) {
            throw failed("writing to it", e);
        } finally {
            release();
        }
    }

    /** Flushes what was written, so that a restart need not replay it. */
    public void flush() {
        claim();
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
            // After a failure, RocksDB takes up its work again once none is going on: a flush that
            // cannot succeed would hold that up.
            checkWritable();
            long offset = appliedOffset;
            db.flush(flush);
            flushedOffset = Math.max(flushedOffset, offset);
        } catch (RocksDBException e) {
            throw failed("flushing it", e);
        } finally {
            release();
        }
    }

    /** All rows whose encoded key starts with {@code prefix}, in key order, as of now. */
    public KeyIndexScan scan(byte[] prefix) {
        claim();
        try {
            return new KeyIndexScan(this, rowKey(prefix), null);
        } catch (RuntimeException e) {
            release();
            throw e;
        }
    }

    /** Pins the present state. */
    public KeyIndexView pin() {
        claim();
        return new KeyIndexView(this);
    }

    /** Bytes on disk, roughly. */
    public long sizeBytes() {
        try (Stream<Path> files = Files.list(directory)) {
            long bytes = 0;
            for (Path file : (Iterable<Path>) files::iterator) {
                bytes += file.toFile().length();
            }
            return bytes;
        } catch (IOException e) {
            return 0;
        }
    }

    RocksDB db() {
        return db;
    }

    void claim() {
        while (true) {
            int count = claims.get();
            if (closing || count == 0) {
                throw new HotStoreException(
                        ErrorCode.TABLE_CLOSED,
                        "the key index in "
                                + directory
                                + " is closed: the table was dropped or"
                                + " the store is closing");
            }
            if (claims.compareAndSet(count, count + 1)) {
                return;
            }
        }
    }

    void release() {
        if (claims.decrementAndGet() == 0) {
            closeNative();
            closed.countDown();
        }
    }

    /** Closes it and waits until reads under way have ended. */
    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        release();
        boolean interrupted = false;
        while (true) {
            try {
                closed.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeNative() {
        db.close();
        closeOptions();
    }

    private void closeOptions() {
        if (writeOptions != null) {
            writeOptions.close();
        }
        options.close();
        bloomFilter.close();
        if (hasMemtableFilter) {
            memory.releaseFilter(MEMTABLE_FILTER_BYTES);
        }
    }

    HotStoreException failed(String what, RocksDBException e) {
        ErrorCode code = code(e.getStatus());
        return new HotStoreException(
                code,
                "the key index in "
                        + directory
                        + " failed: "
                        + what
                        + ": "
                        + e.getMessage()
                        + (code == ErrorCode.DISK_FULL
                                ? ". Free space on that disk: writing goes on then, reading is not"
                                        + " affected."
                                : ". The changelog is not affected; check the disk, then restart"
                                        + " the store."),
                e);
    }

    // The message is the operating system's, in its language.
    private static ErrorCode code(@Nullable Status status) {
        if (status == null) {
            return ErrorCode.STORE_FAILED;
        }
        if (status.getSubCode() == Status.SubCode.NoSpace) {
            return ErrorCode.DISK_FULL;
        }
        return status.getCode() == Status.Code.Corruption
                ? ErrorCode.CORRUPT_KEY_INDEX
                : ErrorCode.STORE_FAILED;
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
