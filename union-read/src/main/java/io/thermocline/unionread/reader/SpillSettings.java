package io.thermocline.unionread.reader;

import java.nio.file.Path;

/**
 * Bounds of what a reader keeps in memory.
 *
 * @param directory local directory for spill files; created if missing. Files are deleted on close
 * @param memoryBytes keys above this size go to a spill file; about 1.5 bytes per spilled key stay
 *     in memory
 */
public record SpillSettings(Path directory, long memoryBytes) {

    /** Memory of one key set unless configured otherwise: 64 MiB. */
    public static final long DEFAULT_MEMORY_BYTES = 64L << 20;

    /** Least memory of a key set. */
    public static final long MIN_MEMORY_BYTES = 4L << 10;

    /** Most memory of a key set: one Java array holds the keys. */
    public static final long MAX_MEMORY_BYTES = 1L << 30;

    public SpillSettings {
        if (memoryBytes < MIN_MEMORY_BYTES || memoryBytes > MAX_MEMORY_BYTES) {
            throw new IllegalArgumentException(
                    "memory of a key set is "
                            + memoryBytes
                            + " bytes, but must lie between "
                            + MIN_MEMORY_BYTES
                            + " and "
                            + MAX_MEMORY_BYTES);
        }
    }

    /** Default memory, spilling below {@code directory}. */
    public static SpillSettings in(Path directory) {
        return new SpillSettings(directory, DEFAULT_MEMORY_BYTES);
    }
}
