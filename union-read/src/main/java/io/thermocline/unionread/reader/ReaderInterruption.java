package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;

/** Ends loops that wait for a store when their thread is to end. */
final class ReaderInterruption {

    private ReaderInterruption() {}

    static void check(int bucket) {
        if (Thread.currentThread().isInterrupted()) {
            throw new HotStoreException(
                    ErrorCode.TABLE_CLOSED,
                    "reading the changelog of bucket " + bucket + " was interrupted");
        }
    }
}
