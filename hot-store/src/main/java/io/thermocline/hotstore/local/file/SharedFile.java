package io.thermocline.hotstore.local.file;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that readers share. Its owner holds one claim from the start; the file is closed, and
 * deleted if {@link #deleteWhenUnused} was called, once the last claim is released. Thread-safe.
 */
public final class SharedFile {

    private final Path path;
    private int claims = 1;
    private boolean deleteWhenUnused;
    private FileChannel channel;

    private SharedFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Opens a file for reading; the caller holds the first claim. */
    public static SharedFile open(Path path) throws IOException {
        return new SharedFile(path, FileChannel.open(path, StandardOpenOption.READ));
    }

    public Path path() {
        return path;
    }

    /** Length of the file now, in bytes. */
    public long size() throws IOException {
        return Files.size(path);
    }

    /** Takes a claim; false if the file is closed already. */
    public synchronized boolean claim() {
        if (claims == 0) {
            return false;
        }
        claims++;
        return true;
    }

    /** Gives a claim back. */
    public synchronized void release() {
        if (claims == 0) {
            throw new IllegalStateException(path + " was released more often than claimed");
        }
        claims--;
        if (claims > 0) {
            return;
        }
        try {
            channel.close();
            if (deleteWhenUnused) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // What is left on disk belongs to no manifest: the next start removes it.
            org.slf4j.LoggerFactory.getLogger(SharedFile.class)
                    .warn("cannot close or delete {}: {}", path, e.toString());
        }
    }

    /**
     * Closes and deletes the file if its owner's claim is the last one.
     *
     * @return whether it is gone
     */
    public synchronized boolean deleteIfUnused() throws IOException {
        if (claims > 1) {
            return false;
        }
        Files.deleteIfExists(path);
        claims = 0;
        channel.close();
        return true;
    }

    /** Makes the release of the last claim delete the file. */
    public synchronized void deleteWhenUnused() {
        deleteWhenUnused = true;
    }

    /**
     * Fills the buffer from {@code position}. An interrupt of the calling thread neither disturbs
     * the read nor the other readers.
     *
     * @throws EOFException if the file ends before
     */
    public void read(ByteBuffer buffer, long position) throws IOException {
        int start = buffer.position();
        boolean interrupted = false;
        try {
            while (buffer.hasRemaining()) {
                FileChannel current = current();
                try {
                    int count = current.read(buffer, position + buffer.position() - start);
                    if (count < 0) {
                        throw new EOFException(
                                path + " ends before byte " + (position + buffer.limit() - start));
                    }
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                    reopen(current);
                } catch (ClosedChannelException e) {
                    reopen(current);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized FileChannel current() {
        return channel;
    }

    // An interrupt during a read closes the channel under every other reader.
    private synchronized void reopen(FileChannel closed) throws IOException {
        if (claims == 0) {
            throw new ClosedChannelException();
        }
        if (channel == closed) {
            channel = FileChannel.open(path, StandardOpenOption.READ);
        }
    }
}
