package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.TestStore.Logged;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damages the journal byte by byte: recovery or a clear error, never a wrong row. */
class CrashTest {

    private static final int ROUNDS = 6;
    private static final UUID WRITER = UUID.randomUUID();

    private final HotTableSpec log = TestStore.logTable("l", 1, Map.of());
    private final HotTableSpec keyed = TestStore.primaryKeyTable("t", 1, Map.of());
    private final List<Long> journalEnds = new ArrayList<>();
    private final List<Logged> records = new ArrayList<>();

    @TempDir private Path directory;
    private Path original;
    private Path copy;
    private byte[] staleDurableEnd;

    @BeforeEach
    void writeOriginal() throws IOException {
        original = directory.resolve("original");
        copy = directory.resolve("copy");
        try (TestStore store = open(original)) {
            staleDurableEnd = Files.readAllBytes(original.resolve("journal/durable-end"));
            HotTable logTable = store.create(log);
            HotTable keyedTable = store.create(keyed);
            journalEnds.add(Files.size(journal(original)));
            for (int round = 0; round < ROUNDS; round++) {
                List<Change> changes =
                        List.of(Change.upsert(round, "v" + round), Change.upsert(round, null));
                store.append(logTable, 0, WRITER, round, changes).join();
                journalEnds.add(Files.size(journal(original)));
                store.append(keyedTable, 0, WRITER, round, changes).join();
                journalEnds.add(Files.size(journal(original)));
            }
            records.addAll(TestStore.changelog(logTable, 0, 0));
        }
    }

    private static TestStore open(Path directory) {
        return new TestStore(
                LocalHotStoreConfig.of(directory)
                        .withKeyIndexMemoryBytes(16L << 20)
                        .withMaintenanceInterval(Duration.ofHours(1))
                        .withFiles(new FaultyFiles(), Clock.systemUTC()));
    }

    private static Path journal(Path root) {
        return root.resolve("journal/00000000000000000000.journal");
    }

    private void copyOriginal(boolean keepDurableEnd, boolean keepKeyIndex) throws IOException {
        delete(copy);
        try (Stream<Path> walk = Files.walk(original)) {
            for (Path path : (Iterable<Path>) walk::iterator) {
                boolean keyIndex = path.toString().contains("keyindex");
                boolean durableEnd = path.endsWith("durable-end");
                if ((!keyIndex || keepKeyIndex) && (!durableEnd || keepDurableEnd)) {
                    Files.copy(path, copy.resolve(original.relativize(path).toString()));
                }
            }
        }
    }

    private static void delete(Path root) throws IOException {
        if (Files.exists(root)) {
            try (Stream<Path> walk = Files.walk(root)) {
                for (Path path : walk.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    @Test
    void aJournalCutAnywhereKeepsTheRoundsThatAreWhole() throws IOException {
        long end = journalEnds.get(journalEnds.size() - 1);
        long lastRound = journalEnds.get(journalEnds.size() - 2);
        for (long cut = journalEnds.get(journalEnds.size() - 4);
                cut <= end;
                cut += cut < lastRound ? 9 : 1) {
            // Without the recorded end, as after a power loss in the very last round.
            copyOriginal(false, false);
            try (RandomAccessFile file = new RandomAccessFile(journal(copy).toFile(), "rw")) {
                file.setLength(cut);
            }
            int whole = wholeRounds(cut);
            try (TestStore store = open(copy)) {
                HotTable table = store.create(log);
                assertThat(TestStore.changelog(table, 0, 0))
                        .as("cut at %s", cut)
                        .isEqualTo(records.subList(0, 2 * ((whole + 1) / 2)));
            }
        }
    }

    @Test
    void aJournalCutBelowTheDurableEndIsAnError() throws IOException {
        long end = journalEnds.get(journalEnds.size() - 1);
        for (long cut = journalEnds.get(journalEnds.size() - 3); cut < end; cut += 23) {
            copyOriginal(true, false);
            try (RandomAccessFile file = new RandomAccessFile(journal(copy).toFile(), "rw")) {
                file.setLength(cut);
            }
            assertThatThrownBy(() -> open(copy))
                    .isInstanceOf(HotStoreException.class)
                    .hasMessageContaining("CORRUPT_CHANGELOG: the changelog in " + journal(copy))
                    .hasMessageContaining("durable");
        }
    }

    @Test
    void aKeyIndexThatIsAheadOfTheChangelogIsAnError() throws IOException {
        copyOriginal(false, true);
        try (RandomAccessFile file = new RandomAccessFile(journal(copy).toFile(), "rw")) {
            file.setLength(journalEnds.get(journalEnds.size() - 3));
        }
        try (TestStore store = open(copy)) {
            HotTable table = store.create(keyed);
            assertThatThrownBy(() -> TestStore.lookup(table, 0, 1))
                    .hasMessageContaining("CORRUPT_KEY_INDEX: the key index of bucket 0")
                    .hasMessageContaining("but the changelog ends at");
        }
    }

    @Test
    void aFlippedByteIsFoundOrDoesNoHarm() throws IOException {
        long seed = 7;
        Random random = new Random(seed);
        for (int i = 0; i < 120; i++) {
            copyOriginal(random.nextBoolean(), i % 20 == 0);
            long position = random.nextInt((int) Files.size(journal(copy)));
            flip(journal(copy), position);
            checkDamaged(i % 20 == 0, "byte " + position + " flipped");
        }
    }

    @Test
    void aFlippedByteInAnyOtherFileIsFoundOrDoesNoHarm() throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(original)) {
            files =
                    walk.filter(Files::isRegularFile)
                            .filter(path -> !path.toString().contains("keyindex"))
                            .filter(path -> !path.endsWith("lock"))
                            .map(original::relativize)
                            .filter(path -> !path.toString().endsWith(".json"))
                            .toList();
        }
        Random random = new Random(11);
        for (int i = 0; i < 60; i++) {
            copyOriginal(true, false);
            Path file = copy.resolve(files.get(random.nextInt(files.size())).toString());
            if (Files.size(file) > 0) {
                flip(file, random.nextInt((int) Files.size(file)));
                checkDamaged(false, file + " flipped");
            }
        }
    }

    @Test
    void damageBelowAnIntactRoundIsNoTornTailEvenIfTheDurableEndIsStale() throws IOException {
        for (int i = 0; i + 2 < journalEnds.size(); i++) {
            int round = i;
            // Its magic, its checksum, and the last byte of its last entry.
            for (long position :
                    List.of(
                            journalEnds.get(round),
                            journalEnds.get(round) + 5,
                            journalEnds.get(round + 1) - 1)) {
                copyOriginal(false, false);
                Files.write(copy.resolve("journal/durable-end"), staleDurableEnd);
                flip(journal(copy), position);

                assertThatThrownBy(() -> open(copy))
                        .as("byte %s flipped", position)
                        .hasMessageContaining(
                                "CORRUPT_CHANGELOG: the changelog in "
                                        + journal(copy)
                                        + " is damaged at byte "
                                        + journalEnds.get(round))
                        .hasMessageContaining(
                                "an intact one follows at " + journalEnds.get(round + 1));
            }
        }
    }

    private static void flip(Path path, long position) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(position);
            int old = file.read();
            file.seek(position);
            file.write(old ^ (1 << (position % 8)));
        }
    }

    private void checkDamaged(boolean withKeyIndex, String what) {
        TestStore store;
        try {
            store = open(copy);
        } catch (HotStoreException e) {
            assertThat(e.code())
                    .as(what)
                    .isIn(ErrorCode.CORRUPT_CHANGELOG, ErrorCode.UNSUPPORTED_FORMAT_VERSION);
            return;
        }
        try (store) {
            List<Logged> found = TestStore.changelog(store.create(log), 0, 0);
            assertThat(found).as(what).isEqualTo(records.subList(0, found.size()));
            assertThat(found.size()).as(what).isGreaterThanOrEqualTo(records.size() - 2);
            HotTable table = store.create(keyed);
            if (withKeyIndex) {
                assertLookup(table, what);
            }
        } catch (HotStoreException e) {
            assertThat(e.code()).as(what).isEqualTo(ErrorCode.CORRUPT_CHANGELOG);
        }
    }

    private static void assertLookup(HotTable table, String what) {
        try {
            assertThat(TestStore.lookup(table, 0, 0)).as(what).contains("null");
        } catch (CompletionException e) {
            assertThat(e).as(what).hasMessageContaining("CORRUPT_KEY_INDEX");
        }
    }

    /** How many rounds end at or before a position. */
    private int wholeRounds(long position) {
        int whole = 0;
        while (whole + 1 < journalEnds.size() && journalEnds.get(whole + 1) <= position) {
            whole++;
        }
        return whole;
    }

    @Test
    void theCutTailIsWrittenAnew() throws IOException {
        copyOriginal(false, false);
        try (RandomAccessFile file = new RandomAccessFile(journal(copy).toFile(), "rw")) {
            file.setLength(journalEnds.get(journalEnds.size() - 1) - 1);
        }
        try (TestStore store = open(copy)) {
            HotTable table = store.create(keyed);
            assertThat(TestStore.end(table, 0)).isEqualTo(3L * (ROUNDS - 1));
            store.append(table, 0, WRITER, ROUNDS - 1, List.of(Change.upsert(99, "new"))).join();
            store.reopen();
            assertThat(TestStore.lookup(store.open(keyed), 0, 99)).isEqualTo(Optional.of("new"));
        }
    }

    @Test
    void aTableThatIsMadeAgainUnderItsIdOutlivesARestart() {
        try (TestStore store = open(copy)) {
            HotTable table = store.create(keyed);
            store.append(table, 0, WRITER, 0, List.of(Change.upsert(1, "old"))).join();
            store.store().dropTable(keyed.tableId());
            HotTable again = store.open(keyed);
            assertThat(TestStore.lookup(again, 0, 1)).isEmpty();
            store.append(again, 0, WRITER, 0, List.of(Change.upsert(2, "new"))).join();

            store.reopen();

            HotTable reopened = store.open(keyed);
            assertThat(TestStore.lookup(reopened, 0, 1)).isEmpty();
            assertThat(TestStore.lookup(reopened, 0, 2)).contains("new");
            assertThat(TestStore.end(reopened, 0)).isEqualTo(1);
        }
    }
}
