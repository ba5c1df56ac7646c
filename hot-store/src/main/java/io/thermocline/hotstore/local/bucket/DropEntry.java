package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.journal.EntryKind;
import io.thermocline.hotstore.local.journal.JournalEntry;
import io.thermocline.hotstore.local.journal.JournalPlace;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Says in the journal that a table was dropped. */
final class DropEntry implements JournalEntry {

    private final UUID tableId;
    private final Runnable onSubmit;
    private final CompletableFuture<Void> done;

    DropEntry(UUID tableId, Runnable onSubmit, CompletableFuture<Void> done) {
        this.tableId = tableId;
        this.onSubmit = onSubmit;
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
        onSubmit.run();
        return true;
    }

    @Override
    public ByteBuffer[] seal(long commitTimestamp) {
        return new ByteBuffer[0];
    }

    @Override
    public void placed(JournalPlace place) {
        done.complete(null);
    }

    @Override
    public void revoke() {
        // The table is closed and stays so; its data goes with the next attempt to drop it.
    }

    void failed(HotStoreException cause) {
        done.completeExceptionally(cause);
    }
}
