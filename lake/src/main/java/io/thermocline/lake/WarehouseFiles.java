package io.thermocline.lake;

import java.io.IOException;
import java.util.Optional;

/** Small files below {@code <warehouse>/.thermocline/}. Thread-safe. */
public interface WarehouseFiles {

    /** The directory below the warehouse that holds them. */
    String DIRECTORY = ".thermocline";

    /** Content of a file; empty if it does not exist. */
    Optional<byte[]> read(String name) throws IOException;

    /**
     * Creates a file with its whole content, atomically, if it does not exist.
     *
     * @return false if it exists already
     */
    boolean createIfAbsent(String name, byte[] content) throws IOException;

    /** Replaces a file atomically as far as the file system can. */
    void replace(String name, byte[] content) throws IOException;

    /** The warehouse's directory if it lies on this host's local file system. */
    Optional<java.nio.file.Path> localDirectory();
}
