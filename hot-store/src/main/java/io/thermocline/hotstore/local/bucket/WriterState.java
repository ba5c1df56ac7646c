package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.AppendResult;
import java.util.List;
import java.util.UUID;

/**
 * What a bucket remembers of one writer, so that a repeated batch is recognised.
 *
 * @param writerId the writer
 * @param lastSequence of its durable batches
 * @param results of its last batches, the newest ({@code lastSequence}) last, without gaps
 */
public record WriterState(UUID writerId, long lastSequence, List<AppendResult> results) {

    public WriterState {
        results = List.copyOf(results);
    }

    /** Commit timestamp of its last batch. */
    public long lastCommitTimestamp() {
        return results.get(results.size() - 1).commitTimestamp();
    }
}
