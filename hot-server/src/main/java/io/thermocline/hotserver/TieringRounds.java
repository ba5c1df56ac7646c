package io.thermocline.hotserver;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.LakeTable;
import io.thermocline.unionread.tiering.OthersCommits;

/** Runs tiering rounds. Thread-safe. */
@FunctionalInterface
interface TieringRounds {

    /** Runs one round. */
    TieringResult run(HotTable hot, LakeTable lake);

    /** Whether others have committed what a round must see to, although nothing is to be tiered. */
    default boolean areNeededFor(LakeTable lake) {
        return lake.latestTieredSnapshot()
                .map(tiered -> !OthersCommits.since(lake, tiered).commits().isEmpty())
                .orElse(true);
    }

    /** What there is to do after a round. Never fails: what the round did is committed. */
    default void after(HotTable hot, LakeTable lake, TieringResult result) {}
}
