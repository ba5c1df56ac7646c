package io.thermocline.hotstore.local.file;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates and replaces durable files. Thread-safe. */
public interface StorageFiles {

    /** The local disk. */
    StorageFiles DISK = new DiskFiles();

    /** A disk with less space than this is full for the small files of a store. */
    long SMALL_FILE_BYTES = 64L << 10;

    /** Creates a file, or empties the one that is there. */
    AppendFile create(Path path) throws IOException;

    /** Opens a file for appending after cutting it to {@code length}. */
    AppendFile openAppend(Path path, long length) throws IOException;

    /** Returns once everything written to the channel is on the device. */
    void force(FileChannel channel) throws IOException;

    /** Makes creations, renames and deletions in a directory durable. */
    void forceDirectory(Path directory) throws IOException;

    /**
     * Replaces a file as a whole: after a crash it has either its old or its new content.
     *
     * @param path the file; its directory exists
     */
    void replace(Path path, byte[] content) throws IOException;

    /** Bytes that this process can still write where a file or directory is, roughly. */
    default long usableBytes(Path path) throws IOException {
        return Files.getFileStore(path).getUsableSpace();
    }

    /** Creates a directory, and those above it that are missing, durably. */
    default void createDirectories(Path directory) throws IOException {
        Path parent = directory.getParent();
        if (Files.isDirectory(directory) || parent == null) {
            return;
        }
        createDirectories(parent);
        Files.createDirectories(directory);
        try {
            forceDirectory(parent);
        } catch (IOException e) {
            // So that nobody takes it for durable.
            Files.deleteIfExists(directory);
            throw e;
        }
    }

    /**
     * Whether an operation failed because the disk is full. The error's text is in the language of
     * the system, unless the process was told otherwise; that there is less space than was needed
     * says as much. Of a quota, only the text tells.
     *
     * @param path the file, or its directory
     * @param bytes that were to be written
     */
    default boolean isFull(IOException failure, Path path, long bytes) {
        String message = String.valueOf(failure.getMessage());
        if (message.contains("No space left on device")
                || message.contains("Disk quota exceeded")) {
            return true;
        }
        try {
            return usableBytes(path) < bytes;
        } catch (IOException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    /**
     * The error that a small file could not be written.
     *
     * @param what is not possible now, with the file named
     * @param directory of the file
     * @return {@code DISK_FULL} or {@code STORE_FAILED}
     */
    default HotStoreException writeFailed(String what, Path directory, IOException cause) {
        boolean full = isFull(cause, directory, SMALL_FILE_BYTES);
        return new HotStoreException(
                full ? ErrorCode.DISK_FULL : ErrorCode.STORE_FAILED,
                what
                        + ": "
                        + cause
                        + (full
                                ? ". Free space on that disk: it is possible again then, reading"
                                        + " is not affected."
                                : ". Check that the disk can be written."),
                cause);
    }

    /** Gives a finished file its final name, durably. */
    void install(Path temporary, Path path) throws IOException;
}
