package io.thermocline.hotstore.local;

import io.thermocline.hotstore.local.file.AppendFile;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A disk that keeps after a power loss what was forced, and of the rest what chance wills: bytes
 * behind the last force may be there, in part, or as garbage; a file that was created, renamed or
 * deleted since its directory was forced may be found under its old name, its new one, both or
 * none. Power may be lost at any call. Key indexes are left to RocksDB: their files are kept as
 * they are, if their directory is.
 */
final class VolatileDisk implements StorageFiles, AutoCloseable {

    private static final String KEY_INDEX = "keyindex";
    private static final int MAX_PAUSE_MILLIS = 3;
    private static final int COPY_ATTEMPTS = 100;
    private static final int SLOT_BYTES = 512; // of the file that holds the durable end

    private final Path root;
    private final Path inodes;
    private final Random random; // guarded by this
    private final Map<Object, Path> links = new HashMap<>(); // guarded by this
    private final Map<Object, Long> durableBytes = new HashMap<>(); // guarded by this
    private final Map<Object, Map<String, Object>> durableEntries = new HashMap<>();
    private final Map<Object, Boolean> lostPages = new HashMap<>(); // guarded by this
    private final List<FileChannel> pinned = new ArrayList<>(); // guarded by this
    private byte[] durableEnd; // guarded by this
    private long callsLeft = Long.MAX_VALUE; // guarded by this
    private long bytesLeft = Long.MAX_VALUE; // guarded by this
    private int forcesToFail; // guarded by this
    private int calls; // guarded by this
    private boolean slow; // guarded by this
    private boolean dead; // guarded by this

    /**
     * @param root directory of a store; everything in it is durable
     * @param inodes empty directory on the same file system, for files that have no name any more
     */
    VolatileDisk(Path root, Path inodes, Random random) throws IOException {
        this.root = Files.createDirectories(root).toRealPath();
        this.inodes = Files.createDirectories(inodes);
        this.random = random;
        try (Stream<Path> walk = Files.walk(this.root)) {
            for (Path path : (Iterable<Path>) walk::iterator) {
                if (Files.isDirectory(path)) {
                    rememberEntries(path);
                } else if (!isOfKeyIndex(path)) {
                    durableBytes.put(link(path), Files.size(path));
                }
            }
        }
    }

    private static boolean isOfKeyIndex(Path path) {
        return path.toString().contains("/" + KEY_INDEX + "/");
    }

    /** Loses power at the n-th call from now. */
    synchronized void losePowerAfter(long callsFromNow) {
        callsLeft = callsFromNow;
    }

    synchronized void losePower() {
        dead = true;
    }

    synchronized boolean isDead() {
        return dead;
    }

    /** Lets that many bytes through, then has no space. */
    synchronized void fillAfter(long bytes) {
        bytesLeft = bytes;
    }

    synchronized void makeSpace() {
        bytesLeft = Long.MAX_VALUE;
    }

    /** Makes the next force of a file or directory fail; what it should have kept may be lost. */
    synchronized void failNextForce() {
        forcesToFail = 1;
    }

    /** Whether a force that was to fail has failed. */
    synchronized boolean hasFailedForce() {
        return forcesToFail < 0;
    }

    synchronized void beSlow(boolean isSlow) {
        slow = isSlow;
    }

    /** Calls so far. */
    synchronized int calls() {
        return calls;
    }

    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    private Object link(Path path) throws IOException {
        Object key = key(path);
        if (!links.containsKey(key)) {
            Path link = inodes.resolve(links.size() + "");
            Files.createLink(link, path);
            links.put(key, link);
        }
        return key;
    }

    private void rememberEntries(Path directory) throws IOException {
        Object key = key(directory);
        if (!durableEntries.containsKey(key)) {
            // Its number must not be given to another directory as long as we know it.
            pinned.add(FileChannel.open(directory, StandardOpenOption.READ));
        }
        durableEntries.put(key, entries(directory));
    }

    private static Map<String, Object> entries(Path directory) throws IOException {
        Map<String, Object> entries = new HashMap<>();
        List<Path> paths;
        try (Stream<Path> listing = Files.list(directory)) {
            paths = listing.toList();
        }
        for (Path path : paths) {
            try {
                entries.put(path.getFileName().toString(), key(path));
            } catch (NoSuchFileException e) {
                // Deleted just now.
                continue;
            }
        }
        return entries;
    }

    /**
     * Counts a call.
     *
     * @return whether power is lost in its middle
     */
    private boolean step() throws IOException {
        if (dead) {
            throw new IOException("the power is off");
        }
        calls++;
        callsLeft--;
        dead = callsLeft <= 0;
        return dead;
    }

    private static IOException powerLost() {
        return new IOException("the power goes off");
    }

    private void pause() {
        boolean wait;
        int millis;
        synchronized (this) {
            wait = slow;
            millis = random.nextInt(MAX_PAUSE_MILLIS);
        }
        if (wait) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    private boolean failsForce() {
        if (forcesToFail > 0) {
            forcesToFail = -1;
            return true;
        }
        return false;
    }

    @Override
    public synchronized AppendFile create(Path path) throws IOException {
        if (step() && random.nextBoolean()) {
            throw powerLost();
        }
        if (bytesLeft == 0 && random.nextBoolean()) {
            throw full();
        }
        AppendFile file = DISK.create(path);
        Object key = link(path);
        durableBytes.put(key, 0L);
        lostPages.remove(key);
        if (dead) {
            file.close();
            throw powerLost();
        }
        return new VolatileFile(file, key);
    }

    @Override
    public synchronized AppendFile openAppend(Path path, long length) throws IOException {
        step();
        AppendFile file = DISK.openAppend(path, length);
        Object key = link(path);
        durableBytes.merge(key, length, Math::min);
        return new VolatileFile(file, key);
    }

    private static IOException full() {
        return new IOException("No space left on device");
    }

    @Override
    public synchronized long usableBytes(Path path) {
        return bytesLeft;
    }

    @Override
    public synchronized void force(FileChannel channel) throws IOException {
        if (step()) {
            throw powerLost();
        }
        ByteBuffer content = ByteBuffer.allocate((int) channel.size());
        channel.read(content, 0);
        durableEnd = content.array();
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        if (!directory.startsWith(root)) {
            return;
        }
        pause();
        synchronized (this) {
            if (step() && random.nextBoolean()) {
                throw powerLost();
            }
            if (failsForce()) {
                throw new IOException("Input/output error");
            }
            rememberEntries(directory);
            if (dead) {
                throw powerLost();
            }
        }
    }

    @Override
    public void replace(Path path, byte[] content) throws IOException {
        Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
        try (AppendFile file = create(temporary)) {
            file.write(new ByteBuffer[] {ByteBuffer.wrap(content)});
            file.force();
        }
        install(temporary, path);
    }

    @Override
    public void install(Path temporary, Path path) throws IOException {
        synchronized (this) {
            if (step() && random.nextBoolean()) {
                throw powerLost();
            }
            Files.move(
                    temporary,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            if (dead) {
                throw powerLost();
            }
        }
        forceDirectory(path.getParent());
    }

    /** Writes what a power loss leaves of the store to a new directory. */
    synchronized void copyAfterPowerLoss(Path target) throws IOException {
        dead = true;
        copyDirectory(key(root), root, target);
    }

    private void copyDirectory(Object key, Path actual, Path target) throws IOException {
        Files.createDirectories(target);
        Map<String, Object> kept = durableEntries.getOrDefault(key, Map.of());
        Map<String, Object> present = actual == null ? Map.of() : entries(actual);
        Set<String> names = new TreeSet<>(kept.keySet());
        names.addAll(present.keySet());
        for (String name : names) {
            Object before = kept.get(name);
            Object now = present.get(name);
            Object chosen = Objects.equals(before, now) || random.nextBoolean() ? now : before;
            if (chosen == null) {
                continue;
            }
            Path source = chosen.equals(now) ? actual.resolve(name) : null;
            if (links.containsKey(chosen)) {
                copyFile(chosen, target.resolve(name));
            } else if (name.equals(KEY_INDEX)) {
                copyKeyIndex(source, target.resolve(name));
            } else if (source == null || Files.isDirectory(source)) {
                copyDirectory(chosen, source, target.resolve(name));
            } else {
                copyUnforced(source, target.resolve(name));
            }
        }
    }

    private void copyFile(Object key, Path target) throws IOException {
        byte[] content = Files.readAllBytes(links.get(key));
        int durable = (int) (long) durableBytes.get(key);
        int unsure = content.length - durable;
        if (unsure > 0) {
            int kept = random.nextInt(3);
            int length = durable + (kept == 0 ? 0 : kept == 1 ? unsure : random.nextInt(unsure));
            content = java.util.Arrays.copyOf(content, length);
            if (length > durable && (lostPages.containsKey(key) || random.nextBoolean())) {
                damage(content, durable + random.nextInt(length - durable));
            }
        }
        Files.write(target, content);
    }

    /** Pages that never reached the device: as zeros, or as what was there before. */
    private void damage(byte[] content, int from) {
        int to = from + 1 + random.nextInt(content.length - from);
        if (random.nextBoolean()) {
            java.util.Arrays.fill(content, from, to, (byte) 0);
        } else {
            byte[] garbage = new byte[to - from];
            random.nextBytes(garbage);
            System.arraycopy(garbage, 0, content, from, garbage.length);
        }
    }

    // The durable end is written over and over, and rarely forced: each slot is old or new.
    private void copyUnforced(Path source, Path target) throws IOException {
        byte[] content = Files.readAllBytes(source);
        if (durableEnd != null && source.endsWith("durable-end")) {
            for (int from = 0; from < content.length; from += SLOT_BYTES) {
                int length = Math.min(SLOT_BYTES, content.length - from);
                if (random.nextBoolean() && from + length <= durableEnd.length) {
                    System.arraycopy(durableEnd, from, content, from, length);
                }
            }
        }
        Files.write(target, content);
    }

    /** Copies a key index at one instant; {@code null} for one that was deleted. */
    private static void copyKeyIndex(Path source, Path target) throws IOException {
        if (source == null) {
            return;
        }
        for (int attempt = 0; attempt < COPY_ATTEMPTS; attempt++) {
            try {
                Files.createDirectories(target);
                List<String> before = listing(source);
                try (Stream<Path> files = Files.list(source)) {
                    for (Path file : (Iterable<Path>) files::iterator) {
                        Files.copy(file, target.resolve(file.getFileName()));
                    }
                }
                if (listing(source).equals(before)) {
                    return;
                }
            } catch (NoSuchFileException | java.io.UncheckedIOException e) {
                // It is being compacted.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            deleteTree(target);
        }
        throw new IOException(source + " does not come to rest");
    }

    private static List<String> listing(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            List<String> names = new ArrayList<>();
            for (Path file : (Iterable<Path>) files.sorted()::iterator) {
                names.add(file.getFileName() + " " + Files.size(file));
            }
            return names;
        }
    }

    static void deleteTree(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> walk = Files.walk(directory)) {
                for (Path path : walk.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (FileChannel channel : pinned) {
            channel.close();
        }
        deleteTree(inodes);
    }

    private final class VolatileFile implements AppendFile {

        private final AppendFile file;
        private final Object key;

        private VolatileFile(AppendFile file, Object key) {
            this.file = file;
            this.key = key;
        }

        @Override
        public void write(ByteBuffer[] buffers) throws IOException {
            pause();
            synchronized (VolatileDisk.this) {
                boolean torn = step();
                for (ByteBuffer buffer : buffers) {
                    int size = buffer.remaining();
                    long room = torn ? random.nextInt(size + 1) : bytesLeft;
                    if (size > room) {
                        buffer.limit(buffer.position() + (int) room);
                        file.write(new ByteBuffer[] {buffer});
                        bytesLeft = torn ? bytesLeft : 0;
                        throw torn ? powerLost() : full();
                    }
                    file.write(new ByteBuffer[] {buffer});
                    bytesLeft -= bytesLeft == Long.MAX_VALUE ? 0 : size;
                }
                if (torn) {
                    throw powerLost();
                }
            }
        }

        @Override
        public void force() throws IOException {
            pause();
            synchronized (VolatileDisk.this) {
                if (step() && random.nextBoolean()) {
                    throw powerLost();
                }
                if (failsForce()) {
                    // The system forgets which pages are not on the device.
                    lostPages.put(key, true);
                    throw new IOException("Input/output error");
                }
                if (!lostPages.containsKey(key)) {
                    durableBytes.put(key, file.position());
                }
                if (dead) {
                    throw powerLost();
                }
            }
        }

        @Override
        public void truncate(long length) throws IOException {
            synchronized (VolatileDisk.this) {
                step();
                file.truncate(length);
                durableBytes.merge(key, length, Math::min);
            }
        }

        @Override
        public long position() {
            return file.position();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
