package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.bucket.Bucket;
import io.thermocline.hotstore.local.journal.Journal;
import io.thermocline.hotstore.local.journal.JournalFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a store does in the background, on one thread: turn finished journal files into segments,
 * flush key indexes, apply retention, end what is idle. Thread-safe.
 */
final class Maintenance implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

    private final StoreEngine engine;
    private final LocalHotStoreConfig config;
    private final ScheduledExecutorService thread;
    private final Object lock = new Object(); // held by every task, and by exclusively()
    private final ArrayDeque<JournalFile> finished = new ArrayDeque<>(); // guarded by itself
    private final ArrayDeque<JournalFile> absorbed = new ArrayDeque<>(); // guarded by lock
    private @Nullable JournalFile deleted; // and not durably; guarded by lock
    private final Set<UUID> flushAsked = ConcurrentHashMap.newKeySet();
    private Journal journal;

    Maintenance(StoreEngine engine, LocalHotStoreConfig config) {
        this.engine = engine;
        this.config = config;
        this.thread =
                Executors.newSingleThreadScheduledExecutor(
                        task -> {
                            Thread created = new Thread(task, "thermocline-maintenance");
                            created.setDaemon(true);
                            return created;
                        });
    }

    void start(Journal storeJournal) {
        journal = storeJournal;
        long millis = config.maintenanceInterval().toMillis();
        thread.scheduleWithFixedDelay(this::round, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** What may fail; it is tried again later. */
    interface Task {
        void run() throws IOException;
    }

    private void run(String what, Task task) {
        try {
            synchronized (lock) {
                task.run();
            }
        } catch (IOException | RuntimeException | Error e) {
            // An error that is thrown would end all maintenance, unnoticed.
            LOG.warn("{} of the hot store failed and will be tried again", what, e);
        }
    }

    private void execute(String what, Task task) {
        try {
            thread.execute(() -> run(what, task));
        } catch (RejectedExecutionException e) {
            LOG.debug("{} left out: the store is closing", what);
        }
    }

    /** A journal file that is not written to any more. */
    void add(JournalFile file) {
        synchronized (finished) {
            finished.add(file);
        }
        execute("re-encoding", this::absorbFinished);
    }

    /** Such files found at the start: whoever waits for the store goes first. */
    void addFound(List<JournalFile> files) {
        synchronized (finished) {
            finished.addAll(files);
        }
    }

    /** Asks for a flush if a restart would have to replay too much. */
    void newData(UUID tableId) {
        TableState state = engine.table(tableId);
        if (state == null || !state.spec().hasPrimaryKey()) {
            return;
        }
        for (Bucket bucket : state.buckets().buckets()) {
            if (bucket.replayCost() > config.replayBytes() && flushAsked.add(tableId)) {
                execute("flushing", () -> flush(tableId));
                return;
            }
        }
    }

    private void flush(UUID tableId) {
        flushAsked.remove(tableId);
        TableState state = engine.table(tableId);
        if (state == null || state.buckets().isStalled()) {
            return;
        }
        for (Bucket bucket : state.buckets().buckets()) {
            if (bucket.replayCost() > config.replayBytes()) {
                bucket.flush();
            }
        }
    }

    // What fails holds up nothing else: a full disk, on which nothing can be re-encoded, gets space
    // again by retention.
    private void round() {
        run("rolling the journal", this::rollOld);
        run("closing idle key-index snapshots", engine.snapshots()::closeIdle);
        for (TableState state : engine.tables()) {
            run("publishing", state.buckets()::retryStalled);
            // A flush that failed is not asked for again before there are new rows.
            run("flushing", () -> flush(state.tableId()));
            run("retention of table " + state.spec().path(), () -> applyRetention(state));
        }
        run("re-encoding", this::absorbFinished);
    }

    private void rollOld() {
        long begun = journal.currentFileStartedAt();
        if (begun >= 0 && config.clock().millis() - begun >= config.journalRollAge().toMillis()) {
            journal.roll();
        }
    }

    private void applyRetention(TableState state) throws IOException {
        if (engine.table(state.tableId()) == state) {
            state.applyRetention();
        }
    }

    // What comes meanwhile has a task of its own: flushes are not to wait for the last file.
    private void absorbFinished() throws IOException {
        List<JournalFile> present;
        synchronized (finished) {
            present = List.copyOf(finished);
        }
        for (JournalFile file : present) {
            if (!absorb(file)) {
                break;
            }
            synchronized (finished) {
                finished.poll();
            }
            absorbed.add(file);
        }
        deleteAbsorbed();
    }

    // One after the other, durably: what is left after a crash must have no gap.
    private void deleteAbsorbed() throws IOException {
        forceDeletion();
        while (!absorbed.isEmpty() && absorbed.peek().delete()) {
            deleted = absorbed.poll();
            forceDeletion();
        }
    }

    private void forceDeletion() throws IOException {
        if (deleted != null) {
            config.files().forceDirectory(deleted.file().path().getParent());
            deleted = null;
        }
    }

    /** Whether everything of the file is in segments now. */
    private boolean absorb(JournalFile file) throws IOException {
        boolean whole = true;
        for (TableState state : engine.tables()) {
            // Everything of the file was handed to the table before this.
            if (state.buckets().awaitPublished()) {
                state.changelogs().absorb(file.file());
            } else {
                whole = false;
            }
        }
        return whole;
    }

    /** Runs something while no background task does. */
    void exclusively(Task task) {
        synchronized (lock) {
            try {
                task.run();
            } catch (IOException e) {
                throw new HotStoreException(
                        ErrorCode.STORE_FAILED, "removing hot data failed: " + e, e);
            }
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        boolean interrupted = false;
        while (true) {
            try {
                if (thread.awaitTermination(1, TimeUnit.DAYS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        synchronized (lock) {
            // What could not be deleted is absorbed again at the next start, which changes nothing.
            absorbed.forEach(file -> file.file().release());
            absorbed.clear();
        }
        synchronized (finished) {
            finished.forEach(file -> file.file().release());
            finished.clear();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
