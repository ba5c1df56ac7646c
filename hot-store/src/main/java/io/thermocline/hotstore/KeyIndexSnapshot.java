package io.thermocline.hotstore;

import io.thermocline.hotstore.arrow.RowBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pinned view of a table's key index: the state of every key at one set of offsets. Thread-safe.
 */
public interface KeyIndexSnapshot extends AutoCloseable {

    /** Id by which another process can attach to it. */
    String snapshotId();

    /** The cut: this view holds exactly the effects of the records below these offsets. */
    TableOffsets offsets();

    /** Scans one bucket in key order. */
    Scan scan(int bucket, List<String> projection);

    /** Tells the store that it is still in use. */
    void keepAlive();

    /** Ends the snapshot for everybody. */
    @Override
    void close();

    /** Rows of one bucket. Not thread-safe. */
    interface Scan extends AutoCloseable {

        /** Next batch of +I rows, owned by the caller; null at the end. */
        @Nullable RowBatch next();

        @Override
        void close();
    }
}
