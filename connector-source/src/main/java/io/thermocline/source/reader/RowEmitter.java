package io.thermocline.source.reader;

import io.thermocline.source.metrics.ReaderMetrics;
import io.thermocline.source.split.ThermoclineSplitState;
import io.thermocline.unionread.reader.RowChunk;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.table.data.RowData;

/** Emits a row, then moves its split's state. Runs in the task thread. */
final class RowEmitter implements RecordEmitter<ChunkCursor, RowData, ThermoclineSplitState> {

    private final ReaderMetrics metrics;
    private final StateListener listener;

    /** Told when a chunk of a split was emitted and the split's state has moved to its end. */
    interface StateListener {
        void onAdvanced(ThermoclineSplitState state, RowChunk chunk);
    }

    RowEmitter(ReaderMetrics metrics, StateListener listener) {
        this.metrics = metrics;
        this.listener = listener;
    }

    @Override
    public void emitRecord(
            ChunkCursor cursor, SourceOutput<RowData> output, ThermoclineSplitState state) {
        RowChunk chunk = cursor.chunk();
        if (!cursor.isAtRow()) {
            state.advanceTo(chunk.endPosition());
            listener.onAdvanced(state, chunk);
            return;
        }
        int index = cursor.index();
        RowData row = chunk.row(index);
        long timestamp = chunk.commitTimestamp(index);
        if (timestamp == RowChunk.NO_TIMESTAMP) {
            output.collect(row);
        } else {
            output.collect(row, timestamp);
        }
        state.advanceTo(chunk.positionAfter(index));
    }
}
