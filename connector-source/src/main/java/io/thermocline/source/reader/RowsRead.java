package io.thermocline.source.reader;

import io.thermocline.hotstore.ReadFigures;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * From a reader: what it has emitted since it last told.
 *
 * @param figures rows and bytes of each tier
 */
public record RowsRead(ReadFigures figures) implements SourceEvent {}
