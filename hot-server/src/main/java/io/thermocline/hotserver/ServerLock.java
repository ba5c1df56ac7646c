package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EndpointFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Decides which of several started servers lives. */
final class ServerLock implements AutoCloseable {

    private static final String NAME = "server.lock";
    private static final long POLL_MILLIS = 50;

    private final FileChannel channel;

    private ServerLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock of a hot directory.
     *
     * @param patience how long to wait for a holder that has no endpoint file: it is starting or
     *     ending
     * @return empty if a running server holds it
     */
    static Optional<ServerLock> take(Path hotDirectory, Duration patience)
            throws IOException, InterruptedException {
        Files.createDirectories(hotDirectory);
        EndpointFile endpoint = new EndpointFile(hotDirectory);
        long deadline = System.nanoTime() + patience.toNanos();
        FileChannel channel =
                FileChannel.open(
                        hotDirectory.resolve(NAME),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            while (!taken) {
                taken = tryLock(channel);
                if (!taken && (endpoint.read().isPresent() || System.nanoTime() > deadline)) {
                    return Optional.empty();
                }
                if (!taken) {
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                }
            }
            return Optional.of(new ServerLock(channel));
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
