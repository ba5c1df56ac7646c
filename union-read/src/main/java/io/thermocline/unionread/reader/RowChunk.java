package io.thermocline.unionread.reader;

import io.thermocline.unionread.plan.ReadPosition;
import org.apache.flink.table.data.RowData;

/**
 * Rows that a reader hands out together, perhaps none. They stay valid until the chunk is closed,
 * which may happen in another thread than the reader's.
 */
public interface RowChunk extends AutoCloseable {

    int rowCount();

    /** A row, with its row kind. */
    RowData row(int index);

    /** Where to go on once row {@code index} was handled. */
    ReadPosition positionAfter(int index);

    /** Where to go on after the whole chunk; beyond its last row where something was skipped. */
    ReadPosition endPosition();

    /** Bytes that the rows take. */
    long sizeBytes();

    /**
     * Commit timestamp of a row, milliseconds since the epoch; {@link #NO_TIMESTAMP} of a lake row.
     */
    long commitTimestamp(int index);

    /** The row comes from a state that does not keep commit timestamps. */
    long NO_TIMESTAMP = Long.MIN_VALUE;

    @Override
    void close();
}
