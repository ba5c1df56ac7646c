package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.local.bucket.TableBuckets;
import io.thermocline.hotstore.local.bucket.TableContext;
import io.thermocline.hotstore.local.journal.Journal;
import io.thermocline.hotstore.local.journal.JournalEntry;
import io.thermocline.hotstore.local.journal.JournalFile;
import io.thermocline.hotstore.local.keyindex.KeyIndexMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a local hot store consists of: directory, journal, tables, threads. Thread-safe. */
final class StoreEngine implements Journal.Listener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(StoreEngine.class);
    private static final int MIN_APPLY_THREADS = 2;
    private static final long IDLE_THREAD_SECONDS = 10;
    private static final long LAST_TASKS_SECONDS = 10;

    private final LocalHotStoreConfig config;
    private final StoreDirectory directory;
    private final BufferAllocator allocator;
    private final KeyIndexMemory memory;
    private final ExecutorService applyPool;
    private final ExecutorService publishPool;
    private final PendingBytes pendingBytes;
    private final KeyIndexSnapshots snapshots;
    private final Map<UUID, TableState> tables = new ConcurrentHashMap<>();
    private final Maintenance maintenance;
    private Journal journal;
    private volatile long lastDurableTimestamp;
    private volatile long lastUsed;
    private volatile Consumer<String> newDataListener = tableId -> {};
    private volatile boolean closed;

    private StoreEngine(LocalHotStoreConfig config, StoreDirectory directory) {
        this.config = config;
        this.directory = directory;
        this.allocator = ArrowMemory.newAllocator("hot-store " + directory.root());
        this.memory = new KeyIndexMemory(config.keyIndexMemoryBytes());
        this.pendingBytes = new PendingBytes(config.maxPendingBytes());
        this.snapshots = new KeyIndexSnapshots(config.clock());
        this.applyPool = newApplyPool();
        this.publishPool =
                new ThreadPoolExecutor(
                        0,
                        Integer.MAX_VALUE, // One per table that is publishing.
                        IDLE_THREAD_SECONDS,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        PublishThread::new);
        this.maintenance = new Maintenance(this, config);
        this.lastUsed = config.clock().millis();
    }

    private static ExecutorService newApplyPool() {
        int threads = Math.max(MIN_APPLY_THREADS, Runtime.getRuntime().availableProcessors());
        AtomicInteger count = new AtomicInteger();
        return Executors.newFixedThreadPool(
                threads,
                task -> {
                    Thread thread =
                            new Thread(task, "thermocline-apply-" + count.getAndIncrement());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    static StoreEngine open(LocalHotStoreConfig config) {
        try {
            StoreDirectory directory = StoreDirectory.open(config.directory(), config.files());
            StoreEngine engine;
            try {
                engine = new StoreEngine(config, directory);
            } catch (RuntimeException | Error e) {
                directory.close();
                throw e;
            }
            try {
                engine.recover();
                return engine;
            } catch (IOException | RuntimeException | Error e) {
                engine.giveUp();
                throw e;
            }
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "cannot open the hot store in "
                            + config.directory()
                            + ": "
                            + e
                            + ". Check that the directory can be written.",
                    e);
        }
    }

    private void recover() throws IOException {
        Recovery recovery = new Recovery(directory, config.files());
        journal =
                recovery.run(
                        new Journal.Settings(
                                directory.journal(),
                                UUID.fromString(directory.identity().storeId()),
                                config.journalRollBytes(),
                                config.files(),
                                config.clock()));
        lastDurableTimestamp = journal.recoveredCommitTimestamp();
        try {
            for (RecoveredTable recovered : recovery.tables().values()) {
                TableState state = build(recovered);
                tables.put(state.tableId(), state);
            }
        } catch (RuntimeException | Error e) {
            recovery.closeExcept(tables.keySet());
            throw e;
        }
        // Not before all tables are there: what is absorbed is deleted.
        maintenance.addFound(recovery.finishedFiles());
        journal.start(this);
        maintenance.start(journal);
    }

    /** Closes what was opened when the rest could not be. */
    private void giveUp() {
        maintenance.close();
        if (journal != null) {
            journal.close();
        }
        tables().forEach(TableState::close);
        releaseResources();
    }

    private TableState build(RecoveredTable recovered) {
        TableFile definition = recovered.definition();
        UUID tableId = UUID.fromString(definition.spec().tableId());
        TableContext context =
                new TableContext(
                        definition.spec(),
                        tableId,
                        recovered.directory(),
                        config.files(),
                        journal,
                        memory,
                        allocator,
                        applyPool,
                        publishPool);
        TableBuckets buckets = new TableBuckets(context, () -> newData(tableId));
        buckets.setDetaching(definition.spec().isDraining());
        recovered.recover(buckets, lastDurableTimestamp);
        Changelogs changelogs =
                new Changelogs(
                        context,
                        buckets,
                        config.files(),
                        recovered.manifest(),
                        recovered.segments());
        Leases leases =
                new Leases(
                        definition.spec().path().getFullName(),
                        recovered.directory(),
                        config.files(),
                        config.clock());
        leases.load();
        LocalTableHistory history =
                new LocalTableHistory(
                        definition.spec().path().getFullName(),
                        recovered.directory(),
                        config.files(),
                        config.clock());
        return new TableState(
                definition, context, buckets, changelogs, leases, history, config.clock());
    }

    private void newData(UUID tableId) {
        maintenance.newData(tableId);
        newDataListener.accept(tableId.toString());
    }

    StoreIdentity identity() {
        return directory.identity();
    }

    void onNewData(Consumer<String> listener) {
        newDataListener = listener;
    }

    Collection<TableState> tables() {
        return List.copyOf(tables.values());
    }

    @Nullable TableState table(UUID tableId) {
        return tables.get(tableId);
    }

    KeyIndexSnapshots snapshots() {
        return snapshots;
    }

    long idleSinceMillis() {
        if (hasReaders()) {
            return config.clock().millis();
        }
        long used = lastUsed;
        for (TableState state : tables.values()) {
            used = Math.max(used, state.lastUsed());
        }
        return used;
    }

    boolean hasReaders() {
        return snapshots.count() > 0
                || tables.values().stream().anyMatch(state -> state.leases().count() > 0);
    }

    /** Callers hold one lock for opening and dropping. */
    HotTable openTable(UUID tableId, HotTableSpec spec) {
        if (closed) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED, "the hot store in " + directory.root() + " is closed");
        }
        lastUsed = config.clock().millis();
        try {
            TableState state = tables.get(tableId);
            if (state == null) {
                state = create(tableId, spec);
                tables.put(tableId, state);
            } else {
                TableFile evolved = state.definition().evolve(spec);
                Retention.of(spec);
                // Whoever asked the lake earlier may come later: that must not undo a detach.
                boolean outdated = spec.attachmentEpoch() < state.spec().attachmentEpoch();
                if (!outdated && !evolved.spec().equals(state.spec())) {
                    evolved.write(state.directory(), config.files());
                    state.define(evolved);
                    state.buckets().setDetaching(evolved.spec().isDraining());
                }
            }
            state.touch();
            return new LocalHotTable(state, pendingBytes, snapshots, directory.writerEpochs());
        } catch (IOException e) {
            Path path = directory.table(tableId);
            throw config.files()
                    .writeFailed(
                            "cannot write the definition of table " + spec.path() + " to " + path,
                            directory.tables(),
                            e);
        }
    }

    private TableState create(UUID tableId, HotTableSpec spec) throws IOException {
        Retention.of(spec);
        Path path = directory.table(tableId);
        Recovery.deleteTree(path, config.files());
        Files.createDirectories(path);
        config.files().forceDirectory(directory.tables());
        for (int bucket = 0; bucket < spec.bucketCount(); bucket++) {
            // Durable with the manifest.
            Files.createDirectories(TableContext.bucketDirectory(path, bucket));
        }
        Manifest.empty(spec.bucketCount()).write(path, config.files());
        Map<Integer, org.apache.flink.table.types.logical.RowType> schemas = new HashMap<>();
        schemas.put(spec.schemaVersion(), spec.rowType());
        // Last: a directory without a definition is no table.
        new TableFile(spec, schemas, journal.durableEnd()).write(path, config.files());
        return build(RecoveredTable.read(path));
    }

    /** Callers hold one lock for opening and dropping. */
    void dropTable(UUID tableId) {
        TableState state = tables.get(tableId);
        if (state == null) {
            return;
        }
        CompletableFuture<Void> recorded = new CompletableFuture<>();
        journal.submit(state.buckets().dropEntry(recorded));
        try {
            recorded.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof HotStoreException known) {
                throw known;
            }
            throw e;
        }
        tables.remove(tableId);
        maintenance.exclusively(
                () -> {
                    state.buckets().refuse();
                    snapshots.closeOf(state);
                    state.close();
                    Recovery.deleteTree(state.directory(), config.files());
                });
    }

    @Override
    public void roundDurable(long commitTimestamp, List<JournalEntry> entries) {
        lastDurableTimestamp = commitTimestamp;
        byTable(entries)
                .forEach(
                        (tableId, ofTable) -> {
                            TableState state = tables.get(tableId);
                            if (state != null) {
                                state.buckets().roundDurable(ofTable);
                            }
                        });
    }

    @Override
    public void entriesRevoked(List<JournalEntry> entries, HotStoreException cause) {
        byTable(entries)
                .forEach(
                        (tableId, ofTable) -> {
                            TableState state = tables.get(tableId);
                            if (state != null) {
                                state.buckets().revoked(ofTable, cause);
                            }
                        });
    }

    private static Map<UUID, List<JournalEntry>> byTable(List<JournalEntry> entries) {
        Map<UUID, List<JournalEntry>> byTable = new HashMap<>();
        for (JournalEntry entry : entries) {
            byTable.computeIfAbsent(entry.tableId(), id -> new ArrayList<>()).add(entry);
        }
        return byTable;
    }

    @Override
    public void fileRolled(JournalFile file) {
        maintenance.add(file);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        pendingBytes.close();
        journal.close();
        maintenance.close();
        for (TableState state : tables()) {
            state.buckets().refuse();
            snapshots.closeOf(state);
            try {
                state.buckets().buckets().forEach(bucket -> bucket.flush());
            } catch (HotStoreException e) {
                // What is not flushed is replayed at the next start.
                LOG.warn("flushing table {} failed: {}", state.spec().path(), e.getMessage());
            }
            state.close();
        }
        releaseResources();
    }

    private static void end(ExecutorService pool) {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(LAST_TASKS_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the last tasks of the hot store do not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void releaseResources() {
        end(applyPool);
        end(publishPool);
        memory.close();
        try {
            allocator.close();
        } catch (IllegalStateException e) {
            LOG.warn("batches of the hot store are still open: {}", e.getMessage());
        }
        directory.close();
    }
}
