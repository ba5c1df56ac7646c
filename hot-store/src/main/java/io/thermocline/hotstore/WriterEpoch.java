package io.thermocline.hotstore;

import java.util.UUID;

/**
 * Who writes: one life of a writer. All lives of a writer share its id, and a later one has a
 * higher epoch. From its first batch to a bucket on, those of earlier epochs are refused there.
 *
 * @param writerId random id
 * @param epoch as given by {@link HotTable#beginWriter}, from 1; {@link #UNFENCED} for a writer
 *     that has one life only
 */
public record WriterEpoch(UUID writerId, long epoch) {

    /** Epoch of a writer whose id was drawn for this one life. */
    public static final long UNFENCED = 0;

    /** A writer whose id nobody has used before, nor will again. */
    public static WriterEpoch unfenced(UUID writerId) {
        return new WriterEpoch(writerId, UNFENCED);
    }

    @Override
    public String toString() {
        return epoch == UNFENCED ? writerId.toString() : writerId + " in epoch " + epoch;
    }
}
