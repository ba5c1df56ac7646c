package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.journal.EntryKind;
import io.thermocline.hotstore.local.journal.JournalEntry;
import io.thermocline.hotstore.local.journal.JournalPlace;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Says in the journal that a table was dropped. */
final class DropEntry implements JournalEntry {

    private final UUID tableId;
    private final Consumer<Boolean> dropped;
    private final CompletableFuture<Void> done;

    /**
     * @param tableId the table
     * @param dropped is told whether the table counts as dropped, under the journal's lock
     * @param done is completed once the entry is durable
     */
    DropEntry(UUID tableId, Consumer<Boolean> dropped, CompletableFuture<Void> done) {
        this.tableId = tableId;
        this.dropped = dropped;
        this.done = done;
    }

    @Override
    public EntryKind kind() {
        return EntryKind.DROP;
    }

    @Override
    public UUID tableId() {
        return tableId;
    }

    @Override
    public int bucket() {
        return 0;
    }

    @Override
    public int sizeBytes() {
        return 0;
    }

    @Override
    public boolean isAdmissible() {
        dropped.accept(true);
        return true;
    }

    @Override
    public ByteBuffer[] seal(long commitTimestamp) {
        return new ByteBuffer[0];
    }

    @Override
    public void placed(JournalPlace place) {
        // Its place does not matter.
    }

    @Override
    public void revoke() {
        dropped.accept(false);
    }

    void durable() {
        done.complete(null);
    }

    void failed(HotStoreException cause) {
        done.completeExceptionally(cause);
    }
}
