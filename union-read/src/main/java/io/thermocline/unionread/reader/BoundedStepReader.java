package io.thermocline.unionread.reader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Reads a step whose rows come one by one and always in the same order: copies them into chunks,
 * and starts over by skipping the rows that were handed out before.
 */
final class BoundedStepReader implements StepReader {

    private static final int CHUNK_ROWS = 2_048;
    private static final long CHUNK_BYTES = 1L << 20;

    /** Rows that may be left out in a row before the thread can be woken up. */
    private static final int ROWS_PER_POLL = 65_536;

    private final Rows rows;
    private final RowDataSerializer serializer;
    private final int stepIndex;

    private long progress;
    private long toSkip;
    private boolean finished;

    /**
     * @param rows rows of the step; closed with this reader
     * @param serializer of the rows
     * @param progress rows that were handed out before
     */
    BoundedStepReader(Rows rows, RowDataSerializer serializer, int stepIndex, long progress) {
        this.rows = rows;
        this.serializer = serializer;
        this.stepIndex = stepIndex;
        this.progress = progress;
        this.toSkip = progress;
    }

    /** Rows one by one. */
    interface Rows extends AutoCloseable {

        /** A row that is left out; only returned by {@link #next()}. */
        RowData LEFT_OUT = new BinaryRowData(0);

        /**
         * Next row, valid until the next call; {@link #LEFT_OUT} for one that is not part of the
         * step; null at the end.
         */
        @Nullable RowData next();

        @Override
        void close();
    }

    @Override
    public @Nullable RowChunk poll(Duration timeout) {
        List<BinaryRowData> chunk = new ArrayList<>();
        long bytes = 0;
        for (int read = 0; read < ROWS_PER_POLL; read++) {
            RowData row = rows.next();
            if (row == null) {
                finished = true;
                break;
            }
            if (row == Rows.LEFT_OUT) {
                continue;
            }
            if (toSkip > 0) {
                toSkip--;
                continue;
            }
            BinaryRowData copy = serializer.toBinaryRow(row).copy();
            copy.setRowKind(RowKind.INSERT);
            chunk.add(copy);
            bytes += copy.getSizeInBytes();
            if (chunk.size() == CHUNK_ROWS || bytes >= CHUNK_BYTES) {
                break;
            }
        }
        if (chunk.isEmpty()) {
            return null;
        }
        long start = progress;
        progress += chunk.size();
        return new HeapChunk(chunk, stepIndex, start, bytes);
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public long progress() {
        return progress;
    }

    @Override
    public void close() {
        rows.close();
    }
}
