package io.thermocline.benchmarks.driver;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** An open table. Operations that a system lacks throw {@link UnsupportedOperationException}. */
public interface TargetTable extends AutoCloseable {

    /** Opens a writer: upserts for a table with a key, appends for a log. */
    RowWriter writer() throws Exception;

    /**
     * Reads every record from the beginning to the present end and touches every value of the
     * columns.
     */
    default ScanTotals scan(int[] columns) throws Exception {
        throw new UnsupportedOperationException("scan");
    }

    /** Prepares what a scan of the columns needs beside the rows; not measured. */
    default void prepareScan(int[] columns) throws Exception {
        // Most systems need nothing.
    }

    /** Reads the present row of every key, all columns. */
    default ScanTotals scanState() throws Exception {
        throw new UnsupportedOperationException("scan of the state");
    }

    /**
     * Looks a key up, all columns.
     *
     * @return value of column {@link Shape#TIME}; null if the key has no row
     */
    default CompletableFuture<Long> lookup(long key) {
        throw new UnsupportedOperationException("lookup");
    }

    /**
     * Looks up the rows of a {@link TableKey#COMPOSITE} key by its first column, all columns.
     *
     * @return how many there are
     */
    default CompletableFuture<Integer> lookupPrefix(long first) {
        throw new UnsupportedOperationException("lookup by prefix");
    }

    /**
     * Takes the ends of the changelog that a union read would read up to.
     *
     * @return by bucket, exclusive
     */
    default Map<Integer, Long> cut() throws Exception {
        throw new UnsupportedOperationException("cut");
    }

    /**
     * Writes the changelog into the lake.
     *
     * @return what was written
     */
    default LakeWrite tier() throws Exception {
        throw new UnsupportedOperationException("tiering");
    }

    /** Does what keeps the lake table healthy, as the system does now and then. */
    default void maintainLake() {
        throw new UnsupportedOperationException("maintenance");
    }

    /**
     * Reads new records until {@code count} of them, without images before an update, were handed
     * to the listener. Returns once the reader stands at the present end; reading goes on by
     * itself.
     */
    default CompletableFuture<Void> tail(int count, TailListener listener) throws Exception {
        throw new UnsupportedOperationException("tail");
    }

    @Override
    void close() throws Exception;

    /** Is told of new records. */
    interface TailListener {

        /**
         * @param number value of column {@link Shape#NUMBER}
         * @param time value of column {@link Shape#TIME}
         * @param bucket of the record
         * @param offset of the record in the bucket's changelog
         */
        void arrived(int number, long time, int bucket, long offset);
    }

    /** Writes rows. Used by one thread. */
    interface RowWriter extends AutoCloseable {

        /**
         * Writes a row, which may be reused at once; waits while too much is under way. A failure
         * is thrown here or by {@link #flush}.
         *
         * @param acknowledged is run once the row is acknowledged; null: nothing to run
         */
        void write(BenchRow row, Runnable acknowledged) throws Exception;

        /** Returns once every row is acknowledged. */
        void flush() throws Exception;

        @Override
        void close() throws Exception;
    }

    /**
     * What a scan has seen.
     *
     * @param rows number of rows
     * @param checksum sum over the touched values, the same for the same rows in any order
     */
    record ScanTotals(long rows, long checksum) {}

    /**
     * What a tiering round has written.
     *
     * @param rows number of rows
     * @param files number of data files
     * @param bytes their size
     */
    record LakeWrite(long rows, int files, long bytes) {}
}
