package io.thermocline.hotstore.local.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates and replaces durable files. Thread-safe. */
public interface StorageFiles {

    /** The local disk. */
    StorageFiles DISK = new DiskFiles();

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

    /** Gives a finished file its final name, durably. */
    void install(Path temporary, Path path) throws IOException;
}
