package io.thermocline.hotstore.local.journal;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes entries durable in the order in which they were submitted. Whatever is pending when the
 * writing thread is free makes one round: one commit timestamp, one write, one force. Commit
 * timestamps increase strictly, also over restarts and when the clock goes back. Thread-safe.
 */
public final class Journal implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    /** Where finished rounds go. Called on the journal's thread; must not block for long. */
    public interface Listener {

        /** All entries of a round are durable. */
        void roundDurable(long commitTimestamp, List<JournalEntry> entries);

        /** Entries were revoked; nothing of them is in the journal. */
        void entriesRevoked(List<JournalEntry> entries, HotStoreException cause);

        /** A file is full or was rolled: nothing is written to it any more. */
        void fileRolled(JournalFile file);
    }

    /** What a journal holds when it is opened. */
    public interface Visitor {

        /** One entry, in commit order. The payload may be kept. */
        void entry(
                EntryKind kind, UUID tableId, int bucket, JournalPlace place, ByteBuffer payload);
    }

    /**
     * @param directory where the files are; exists
     * @param storeId store that they belong to
     * @param rollBytes a file is finished once it is this long
     * @param files the disk
     * @param clock for commit timestamps
     */
    public record Settings(
            Path directory, UUID storeId, long rollBytes, StorageFiles files, Clock clock) {}

    private final Settings settings;
    private final JournalOutput output; // written to by the journal's thread once it runs
    private final Object lock = new Object();
    private final ArrayDeque<JournalEntry> queue = new ArrayDeque<>(); // guarded by lock
    private boolean closing; // guarded by lock
    private boolean rollAsked; // guarded by lock
    private @Nullable HotStoreException failure; // guarded by lock
    private @Nullable Listener listener;
    private @Nullable Thread thread;

    private long lastCommitTimestamp; // confined to the journal's thread once it runs

    private Journal(Settings settings, JournalOutput output, long lastCommitTimestamp) {
        this.settings = settings;
        this.output = output;
        this.lastCommitTimestamp = lastCommitTimestamp;
    }

    /** Creates the first file of a new store. */
    public static void create(Settings settings) throws IOException {
        JournalOutput.createFile(settings, 0, -1).close();
    }

    /**
     * Whether a journal directory holds no entry: what is left of a store whose creation was cut
     * short.
     */
    public static boolean isBlank(Path directory) throws IOException {
        try (var listing = Files.list(directory)) {
            for (Path path : (Iterable<Path>) listing::iterator) {
                if (JournalFile.isJournal(path)
                        && Files.size(path) > JournalFormat.FILE_HEADER_BYTES) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Reads what is there and opens the journal for more; writing begins with {@link #start}.
     *
     * @param visitor sees every entry, in commit order
     * @param finishedFiles receives the files that are not written to any more, oldest first
     * @throws HotStoreException {@code CORRUPT_CHANGELOG}
     */
    public static Journal open(Settings settings, Visitor visitor, List<JournalFile> finishedFiles)
            throws IOException {
        DurableEndFile durableEnd = DurableEndFile.open(settings.directory(), settings.files());
        try {
            JournalScan scan =
                    new JournalScan(
                            settings.directory(), settings.storeId(), durableEnd.read(), visitor);
            run(scan);
            List<JournalFile> files = scan.files();
            JournalFile last = files.get(files.size() - 1);
            finishedFiles.addAll(files.subList(0, files.size() - 1));
            JournalOutput output =
                    JournalOutput.open(settings, durableEnd, last, scan.endPosition());
            return new Journal(settings, output, scan.lastCommitTimestamp());
        } catch (IOException | RuntimeException e) {
            durableEnd.close();
            throw e;
        }
    }

    private static void run(JournalScan scan) throws IOException {
        try {
            scan.run();
        } catch (IOException | RuntimeException e) {
            scan.files().forEach(file -> file.file().release());
            throw e;
        }
    }

    /** Starts writing. */
    public void start(Listener listener) {
        this.listener = listener;
        thread = new Thread(this::run, "thermocline-journal");
        thread.setDaemon(true);
        thread.start();
    }

    /** Highest commit timestamp found when the journal was opened; -1 if there is none. */
    public long recoveredCommitTimestamp() {
        return lastCommitTimestamp;
    }

    /**
     * Asks for an entry to be written.
     *
     * @return false if it is not admissible: it will not be written, and the listener is not told
     * @throws HotStoreException {@code STORE_FAILED} after a fatal failure or when closing
     */
    public boolean submit(JournalEntry entry) {
        synchronized (lock) {
            checkOpen();
            if (!entry.isAdmissible()) {
                return false;
            }
            queue.add(entry);
            if (queue.size() == 1) {
                lock.notifyAll();
            }
            return true;
        }
    }

    /**
     * @throws HotStoreException {@code STORE_FAILED} after a fatal failure or when closing
     */
    public void checkWritable() {
        synchronized (lock) {
            checkOpen();
        }
    }

    private void checkOpen() {
        if (failure != null) {
            throw failure;
        }
        if (closing) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "the hot store in " + settings.directory() + " is closing");
        }
    }

    /** Ends the current file after the round under way, unless it is empty. */
    public void roll() {
        synchronized (lock) {
            rollAsked = true;
            lock.notifyAll();
        }
    }

    /** When the current file was begun, or -1 as long as nothing is in it. */
    public long currentFileStartedAt() {
        return output.startedAt();
    }

    /** Number of the file that is being written, and how far it is durable. */
    public record Position(long fileSequence, long position) implements Comparable<Position> {

        @Override
        public int compareTo(Position other) {
            int order = Long.compare(fileSequence, other.fileSequence);
            return order != 0 ? order : Long.compare(position, other.position);
        }
    }

    /** Up to where the journal is durable. */
    public Position durableEnd() {
        return output.durable();
    }

    /** Writes what is pending and ends. */
    @Override
    public void close() {
        synchronized (lock) {
            closing = true;
            lock.notifyAll();
        }
        boolean interrupted = false;
        while (thread != null && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        output.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        List<JournalEntry> round = new ArrayList<>();
        while (true) {
            boolean roll;
            synchronized (lock) {
                while (queue.isEmpty() && !closing && !rollAsked) {
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        // Nobody has a reason to interrupt this thread; close() ends it.
                        LOG.warn("interrupt of the journal thread ignored");
                    }
                }
                if (queue.isEmpty() && closing) {
                    return;
                }
                roll = rollAsked;
                rollAsked = false;
                drain(round);
            }
            try {
                if (!round.isEmpty()) {
                    commit(round);
                }
                if (output.position() >= settings.rollBytes() || roll) {
                    JournalFile finished = output.roll(lastCommitTimestamp);
                    if (finished != null) {
                        listener.fileRolled(finished);
                    }
                }
            } catch (RuntimeException | Error e) {
                fail(round, fatal("writing a round failed", e));
                return;
            }
            round = new ArrayList<>();
            if (hasFailed()) {
                return;
            }
        }
    }

    private boolean hasFailed() {
        synchronized (lock) {
            return failure != null;
        }
    }

    private void drain(List<JournalEntry> round) {
        long bytes = 0;
        while (!queue.isEmpty()) {
            int size = queue.peek().sizeBytes();
            if (!round.isEmpty() && bytes + size > JournalFormat.MAX_ROUND_BYTES) {
                return;
            }
            bytes += size;
            round.add(queue.poll());
        }
    }

    private void commit(List<JournalEntry> round) {
        long start = output.position();
        long timestamp = Math.max(settings.clock().millis(), lastCommitTimestamp + 1);
        List<ByteBuffer> buffers = new ArrayList<>(1 + 4 * round.size());
        long[] places = new long[2 * round.size()];
        buffers.add(null);
        int body = 0;
        for (int i = 0; i < round.size(); i++) {
            JournalEntry entry = round.get(i);
            ByteBuffer[] payload = entry.seal(timestamp);
            ByteBuffer header = JournalFormat.encodeEntryHeader(entry, payload);
            int length = header.getInt(0);
            buffers.add(header);
            buffers.addAll(List.of(payload));
            places[2 * i] =
                    start
                            + JournalFormat.ROUND_HEADER_BYTES
                            + body
                            + JournalFormat.ENTRY_HEADER_BYTES;
            places[2 * i + 1] = length;
            body = Math.addExact(body, JournalFormat.ENTRY_HEADER_BYTES + length);
        }
        buffers.set(0, output.roundHeader(timestamp, round.size(), body));
        if (!write(buffers.toArray(new ByteBuffer[0]), start, round)) {
            return;
        }
        JournalFile file = output.file();
        lastCommitTimestamp = timestamp;
        for (int i = 0; i < round.size(); i++) {
            round.get(i)
                    .placed(
                            new JournalPlace(
                                    file, places[2 * i], (int) places[2 * i + 1], timestamp));
        }
        listener.roundDurable(timestamp, round);
    }

    private boolean write(ByteBuffer[] buffers, long start, List<JournalEntry> round) {
        long bytes = Arrays.stream(buffers).mapToLong(ByteBuffer::remaining).sum();
        try {
            output.write(buffers);
        } catch (IOException e) {
            writeFailed(e, start, bytes, round);
            return false;
        }
        try {
            output.force();
            return true;
        } catch (IOException e) {
            fail(round, fatal("forcing it to disk failed", e));
            return false;
        }
    }

    private void writeFailed(IOException cause, long start, long bytes, List<JournalEntry> round) {
        if (!output.isDiskFull(cause, bytes)) {
            fail(round, fatal("writing failed", cause));
            return;
        }
        try {
            output.undo(start);
        } catch (IOException e) {
            e.addSuppressed(cause);
            fail(round, fatal("the disk is full, and undoing a partial write failed", e));
            return;
        }
        HotStoreException full =
                new HotStoreException(
                        ErrorCode.DISK_FULL,
                        "no space left for "
                                + output.file().file().path()
                                + "; nothing of the batch was written. Free space on that disk:"
                                + " writing goes on then, reading is not affected.",
                        cause);
        revokeAll(round, full);
    }

    private HotStoreException fatal(String what, Throwable cause) {
        return new HotStoreException(
                ErrorCode.STORE_FAILED,
                "the journal "
                        + output.file().file().path()
                        + " cannot be continued: "
                        + what
                        + " ("
                        + cause
                        + "). What was acknowledged is safe. Check the disk, then restart the"
                        + " store.",
                cause);
    }

    private void fail(List<JournalEntry> round, HotStoreException cause) {
        LOG.error("hot store failed", cause);
        synchronized (lock) {
            failure = cause;
        }
        revokeAll(round, cause);
    }

    // Everything behind a lost round was built on top of it.
    private void revokeAll(List<JournalEntry> round, HotStoreException cause) {
        List<JournalEntry> revoked = new ArrayList<>(round);
        synchronized (lock) {
            revoked.addAll(queue);
            queue.clear();
            revoked.forEach(JournalEntry::revoke);
        }
        listener.entriesRevoked(revoked, cause);
    }
}
