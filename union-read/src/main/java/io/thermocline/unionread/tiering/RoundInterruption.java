package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;

/** Ends a round whose thread was interrupted. */
final class RoundInterruption {

    private RoundInterruption() {}

    static void check(HotTableSpec table) {
        if (Thread.currentThread().isInterrupted()) {
            throw new HotStoreException(
                    ErrorCode.TABLE_CLOSED,
                    "tiering of table "
                            + table.path().getFullName()
                            + " was interrupted. Nothing was committed; the next round continues.");
        }
    }
}
