package io.thermocline.hotstore.flight;

import java.io.Serializable;
import java.time.Duration;

/**
 * How a client behaves.
 *
 * @param retryTimeout how long a call is repeated while the store does not answer
 * @param maxAppendBytes bytes of appended rows that one table handle keeps until they are
 *     acknowledged; {@code append} waits above it
 * @param maxLookupKeys keys in one lookup message
 */
public record RemoteOptions(Duration retryTimeout, long maxAppendBytes, int maxLookupKeys)
        implements Serializable {

    /** Retries for 60 s, 32 MB of unacknowledged rows, 4,096 keys a message. */
    public static final RemoteOptions DEFAULT =
            new RemoteOptions(Duration.ofSeconds(60), 32L << 20, 4096);

    public RemoteOptions withRetryTimeout(Duration timeout) {
        return new RemoteOptions(timeout, maxAppendBytes, maxLookupKeys);
    }
}
