package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.local.file.StorageFiles;
import io.thermocline.hotstore.local.journal.Journal;
import io.thermocline.hotstore.local.keyindex.KeyIndexMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.apache.arrow.memory.BufferAllocator;

/**
 * What the buckets of a table work with.
 *
 * @param spec definition of the table
 * @param tableId its id
 * @param directory where its hot data is
 * @param files the disk
 * @param journal of the store
 * @param memory of all key indexes
 * @param allocator for batches
 * @param applyPool threads that apply batches
 * @param publishPool threads that publish rounds; a table may keep one busy for long
 */
public record TableContext(
        HotTableSpec spec,
        UUID tableId,
        Path directory,
        StorageFiles files,
        Journal journal,
        KeyIndexMemory memory,
        BufferAllocator allocator,
        Executor applyPool,
        Executor publishPool) {

    /** Directory of one bucket. */
    public Path bucketDirectory(int bucket) {
        return bucketDirectory(directory, bucket);
    }

    /** Directory of one bucket of the table in a directory. */
    public static Path bucketDirectory(Path table, int bucket) {
        return table.resolve("bucket-" + bucket);
    }

    Path keyIndexDirectory(int bucket) {
        return bucketDirectory(bucket).resolve("keyindex");
    }

    /**
     * The same, after creating it if there is none. RocksDB makes durable what is in it, and not
     * that it is there.
     */
    Path makeKeyIndexDirectory(int bucket) {
        Path keyIndex = keyIndexDirectory(bucket);
        try {
            files.createDirectories(keyIndex);
        } catch (IOException e) {
            throw files.writeFailed("cannot create " + keyIndex, directory, e);
        }
        return keyIndex;
    }
}
