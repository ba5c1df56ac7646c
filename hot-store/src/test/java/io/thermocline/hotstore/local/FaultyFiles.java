package io.thermocline.hotstore.local;

import io.thermocline.hotstore.local.file.AppendFile;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * The disk, with faults when a test asks for them. Forces nothing: a test does not cut the power.
 */
final class FaultyFiles implements StorageFiles {

    private volatile long bytesLeft = Long.MAX_VALUE;
    private volatile String writeError = "No space left on device";
    private volatile boolean isFull;
    private volatile boolean failForce;
    private volatile boolean failForceDirectory;
    private volatile boolean failTruncate;
    private volatile String refusedPart;
    private volatile String fullPart;
    private volatile int refused;
    private final Set<Path> forcedDirectories = ConcurrentHashMap.newKeySet();
    private volatile CountDownLatch hold;
    private volatile CountDownLatch heldWrite;

    /** Lets that many bytes through, then writes half of what is asked and finds no space. */
    void fillAfter(long bytes) {
        fillAfter(bytes, "No space left on device");
    }

    /**
     * @param error how the system says it
     */
    void fillAfter(long bytes, String error) {
        failWritesAfter(bytes, error);
        isFull = true;
    }

    /** Lets that many bytes through, then writes half of what is asked and fails. */
    void failWritesAfter(long bytes, String error) {
        writeError = error;
        bytesLeft = bytes;
    }

    void failForce(boolean fail) {
        failForce = fail;
    }

    void failForcingDirectories(boolean fail) {
        failForceDirectory = fail;
    }

    void failTruncate(boolean fail) {
        failTruncate = fail;
    }

    /** Makes the creation of files with this in their path fail. */
    void failCreating(String part) {
        refusedPart = part;
    }

    /** Makes writes to files with this in their path fail, except for small ones. */
    void failLargeWrites(String part) {
        fullPart = part;
    }

    /** How many files were not created, or written to. */
    int refusedFiles() {
        return refused;
    }

    /** Makes the next writes wait until the latch is counted down. */
    CountDownLatch holdWrites() {
        heldWrite = new CountDownLatch(1);
        hold = new CountDownLatch(1);
        return hold;
    }

    /** Returns once a write waits. */
    void awaitHeldWrite() throws InterruptedException {
        heldWrite.await();
    }

    private void passHold() throws IOException {
        CountDownLatch held = hold;
        if (held != null) {
            heldWrite.countDown();
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
            hold = null;
        }
    }

    void heal() {
        bytesLeft = Long.MAX_VALUE;
        isFull = false;
        failForce = false;
        failForceDirectory = false;
        failTruncate = false;
        refusedPart = null;
        fullPart = null;
    }

    @Override
    public synchronized AppendFile create(Path path) throws IOException {
        String part = refusedPart;
        if (part != null && path.toString().contains(part)) {
            refused++;
            throw new IOException(writeError);
        }
        return new FaultyFile(DISK.create(path), path);
    }

    @Override
    public AppendFile openAppend(Path path, long length) throws IOException {
        return new FaultyFile(DISK.openAppend(path, length), path);
    }

    @Override
    public long usableBytes(Path path) {
        return isFull ? bytesLeft : Long.MAX_VALUE;
    }

    @Override
    public void force(FileChannel channel) {
        // See the class comment.
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        if (failForceDirectory) {
            throw new IOException("Input/output error");
        }
        forcedDirectories.add(directory);
    }

    /** Directories whose entries would outlive a power loss. */
    Set<Path> forcedDirectories() {
        return forcedDirectories;
    }

    @Override
    public void replace(Path path, byte[] content) throws IOException {
        Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
        try (AppendFile file = create(temporary)) {
            file.write(new ByteBuffer[] {ByteBuffer.wrap(content)});
        }
        install(temporary, path);
    }

    @Override
    public void install(Path temporary, Path path) throws IOException {
        Files.move(
                temporary,
                path,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    private final class FaultyFile implements AppendFile {

        private static final int SMALL = 1000;

        private final AppendFile file;
        private final Path path;

        private FaultyFile(AppendFile file, Path path) {
            this.file = file;
            this.path = path;
        }

        @Override
        public void write(ByteBuffer[] buffers) throws IOException {
            passHold();
            for (ByteBuffer buffer : buffers) {
                String full = fullPart;
                if (full != null && buffer.remaining() > SMALL && path.toString().contains(full)) {
                    refused++;
                    throw new IOException(writeError);
                }
                if (buffer.remaining() > bytesLeft) {
                    buffer.limit(buffer.position() + buffer.remaining() / 2);
                    file.write(new ByteBuffer[] {buffer});
                    throw new IOException(writeError);
                }
                if (bytesLeft != Long.MAX_VALUE) {
                    bytesLeft -= buffer.remaining();
                }
                file.write(new ByteBuffer[] {buffer});
            }
        }

        @Override
        public void force() throws IOException {
            if (failForce) {
                throw new IOException("Input/output error");
            }
        }

        @Override
        public void truncate(long length) throws IOException {
            if (failTruncate) {
                throw new IOException("Input/output error");
            }
            file.truncate(length);
        }

        @Override
        public long position() {
            return file.position();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
