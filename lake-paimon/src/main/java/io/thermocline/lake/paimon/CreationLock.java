package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one process at a time create tables in a warehouse on a local file system. There Paimon
 * looks whether a table exists and then renames, so that two processes could both create it. The
 * file's lock ends with its process. Elsewhere the catalog's own lock decides.
 */
final class CreationLock implements AutoCloseable {

    private static final String FILE = ".thermocline/create-table.lock";

    /** A file lock is held by the whole JVM, so its threads need another one. */
    private static final Map<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

    private final ReentrantLock threads;
    private final FileChannel channel;

    private CreationLock(ReentrantLock threads, FileChannel channel) {
        this.threads = threads;
        this.channel = channel;
    }

    /** Waits for the lock; empty where the warehouse is not local. */
    static Optional<CreationLock> acquire(Optional<Path> warehouse) {
        return warehouse.map(CreationLock::acquireLocal);
    }

    private static CreationLock acquireLocal(Path warehouse) {
        Path file = warehouse.resolve(FILE);
        ReentrantLock threads =
                THREADS.computeIfAbsent(file.normalize(), path -> new ReentrantLock());
        threads.lock();
        try {
            Files.createDirectories(file.getParent());
            FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            channel.lock();
            return new CreationLock(threads, channel);
        } catch (IOException e) {
            threads.unlock();
            throw new LakeException(
                    Reason.LAKE_UNAVAILABLE,
                    "cannot lock '"
                            + file
                            + "' to create a table: "
                            + e
                            + ". Check that this process may write there.",
                    e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new LakeException(Reason.IO, "cannot unlock the warehouse: " + e, e);
        } finally {
            threads.unlock();
        }
    }
}
