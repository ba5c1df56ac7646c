package io.thermocline.sink.writer;

import java.io.Serializable;
import java.time.Duration;

/**
 * When a writer sends rows, and how many it holds.
 *
 * @param maxRows most rows of one request
 * @param maxBytes size at which a request is sent
 * @param flushInterval how long a row may wait for others; zero: as long as the request before it
 *     is under way, no longer
 * @param maxInFlightBytes bound on the rows buffered, or sent and not acknowledged
 */
public record WriterSettings(
        int maxRows, long maxBytes, Duration flushInterval, long maxInFlightBytes)
        implements Serializable {}
