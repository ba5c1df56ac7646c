package io.thermocline.lake.paimon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/** Files on a local file system that two processes can never both create. */
final class LocalFiles {

    private LocalFiles() {}

    /** The path on this host's file system; empty if it lies elsewhere. */
    static Optional<Path> localPath(org.apache.paimon.fs.Path path) {
        String scheme = path.toUri().getScheme();
        if (scheme != null && !scheme.equals("file")) {
            return Optional.empty();
        }
        return Optional.of(Path.of(path.toUri().getPath()).toAbsolutePath());
    }

    /**
     * Creates a file with its whole content, durably, or leaves what is there. A hard link is the
     * one operation that both fails when the target exists and never shows a half-written file.
     *
     * @return false if the file exists
     */
    static boolean createIfAbsent(Path target, byte[] content) throws IOException {
        if (Files.exists(target)) {
            return false;
        }
        Path temporary = writeTemporary(target, content);
        try {
            Files.createLink(target, temporary);
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (UnsupportedOperationException e) {
            throw new IOException(
                    "the file system of "
                            + target
                            + " has no hard links, so two processes could create the file at once;"
                            + " put the warehouse on another file system",
                    e);
        } finally {
            Files.deleteIfExists(temporary);
        }
        sync(target.getParent());
        return true;
    }

    /** Writes a file with a random hidden name beside the target and makes it durable. */
    static Path writeTemporary(Path target, byte[] content) throws IOException {
        Files.createDirectories(target.getParent());
        Path temporary =
                target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID());
        try (FileChannel channel =
                FileChannel.open(
                        temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
        return temporary;
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
