package io.thermocline.hotstore;

import java.io.Serializable;

/**
 * How a task reaches the hot store of its warehouse. Serializable, travels in job graphs; equal
 * providers reach the same store. One implementation per engine.
 */
public interface HotStoreProvider extends Serializable {

    /** What to do when no store is running. */
    enum WhenStopped {
        /** Start it, where this process is allowed to. Never used while planning. */
        START,
        /** Fail with {@code STORE_UNREACHABLE}. */
        FAIL
    }

    /**
     * Connects. Connections of one JVM are shared: every caller closes what it got, and the last
     * one closes the connection.
     *
     * @throws HotStoreException {@code STORE_UNREACHABLE}, {@code STORE_ON_OTHER_HOST}, {@code
     *     STORE_LOCKED}, {@code AUTHENTICATION_FAILED}, each naming host and directory
     */
    HotStore connect(WhenStopped whenStopped);
}
