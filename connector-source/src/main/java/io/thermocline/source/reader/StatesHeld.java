package io.thermocline.source.reader;

import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * From a reader when it starts: the splits it was restored with whose state it has yet to read.
 *
 * @param splitIds the splits
 */
public record StatesHeld(Set<String> splitIds) implements SourceEvent {

    public StatesHeld {
        splitIds = Set.copyOf(splitIds);
    }
}
