package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.WriterEpoch;
import java.util.List;

/**
 * What a bucket remembers of its writers.
 *
 * @param forgottenEpoch highest epoch of a writer that was forgotten; {@link WriterEpoch#UNFENCED}
 *     if there was none
 * @param writers the one heard of last comes last
 */
public record WriterStates(long forgottenEpoch, List<WriterState> writers) {

    /** Of a bucket that nobody has written to. */
    public static final WriterStates NONE = new WriterStates(WriterEpoch.UNFENCED, List.of());

    public WriterStates {
        writers = List.copyOf(writers);
    }
}
