package io.thermocline.source.enumerator;

import io.thermocline.source.split.ThermoclineSplit;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.jspecify.annotations.Nullable;

/**
 * Coordinator of a read whose state must not be gone on from: fails the job when it starts. Flink
 * swallows what is thrown while a coordinator is restored before the job has begun, and would run
 * the job without one.
 */
public final class RefusedRestore implements SplitEnumerator<ThermoclineSplit, EnumeratorState> {

    private final RuntimeException reason;

    /**
     * @param reason what the job fails with
     */
    public RefusedRestore(RuntimeException reason) {
        this.reason = reason;
    }

    @Override
    public void start() {
        throw reason;
    }

    @Override
    public void handleSplitRequest(int reader, @Nullable String host) {
        // the job fails
    }

    @Override
    public void addSplitsBack(List<ThermoclineSplit> splits, int reader) {
        // the job fails
    }

    @Override
    public void addReader(int reader) {
        // the job fails
    }

    @Override
    public void handleSourceEvent(int reader, SourceEvent event) {
        // the job fails
    }

    @Override
    public EnumeratorState snapshotState(long checkpointId) {
        throw reason;
    }

    @Override
    public void close() {
        // holds nothing
    }
}
