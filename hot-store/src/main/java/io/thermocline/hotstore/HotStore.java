package io.thermocline.hotstore;

import org.apache.flink.table.catalog.ObjectPath;

/**
 * The hot tier of one warehouse: every table's changelog and key index.
 *
 * <p>Implementations run in this JVM ({@code LocalHotStore}) or speak to a server over Arrow Flight
 * ({@code RemoteHotStore}). All methods are thread-safe.
 */
public interface HotStore extends AutoCloseable {

    /** Identity of this store: the id it was created with and the epoch of its present life. */
    StoreIdentity identity();

    /**
     * Opens a table, creating its hot data if there is none yet.
     *
     * @param path database and table name, as the lake catalog knows it, or knew it before the
     *     table was renamed
     * @param tableId the UUID written at CREATE TABLE; a table that was dropped and re-created has
     *     another one
     * @throws HotStoreException {@code TABLE_NOT_FOUND} if the lake has no such table, {@code
     *     TABLE_RECREATED} if the lake's table of that name has another id
     */
    HotTable openTable(ObjectPath path, String tableId);

    /**
     * Removes the hot data of a table. Readers and writers of it fail from then on. Does nothing if
     * there is none.
     */
    void dropTable(String tableId);

    /**
     * Runs a tiering round of the table now and returns once the lake snapshot is committed.
     *
     * @throws HotStoreException if the store's engine cannot reach the lake, or the commit
     *     conflicts
     */
    TieringResult tier(ObjectPath path, String tableId);

    /**
     * Releases this client's resources; of a {@code LocalHotStore}: flushes and closes the store.
     */
    @Override
    void close();
}
