package io.thermocline.hotstore.local;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A full disk as RocksDB meets it, without one: the next table files of a key index are links to
 * {@code /dev/full}, where every write fails with ENOSPC. RocksDB looks for space again every few
 * seconds, and may remove such links by itself then.
 */
final class FullDevice {

    private static final Path FULL = Path.of("/dev/full");
    private static final int LINKS = 200;

    private FullDevice() {}

    static Path keyIndex(Path hotDirectory, String tableId, int bucket) {
        return hotDirectory.resolve("tables/" + tableId + "/bucket-" + bucket + "/keyindex");
    }

    /**
     * @param keyIndex directory of a key index that is open
     */
    static void fill(Path keyIndex) throws IOException {
        for (int number = 1; number <= LINKS; number++) {
            Path table = keyIndex.resolve("%06d.sst".formatted(number));
            try {
                Files.createSymbolicLink(table, FULL);
            } catch (FileAlreadyExistsException e) {
                // A table of the index.
                continue;
            }
        }
    }

    /** Makes space. */
    static void heal(Path keyIndex) throws IOException {
        List<Path> links;
        try (Stream<Path> files = Files.list(keyIndex)) {
            links = files.filter(Files::isSymbolicLink).toList();
        }
        for (Path link : links) {
            Files.deleteIfExists(link);
        }
    }
}
