package io.thermocline.lake.paimon;

import org.apache.paimon.consumer.Consumer;
import org.apache.paimon.consumer.ConsumerManager;
import org.apache.paimon.table.FileStoreTable;

/**
 * Keeps snapshots from being expired by anyone: a Paimon consumer that still needs them. It moves
 * forward only after a newer tiering snapshot exists, so there is no moment at which the newest one
 * is not covered.
 */
final class SnapshotPin {

    /** Name of the consumer, as in the metadata table {@code t$consumers}. */
    static final String CONSUMER = "thermocline";

    private final ConsumerManager consumers;

    SnapshotPin(FileStoreTable table) {
        this.consumers = new ConsumerManager(table.fileIO(), table.location());
    }

    /** Pins a snapshot and all later ones if nothing is pinned yet. */
    void ensure(long snapshotId) {
        if (consumers.consumer(CONSUMER).isEmpty()) {
            moveTo(snapshotId);
        }
    }

    /** Gives all snapshots free. */
    void remove() {
        consumers.deleteConsumer(CONSUMER);
    }

    /** Pins a snapshot and all later ones; gives those before it free. */
    void moveTo(long snapshotId) {
        consumers.resetConsumer(CONSUMER, new Consumer(snapshotId));
    }
}
