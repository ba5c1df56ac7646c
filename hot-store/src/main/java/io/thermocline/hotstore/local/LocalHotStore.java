package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.TieringResult;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.flink.table.catalog.ObjectPath;

/** A hot store over a directory of this machine, in this JVM. */
public final class LocalHotStore implements HotStore {

    private final StoreEngine engine;
    private final TableResolver resolver;
    private final Tierer tierer;
    private final Object tablesLock = new Object();

    private LocalHotStore(StoreEngine engine, TableResolver resolver, Tierer tierer) {
        this.engine = engine;
        this.resolver = resolver;
        this.tierer = tierer;
    }

    /**
     * Opens the store in a directory; an empty directory becomes a new store. Recovers everything
     * that was acknowledged.
     *
     * @param resolver tells what the lake knows of a table
     * @param tierer runs the rounds that {@link #tier} asks for
     * @throws HotStoreException {@code STORE_LOCKED}, {@code CORRUPT_CHANGELOG}, {@code
     *     UNSUPPORTED_FORMAT_VERSION}, {@code STORE_FAILED}, each naming the directory or file
     */
    public static LocalHotStore open(
            LocalHotStoreConfig config, TableResolver resolver, Tierer tierer) {
        return new LocalHotStore(StoreEngine.open(config), resolver, tierer);
    }

    @Override
    public StoreIdentity identity() {
        return engine.identity();
    }

    @Override
    public HotTable openTable(ObjectPath path, String tableId) {
        UUID id = parse(tableId);
        HotTableSpec spec = resolve(path, tableId);
        synchronized (tablesLock) {
            // Hot data that was removed meanwhile must not come back.
            return engine.openTable(id, engine.table(id) == null ? resolve(path, tableId) : spec);
        }
    }

    private HotTableSpec resolve(ObjectPath path, String tableId) {
        Optional<HotTableSpec> named = resolver.resolve(path);
        return named.filter(found -> found.tableId().equals(tableId))
                .or(() -> resolver.resolveRenamed(path, tableId))
                .orElseThrow(() -> missing(path, tableId, named));
    }

    private static HotStoreException missing(
            ObjectPath path, String tableId, Optional<HotTableSpec> named) {
        if (named.isEmpty()) {
            return new HotStoreException(
                    ErrorCode.TABLE_NOT_FOUND,
                    "there is no table "
                            + path
                            + " with a hot tier in the lake. Check the name; a table with"
                            + " 'hot.enabled' = 'false' has none.");
        }
        return new HotStoreException(
                ErrorCode.TABLE_RECREATED,
                "table "
                        + path
                        + " was dropped and created again, or got another hot tier: its id is "
                        + named.get().tableId()
                        + ", not "
                        + tableId
                        + ". Start the job again to use the new table.");
    }

    private static UUID parse(String tableId) {
        try {
            return UUID.fromString(tableId);
        } catch (IllegalArgumentException e) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT, "table id '" + tableId + "' is no UUID", e);
        }
    }

    @Override
    public void dropTable(String tableId) {
        UUID id = parse(tableId);
        synchronized (tablesLock) {
            engine.dropTable(id);
        }
    }

    @Override
    public TieringResult tier(ObjectPath path, String tableId) {
        return tierer.tier(path, tableId);
    }

    /**
     * A table that has hot data here.
     *
     * @param spec its definition, as the store last saw it
     * @param idleSinceMillis when somebody last worked with it, milliseconds since the epoch
     */
    public record OpenTable(HotTableSpec spec, long idleSinceMillis) {}

    /** All tables that have hot data here. */
    public List<OpenTable> openTables() {
        return engine.tables().stream()
                .map(state -> new OpenTable(state.spec(), state.lastUsed()))
                .toList();
    }

    /** Figures of all tables that have hot data here. */
    public List<TableFigures> figures() {
        return engine.tables().stream().map(TableState::figures).toList();
    }

    /** Lake snapshots of a table that readers hold under a lease; empty for an unknown table. */
    public Set<Long> leasedLakeSnapshots(String tableId) {
        TableState state = engine.table(parse(tableId));
        if (state == null) {
            return Set.of();
        }
        state.leases().expire();
        return state.leases().lakeSnapshots();
    }

    /**
     * When somebody last read or wrote anything here, milliseconds since the epoch; opening counts.
     * Leases and key-index snapshots in force count as use now.
     */
    public long idleSinceMillis() {
        return engine.idleSinceMillis();
    }

    /** Whether a lease or key-index snapshot is in force. */
    public boolean hasReaders() {
        return engine.hasReaders();
    }

    /**
     * Sets who is told of new records, with the table's id; called after every round that brought
     * some, on a thread that must not be held up.
     */
    public void onNewData(Consumer<String> listener) {
        engine.onNewData(listener);
    }

    @Override
    public void close() {
        engine.close();
    }
}
