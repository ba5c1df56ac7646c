package io.thermocline.hotserver;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.LakeTable;

/** Runs tiering rounds. Thread-safe. */
@FunctionalInterface
interface TieringRounds {

    /** Runs one round. */
    TieringResult run(HotTable hot, LakeTable lake);

    /** What there is to do after a round. Never fails: what the round did is committed. */
    default void after(HotTable hot, LakeTable lake, TieringResult result) {}
}
