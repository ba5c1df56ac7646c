package io.thermocline.hotstore;

import java.io.Serializable;
import java.util.Objects;

/**
 * What was read in a period of {@link TableHistory#READ_PERIOD}.
 *
 * @param startMillis when it began, milliseconds since the epoch
 * @param figures what was reported in it
 */
public record ReadPeriod(long startMillis, ReadFigures figures) implements Serializable {

    public ReadPeriod {
        Objects.requireNonNull(figures, "figures");
    }
}
