package io.thermocline.benchmarks.floor;

import io.thermocline.benchmarks.driver.Driver;
import io.thermocline.benchmarks.driver.Shape;
import io.thermocline.benchmarks.driver.TableKey;
import io.thermocline.benchmarks.driver.Target;
import io.thermocline.benchmarks.driver.TargetTable;
import io.thermocline.hotstore.local.keyindex.KeyIndexMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Floors in this process, on one thread. A table with a key is one RocksDB with the options and the
 * memory of a key index, written by multi-get and write batch; a log is an Arrow IPC file with the
 * compression of segments. Nothing is made durable.
 */
public final class FloorTarget implements Target {

    /** As a server with default options gives its key indexes. */
    private static final long KEY_INDEX_MEMORY_BYTES = 256L << 20;

    private final Path directory;
    private final KeyIndexMemory memory = new KeyIndexMemory(KEY_INDEX_MEMORY_BYTES);

    private FloorTarget(Path directory) {
        this.directory = directory;
    }

    /** Argument: directory of the files. */
    public static void main(String[] arguments) {
        Driver.run(() -> new FloorTarget(Path.of(arguments[0])));
    }

    @Override
    public void create(String table, Shape shape, TableKey key, boolean tiered) throws IOException {
        Files.createDirectories(directory.resolve(table));
    }

    @Override
    public TargetTable open(String table, Shape shape, TableKey key) {
        Path place = directory.resolve(table);
        return key.exists() ? new RocksDbTable(place, key, memory) : new ArrowTable(place, shape);
    }

    @Override
    public void drop(String table) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve(table))) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
