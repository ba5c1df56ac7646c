package io.thermocline.lake.local;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/** Files on a local file system that two processes can never both create. */
public final class LocalFiles {

    private LocalFiles() {}

    /** The path on this host's file system; empty if it lies elsewhere. */
    public static Optional<Path> localPath(URI location) {
        String scheme = location.getScheme();
        if (scheme != null && !scheme.equals("file")) {
            return Optional.empty();
        }
        return Optional.of(Path.of(location.getPath()).toAbsolutePath());
    }

    /**
     * Creates a file with its whole content, durably, or leaves what is there. A hard link is the
     * one operation that both fails when the target exists and never shows a half-written file.
     *
     * @return false if the file exists
     */
    public static boolean createIfAbsent(Path target, byte[] content) throws IOException {
        if (Files.exists(target)) {
            return false;
        }
        Path temporary = writeTemporary(target, content);
        try {
            return linkIfAbsent(temporary, target);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /**
     * Gives a file that is written a second, final name, and makes its content and that name
     * durable; or leaves what is there.
     *
     * @return false if the target exists
     */
    public static boolean linkIfAbsent(Path file, Path target) throws IOException {
        sync(file);
        try {
            Files.createLink(target, file);
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (UnsupportedOperationException e) {
            throw new IOException(
                    "the file system of "
                            + target
                            + " has no hard links, so two processes could create the file at once;"
                            + " put the warehouse on another file system",
                    e);
        }
        sync(target.getParent());
        return true;
    }

    /** Writes a file with a random hidden name beside the target. */
    private static Path writeTemporary(Path target, byte[] content) throws IOException {
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
        }
        return temporary;
    }

    /** Replaces a file, or creates it. */
    public static void replace(Path target, byte[] content) throws IOException {
        Path temporary = writeTemporary(target, content);
        try {
            sync(temporary);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Makes a file's content, or a directory's entries, durable. */
    private static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
