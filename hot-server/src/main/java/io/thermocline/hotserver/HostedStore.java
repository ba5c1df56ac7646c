package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.local.LocalHotStore;
import io.thermocline.hotstore.local.LocalHotStore.OpenTable;
import io.thermocline.hotstore.local.LocalHotStoreConfig;
import io.thermocline.hotstore.local.TableFigures;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.unionread.tiering.TieringRound;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.table.catalog.ObjectPath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The local store of a server together with its tiering. */
final class HostedStore implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HostedStore.class);

    /** Part of {@code server.memory} for key indexes; heap and Arrow have the rest. */
    private static final double KEY_INDEX_SHARE = 0.25;

    private final LocalHotStore store;
    private final ServedStore served;
    private final TieringScheduler tiering;

    private HostedStore(LocalHotStore store, ServedStore served, TieringScheduler tiering) {
        this.store = store;
        this.served = served;
        this.tiering = tiering;
    }

    /** Where the store's own files are; beside them the server keeps its own. */
    static Path storeDirectory(Path hotDirectory) {
        return hotDirectory.resolve("store");
    }

    /**
     * Opens the store of a record and checks that it is the recorded one.
     *
     * @throws HotStoreException {@code STORE_FAILED} if the directory is gone or holds another
     *     store
     */
    static HostedStore open(
            LakeCatalog lake, StoreRecords records, StoreRecord record, EngineOptions options) {
        Path directory = storeDirectory(Path.of(record.hotDirectory()));
        LakeTables lakeTables = new LakeTables(lake);
        checkNotLost(directory, record, records, lakeTables);
        AtomicReference<HostedStore> self = new AtomicReference<>();
        LocalHotStore store =
                LocalHotStore.open(
                        LocalHotStoreConfig.of(directory)
                                .withKeyIndexMemoryBytes(
                                        (long) (options.memoryBytes() * KEY_INDEX_SHARE)),
                        lakeTables,
                        (path, tableId) -> self.get().tier(path, tableId));
        boolean opened = false;
        try {
            checkIdentity(store.identity(), record, records);
            OrphanSweep.run(store, lakeTables);
            ServedStore served = new ServedStore(store, lake);
            HostedStore hosted =
                    new HostedStore(
                            store,
                            served,
                            new TieringScheduler(
                                    served::tables,
                                    served::refresh,
                                    lake,
                                    rounds(Path.of(record.hotDirectory()), store)));
            self.set(hosted);
            opened = true;
            return hosted;
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    private static TieringRounds rounds(Path hotDirectory, LocalHotStore store) {
        Path temporary = hotDirectory.resolve("tmp");
        // what a killed server left
        RoundDirectory.delete(temporary);
        return new MaintainedRounds(
                (hot, lakeTable) -> {
                    try (RoundDirectory directory = new RoundDirectory(temporary)) {
                        return new TieringRound(hot, lakeTable, directory.path()).run();
                    }
                },
                store);
    }

    private static void checkNotLost(
            Path directory, StoreRecord record, StoreRecords records, LakeTables lakeTables) {
        if (record.identity().isEmpty() || Files.exists(directory)) {
            return;
        }
        int tables = lakeTables.tableIds().size();
        if (tables > 0) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "the hot directory "
                            + directory
                            + " is gone, but the warehouse has "
                            + tables
                            + " tables with a hot tier: what was not tiered yet was only there. Put"
                            + " the directory back (or mount its disk); if it was moved, run"
                            + " './thermocline server start --adopt' with "
                            + EngineOptions.HOT_DIRECTORY
                            + ". If it is lost for good, drop these tables' hot tier by removing the"
                            + " lake option thermocline.table-id, then remove "
                            + records.file());
        }
    }

    private static void checkIdentity(
            StoreIdentity found, StoreRecord record, StoreRecords records) {
        if (record.identity().isPresent()
                && !record.identity().get().storeId().equals(found.storeId())
                && record.identity().get().epoch() >= found.epoch()) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "the hot directory "
                            + record.hotDirectory()
                            + " holds store "
                            + found.storeId()
                            + ", but the warehouse's store is "
                            + record.identity().get().storeId()
                            + " (store record "
                            + records.file()
                            + "). Put the right directory in place");
        }
        if (!record.withIdentity(found).equals(record)) {
            records.replace(record.withIdentity(found));
        }
    }

    ServedStore served() {
        return served;
    }

    /** Figures of every table that has hot data. */
    List<TableFigures> figures() {
        return store.figures();
    }

    /** Opens every table that has hot data, so that what is pending gets tiered, and starts. */
    void startTiering() {
        for (OpenTable table : store.openTables()) {
            try {
                served.openTable(table.spec().path(), table.spec().tableId()).close();
            } catch (HotStoreException e) {
                LOG.warn("{} is not tiered for now: {}", table.spec().path(), e.getMessage());
            }
        }
        tiering.start();
    }

    private TieringResult tier(ObjectPath path, String tableId) {
        try (HotTable table = served.openTable(path, tableId)) {
            return tiering.tier(table);
        }
    }

    void tierPending(Duration time) {
        tiering.tierPending(time);
    }

    /** Whether a tiering round is running or a reader holds a lease or key-index snapshot. */
    boolean isBusy() {
        return tiering.isBusy() || store.hasReaders();
    }

    /** Tiers what is pending as far as time allows, and starts no more rounds. */
    void endTiering(Duration time) {
        tiering.stop(time);
        tiering.tierPending(time);
    }

    @Override
    public void close() {
        tiering.close();
        served.close();
    }
}
