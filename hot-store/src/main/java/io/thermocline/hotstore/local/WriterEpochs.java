package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Gives epochs to writers, each higher than all before, also those before a crash: they are
 * reserved durably, many at a time, before the first of them is given. Thread-safe.
 */
final class WriterEpochs {

    /** Epochs reserved with one write. A restart leaves out what was not given. */
    static final long RESERVED_AT_ONCE = 1000;

    private final Path root;
    private final StorageFiles files;
    private StoreFile file; // guarded by this
    private volatile long last; // written under this
    private boolean closed; // guarded by this

    /**
     * @param root directory of the store
     * @param file what is in its {@code store.json}
     * @param files the disk
     */
    WriterEpochs(Path root, StoreFile file, StorageFiles files) {
        this.root = root;
        this.files = files;
        this.file = file;
        this.last = file.reservedWriterEpochs();
    }

    /**
     * The next epoch.
     *
     * @throws HotStoreException {@code DISK_FULL} or {@code STORE_FAILED} if it cannot be made
     *     durable
     */
    synchronized long next() {
        if (closed) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "cannot begin a writer: the hot store in " + root + " is closed");
        }
        if (last == file.reservedWriterEpochs()) {
            StoreFile reserved =
                    new StoreFile(file.identity(), file.reservedWriterEpochs() + RESERVED_AT_ONCE);
            try {
                reserved.write(root, files);
            } catch (IOException e) {
                throw files.writeFailed(
                        "cannot begin a writer: "
                                + root.resolve(StoreFile.NAME)
                                + " cannot be written",
                        root,
                        e);
            }
            file = reserved;
        }
        long next = last + 1;
        last = next;
        return next;
    }

    /** Gives none from now on: another process may have the directory. */
    synchronized void close() {
        closed = true;
    }

    /**
     * Checks that a writer has its epoch from here.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT}
     */
    void check(WriterEpoch writer) {
        if (writer.epoch() < WriterEpoch.UNFENCED || writer.epoch() > last) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "writer "
                            + writer
                            + " does not have that epoch from this store. Begin the writer first,"
                            + " or use "
                            + WriterEpoch.UNFENCED
                            + " for a random id that is used once.");
        }
    }
}
