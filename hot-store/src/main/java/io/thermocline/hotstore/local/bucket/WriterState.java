package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.WriterEpoch;
import java.util.List;

/**
 * What a bucket remembers of one writer, so that a repeated batch is recognised and an earlier
 * epoch is refused.
 *
 * @param writer the writer in its newest epoch
 * @param lastSequence of the epoch's durable batches; -1 if there is none yet
 * @param results of its last batches, the newest ({@code lastSequence}) last, without gaps
 */
public record WriterState(WriterEpoch writer, long lastSequence, List<AppendResult> results) {

    public WriterState {
        results = List.copyOf(results);
    }
}
