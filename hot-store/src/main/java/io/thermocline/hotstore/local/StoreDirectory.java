package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.local.file.StorageFiles;
import io.thermocline.hotstore.local.journal.Journal;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The directory of a store: its lock, its identity, and where things are in it. */
final class StoreDirectory implements AutoCloseable {

    private static final String LOCK = "lock";
    private static final String JVM_REGISTRY = "thermocline.hot-directories";
    private static final Set<String> NETWORK_FILE_SYSTEMS =
            Set.of(
                    "nfs",
                    "nfs4",
                    "cifs",
                    "smb3",
                    "smbfs",
                    "afs",
                    "ceph",
                    "lustre",
                    "9p",
                    "fuse.sshfs",
                    "fuse.glusterfs",
                    "fuse.s3fs",
                    "fuse.gcsfuse",
                    "glusterfs");

    private final Path root;
    private final String claim;
    private final FileChannel lockChannel;
    private final StoreIdentity identity;
    private final WriterEpochs writerEpochs;

    private StoreDirectory(
            Path root, String claim, FileChannel lockChannel, StoreFile file, StorageFiles files) {
        this.root = root;
        this.claim = claim;
        this.lockChannel = lockChannel;
        this.identity = file.identity();
        this.writerEpochs = new WriterEpochs(root, file, files);
    }

    /**
     * Locks a directory and reads who the store is; a directory that is empty becomes a new store.
     *
     * @throws HotStoreException {@code STORE_LOCKED} naming the directory, {@code
     *     UNSUPPORTED_FORMAT_VERSION}, {@code INVALID_ARGUMENT} for a network file system, {@code
     *     CORRUPT_CHANGELOG} for a store that lost its identity
     */
    static StoreDirectory open(Path directory, StorageFiles files) throws IOException {
        Files.createDirectories(directory);
        Path root = directory.toRealPath();
        String type = Files.getFileStore(root).type();
        if (NETWORK_FILE_SYSTEMS.contains(type)) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the hot directory "
                            + root
                            + " is on a network file system ("
                            + type
                            + "), where locks and forced writes cannot be relied on. Choose a"
                            + " directory on a local disk.");
        }
        String claim = root.toString();
        if (!claimed().add(claim)) {
            throw locked(root, "this process");
        }
        FileChannel channel = null;
        try {
            channel = lock(root);
            StoreFile file = readOrCreate(root, files);
            return new StoreDirectory(root, claim, channel, file, files);
        } catch (IOException | RuntimeException e) {
            if (channel != null) {
                channel.close();
            }
            claimed().remove(claim);
            throw e;
        }
    }

    // A file lock is per process and is lost when any copy of this class closes the file: one
    // registry
    // for all class loaders of the JVM comes first.
    @SuppressWarnings("unchecked")
    private static Set<String> claimed() {
        return (Set<String>)
                System.getProperties()
                        .computeIfAbsent(JVM_REGISTRY, key -> ConcurrentHashMap.newKeySet());
    }

    private static FileChannel lock(Path root) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        root.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        if (lock == null) {
            channel.close();
            throw locked(root, "another process");
        }
        return channel;
    }

    private static HotStoreException locked(Path root, String by) {
        return new HotStoreException(
                ErrorCode.STORE_LOCKED,
                "the hot directory "
                        + root
                        + " is in use by "
                        + by
                        + ". Stop it, or connect to its hot store instead of opening a second one.");
    }

    private static StoreFile readOrCreate(Path root, StorageFiles files) throws IOException {
        return Files.exists(root.resolve(StoreFile.NAME))
                ? StoreFile.read(root)
                : create(root, files);
    }

    private static StoreFile create(Path root, StorageFiles files) throws IOException {
        Path journal = root.resolve("journal");
        Path tables = root.resolve("tables");
        if (!isBlank(journal, tables)) {
            throw new HotStoreException(
                    ErrorCode.CORRUPT_CHANGELOG,
                    "the directory "
                            + root
                            + " holds tables or a journal, but "
                            + StoreFile.NAME
                            + " is missing. Restore that file, or choose another directory.");
        }
        Files.createDirectories(journal);
        Files.createDirectories(tables);
        forceUpwards(root, files);
        StoreIdentity identity = new StoreIdentity(UUID.randomUUID().toString(), 1);
        Journal.create(
                new Journal.Settings(
                        journal,
                        UUID.fromString(identity.storeId()),
                        0,
                        files,
                        java.time.Clock.systemUTC()));
        StoreFile file = new StoreFile(identity, 0);
        // Last: a store without this file was never used.
        file.write(root, files);
        return file;
    }

    // Whoever made the directories above it need not have made them durable.
    private static void forceUpwards(Path root, StorageFiles files) throws IOException {
        FileStore device = Files.getFileStore(root);
        Path directory = root;
        while (directory != null
                && Files.isReadable(directory)
                && Files.getFileStore(directory).equals(device)) {
            files.forceDirectory(directory);
            directory = directory.getParent();
        }
    }

    private static boolean isBlank(Path journal, Path tables) throws IOException {
        if (Files.isDirectory(tables)) {
            try (Stream<Path> listing = Files.list(tables)) {
                if (listing.findAny().isPresent()) {
                    return false;
                }
            }
        }
        return !Files.isDirectory(journal) || Journal.isBlank(journal);
    }

    StoreIdentity identity() {
        return identity;
    }

    WriterEpochs writerEpochs() {
        return writerEpochs;
    }

    Path root() {
        return root;
    }

    Path journal() {
        return root.resolve("journal");
    }

    Path tables() {
        return root.resolve("tables");
    }

    Path table(UUID tableId) {
        return tables().resolve(tableId.toString());
    }

    @Override
    public void close() {
        writerEpochs.close();
        try {
            lockChannel.close();
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED, "cannot release the lock of " + root + ": " + e, e);
        } finally {
            claimed().remove(claim);
        }
    }
}
