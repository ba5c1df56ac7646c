package io.thermocline.lake;

import java.util.List;
import org.apache.flink.table.data.RowData;

/** Writes rows of one tiering round into lake files. Not thread-safe. */
public interface LakeWriter extends AutoCloseable {

    /**
     * Writes a row: +I and +U put it, -D deletes its key (primary-key tables only). The row is
     * copied. On primary-key tables a key is written at most once.
     *
     * @param bucket the row's bucket, as {@link BucketFunction} gives it
     */
    void write(int bucket, RowData row);

    /**
     * Writes a row, of kind +I or +U, whose key the lake certainly does not hold yet, so that
     * nothing needs to be replaced.
     */
    default void writeNew(int bucket, RowData row) {
        write(bucket, row);
    }

    /** Closes all files. No more rows can be written. */
    List<LakeCommittable> finish();

    /** Releases resources; deletes the files if {@link #finish()} was not reached. */
    @Override
    void close();
}
