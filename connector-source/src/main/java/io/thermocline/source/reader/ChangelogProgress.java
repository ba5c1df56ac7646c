package io.thermocline.source.reader;

import java.util.Map;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * From a reader: changelog records below these offsets are not needed any more.
 *
 * @param offsets by bucket; buckets that the reader does not read are missing
 * @param inCheckpoint whether a completed checkpoint lies behind them; else the rows were only read
 */
public record ChangelogProgress(Map<Integer, Long> offsets, boolean inCheckpoint)
        implements SourceEvent {

    public ChangelogProgress {
        offsets = Map.copyOf(offsets);
    }
}
