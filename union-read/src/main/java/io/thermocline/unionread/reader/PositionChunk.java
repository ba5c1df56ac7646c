package io.thermocline.unionread.reader;

import io.thermocline.unionread.plan.ReadPosition;
import org.apache.flink.table.data.RowData;

/** No rows, only a position: a step has ended, or records were skipped. */
record PositionChunk(ReadPosition endPosition) implements RowChunk {

    @Override
    public int rowCount() {
        return 0;
    }

    @Override
    public RowData row(int index) {
        throw new IndexOutOfBoundsException(index);
    }

    @Override
    public ReadPosition positionAfter(int index) {
        throw new IndexOutOfBoundsException(index);
    }

    @Override
    public long sizeBytes() {
        return 0;
    }

    @Override
    public long commitTimestamp(int index) {
        throw new IndexOutOfBoundsException(index);
    }

    @Override
    public void close() {}
}
