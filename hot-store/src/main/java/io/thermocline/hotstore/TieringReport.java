package io.thermocline.hotstore;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A tiering round that wrote to the lake, or failed to.
 *
 * @param startMillis when it began, milliseconds since the epoch
 * @param durationMillis how long it took, without maintenance of the lake table
 * @param result what it did; null if it failed
 * @param error why it failed; null if it did not
 */
public record TieringReport(
        long startMillis,
        long durationMillis,
        @Nullable TieringResult result,
        @Nullable String error)
        implements Serializable {

    public TieringReport {
        if ((result == null) == (error == null)) {
            throw new IllegalArgumentException(
                    "a round has either a result or an error, not " + result + " and " + error);
        }
    }
}
