package io.thermocline.benchmarks.driver;

/** A system under measurement, as its client sees it. Used by one thread at a time. */
public interface Target extends AutoCloseable {

    /** Number of buckets (partitions) of every table. */
    int BUCKETS = 4;

    /**
     * Creates a table.
     *
     * @param tiered whether the system may write it into a lake by itself, as often as it does by
     *     default
     */
    void create(String table, Shape shape, TableKey key, boolean tiered) throws Exception;

    /** Removes a table and its data. */
    void drop(String table) throws Exception;

    /** Opens a table that was created. */
    TargetTable open(String table, Shape shape, TableKey key) throws Exception;

    @Override
    void close() throws Exception;
}
