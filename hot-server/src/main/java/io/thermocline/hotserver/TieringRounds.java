package io.thermocline.hotserver;

import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.TieringResult;
import io.thermocline.lake.LakeTable;

/** Runs one tiering round, maintenance included. Thread-safe. */
@FunctionalInterface
interface TieringRounds {

    TieringResult run(HotTable hot, LakeTable lake);
}
