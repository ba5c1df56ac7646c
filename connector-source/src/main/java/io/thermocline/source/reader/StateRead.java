package io.thermocline.source.reader;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * From a reader: the state that a split begins with, or consists of, was read to its end.
 *
 * @param splitId the split
 */
public record StateRead(String splitId) implements SourceEvent {}
