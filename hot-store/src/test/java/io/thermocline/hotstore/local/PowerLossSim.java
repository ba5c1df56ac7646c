package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories on a disk that fails in every way there is: power goes off at any call, forces
 * fail, space runs out and comes back, bits rot. After each power loss the store is opened on what
 * is left, beside a model: everything acknowledged is there, and of the rest each batch as a whole
 * or not at all. {@code -Dthermocline.torture.seeds=17} or {@code 1-500} chooses histories, {@code
 * -Dthermocline.torture.lives=20} how often the store is opened in each.
 */
class PowerLossSim {

    private static final boolean FULL = Boolean.getBoolean("thermocline.test.full");
    private static final String SEEDS =
            System.getProperty("thermocline.torture.seeds", FULL ? "1-200" : "1-2");
    private static final int LIVES = Integer.getInteger("thermocline.torture.lives", FULL ? 12 : 3);

    private static final Set<ErrorCode> DAMAGE =
            Set.of(
                    ErrorCode.CORRUPT_CHANGELOG,
                    ErrorCode.CORRUPT_KEY_INDEX,
                    ErrorCode.UNSUPPORTED_FORMAT_VERSION,
                    ErrorCode.STORE_FAILED);

    @TempDir private Path directory;

    static LongStream seeds() {
        String[] bounds = SEEDS.split("-");
        return LongStream.rangeClosed(
                Long.parseLong(bounds[0]), Long.parseLong(bounds[bounds.length - 1]));
    }

    private static LocalHotStoreConfig config(Path store, Random random) {
        return LocalHotStoreConfig.of(store)
                .withKeyIndexMemoryBytes(16L << 20)
                .withJournalRoll(1000 + random.nextInt(10_000), Duration.ofMillis(100))
                .withReplayBytes(1 + random.nextInt(10_000))
                .withMaintenanceInterval(Duration.ofMillis(5 + random.nextInt(20)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Timeout(120)
    void whatWasAcknowledgedOutlivesAnyFault(long seed) throws IOException {
        Random random = new Random(seed);
        TorturedTables tables = new TorturedTables(random);
        Path present = directory.resolve("life-0");
        for (int life = 1; life <= LIVES; life++) {
            Path next = directory.resolve("life-" + life);
            try {
                live(tables, present, next, random);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ", life " + life, e);
            }
            VolatileDisk.deleteTree(present);
            present = next;
        }
        rot(tables, present, seed, random);
    }

    /** One life of the store, from opening to the power loss. */
    private void live(TorturedTables tables, Path present, Path next, Random random)
            throws IOException {
        try (VolatileDisk disk = new VolatileDisk(present, directory.resolve("inodes"), random)) {
            LocalHotStoreConfig config = config(present, random).withFiles(disk, Clock.systemUTC());
            if (random.nextInt(4) == 0) {
                disk.losePowerAfter(1 + random.nextInt(12));
            }
            TestStore store;
            try {
                store = new TestStore(config);
            } catch (HotStoreException e) {
                if (!disk.isDead()) {
                    throw e;
                }
                disk.copyAfterPowerLoss(next);
                return;
            }
            try (store) {
                tables.run(store, disk);
                if (random.nextInt(5) == 0 && !disk.isDead()) {
                    store.close();
                }
                disk.copyAfterPowerLoss(next);
            }
        }
    }

    /** Whatever bit flips: it is found, or nothing depends on it. */
    private void rot(TorturedTables tables, Path present, long seed, Random random)
            throws IOException {
        try (TestStore store = new TestStore(config(present, random))) {
            tables.open(store);
            tables.resolve();
        }
        List<Path> files;
        try (Stream<Path> walk = Files.walk(present)) {
            files =
                    walk.filter(Files::isRegularFile)
                            .filter(path -> path.toFile().length() > 0)
                            .map(present::relativize)
                            .sorted()
                            .toList();
        }
        for (int round = 0; round < (FULL ? 10 : 2); round++) {
            Path copy = directory.resolve("rotten");
            copy(present, copy);
            Path file = files.get(random.nextInt(files.size()));
            long position = random.nextInt((int) Files.size(copy.resolve(file)));
            flip(copy.resolve(file), position, random.nextInt(Byte.SIZE));
            String what = "seed " + seed + ": byte " + position + " of " + file;
            try (TestStore store = new TestStore(config(copy, random))) {
                tables.open(store);
                tables.check();
            } catch (HotStoreException e) {
                assertThat(e.code()).as(what).withFailMessage(() -> what + ": " + e).isIn(DAMAGE);
            } catch (AssertionError e) {
                fail(what, e);
            }
            VolatileDisk.deleteTree(copy);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> walk = Files.walk(from)) {
            for (Path path : (Iterable<Path>) walk::iterator) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }

    private static void flip(Path path, long position, int bit) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(position);
            int old = file.read();
            file.seek(position);
            file.write(old ^ (1 << bit));
        }
    }
}
