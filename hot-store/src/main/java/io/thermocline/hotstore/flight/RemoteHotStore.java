package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.hotstore.arrow.ArrowMemory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.catalog.ObjectPath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hot store in another process, over Arrow Flight. Survives restarts of that process: appends
 * without an answer are sent again with the same sequence, lookups are repeated, scans are opened
 * again at their position; after the retry time calls fail with {@code STORE_UNREACHABLE}.
 *
 * <p>Futures complete on a receiving thread: what depends on them must not block there.
 */
public final class RemoteHotStore implements HotStore {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteHotStore.class);

    private final FlightConnection connection;
    private final BufferAllocator allocator;
    private final Set<RemoteHotTable> tables = ConcurrentHashMap.newKeySet();

    private RemoteHotStore(EndpointSource source, RemoteOptions options) {
        this.allocator = ArrowMemory.newAllocator("remote-hot-store");
        this.connection = new FlightConnection(source, options, allocator);
    }

    /**
     * Connects.
     *
     * @throws io.thermocline.hotstore.HotStoreException {@code STORE_UNREACHABLE} after the retry
     *     time, {@code AUTHENTICATION_FAILED}, or what the source throws
     */
    public static RemoteHotStore connect(EndpointSource source, RemoteOptions options) {
        return connect(source, options, options.retryTimeout());
    }

    /**
     * Connects, with another retry time for this first time.
     *
     * @param patience how long to try; with zero, what does not answer at once is not there
     */
    public static RemoteHotStore connect(
            EndpointSource source, RemoteOptions options, Duration patience) {
        RemoteHotStore store = new RemoteHotStore(source, options);
        boolean connected = false;
        try {
            store.connection.connect(patience);
            connected = true;
            return store;
        } finally {
            if (!connected) {
                store.close();
            }
        }
    }

    @Override
    public StoreIdentity identity() {
        return connection.identity();
    }

    @Override
    public HotTable openTable(ObjectPath path, String tableId) {
        HotTableSpec spec =
                WireJson.spec(
                        WireJson.parse(
                                connection.action(
                                        FlightProtocol.OPEN_TABLE,
                                        TableAddress.of(path, tableId).command())));
        RemoteHotTable table = new RemoteHotTable(connection, spec, tables::remove);
        tables.add(table);
        return table;
    }

    @Override
    public void dropTable(String tableId) {
        connection.action(FlightProtocol.DROP_TABLE, WireJson.object().put("tableId", tableId));
    }

    @Override
    public TieringResult tier(ObjectPath path, String tableId) {
        return WireJson.value(
                connection.action(FlightProtocol.TIER, TableAddress.of(path, tableId).command()),
                TieringResult.class);
    }

    /** Asks the server to tier what is pending and to end. Returns at once. */
    public void shutdownServer() {
        connection.action(FlightProtocol.SHUTDOWN, WireJson.object());
    }

    @Override
    public void close() {
        connection.close();
        List.copyOf(tables).forEach(RemoteHotTable::close);
        try {
            allocator.close();
        } catch (IllegalStateException e) {
            LOG.warn("batches of a closed hot store connection are still open", e);
        }
    }
}
