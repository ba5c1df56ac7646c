package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.unionread.plan.ReadPosition;
import org.apache.flink.table.data.RowData;

/** A changelog batch as it came; closing the chunk closes the batch. */
final class ChangelogChunk implements RowChunk {

    private final ChangelogBatch batch;
    private final int step;
    private final long startOffset;
    private final long endOffset;

    /**
     * @param startOffset offset where the step starts
     * @param endOffset where reading goes on after this batch
     */
    ChangelogChunk(ChangelogBatch batch, int step, long startOffset, long endOffset) {
        this.batch = batch;
        this.step = step;
        this.startOffset = startOffset;
        this.endOffset = endOffset;
    }

    @Override
    public int rowCount() {
        return batch.rows().rowCount();
    }

    @Override
    public RowData row(int index) {
        return batch.rows().row(index);
    }

    @Override
    public ReadPosition positionAfter(int index) {
        return new ReadPosition(step, batch.baseOffset() + index + 1 - startOffset);
    }

    @Override
    public ReadPosition endPosition() {
        return new ReadPosition(step, endOffset - startOffset);
    }

    @Override
    public long sizeBytes() {
        return batch.rows().sizeBytes();
    }

    @Override
    public long commitTimestamp(int index) {
        return batch.commitTimestamps()[index];
    }

    @Override
    public void close() {
        batch.close();
    }
}
