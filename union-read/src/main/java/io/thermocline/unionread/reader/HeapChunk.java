package io.thermocline.unionread.reader;

import io.thermocline.unionread.plan.ReadPosition;
import java.util.List;
import org.apache.flink.table.data.RowData;

/** Copied rows on the heap. */
final class HeapChunk implements RowChunk {

    private final List<? extends RowData> rows;
    private final int step;
    private final long startProgress;
    private final long sizeBytes;

    HeapChunk(List<? extends RowData> rows, int step, long startProgress, long sizeBytes) {
        this.rows = rows;
        this.step = step;
        this.startProgress = startProgress;
        this.sizeBytes = sizeBytes;
    }

    @Override
    public int rowCount() {
        return rows.size();
    }

    @Override
    public RowData row(int index) {
        return rows.get(index);
    }

    @Override
    public ReadPosition positionAfter(int index) {
        return new ReadPosition(step, startProgress + index + 1);
    }

    @Override
    public ReadPosition endPosition() {
        return new ReadPosition(step, startProgress + rows.size());
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public long commitTimestamp(int index) {
        return NO_TIMESTAMP;
    }

    @Override
    public void close() {}
}
