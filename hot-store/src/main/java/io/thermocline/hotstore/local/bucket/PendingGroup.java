package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.format.EncodedGroup;
import io.thermocline.hotstore.local.journal.EntryKind;
import io.thermocline.hotstore.local.journal.JournalEntry;
import io.thermocline.hotstore.local.journal.JournalPlace;
import io.thermocline.hotstore.local.segment.GroupPlace;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A frame group on its way from the bucket through the journal to its readers. */
final class PendingGroup implements JournalEntry {

    private final Bucket bucket;
    private final @Nullable UUID writerId;
    private final EncodedGroup group;
    private final long baseOffset;
    private final int recordCount;
    private final List<Overlay.Change> changes;
    private final int addedRows;
    private final long generation;
    private final CompletableFuture<AppendResult> future;
    private @Nullable JournalPlace place;

    /**
     * @param bucket where it was applied
     * @param writerId whose batch it is made from; null for a control record and for rows of the
     *     lake
     * @param applied what the batch led to
     * @param generation of the bucket's state that it was applied to
     * @param future to be completed once it is visible
     */
    PendingGroup(
            Bucket bucket,
            @Nullable UUID writerId,
            Applied applied,
            long generation,
            CompletableFuture<AppendResult> future) {
        this.bucket = bucket;
        this.writerId = writerId;
        this.group = applied.group();
        this.baseOffset = applied.baseOffset();
        this.recordCount = applied.recordCount();
        this.changes = applied.changes();
        this.addedRows = applied.addedRows();
        this.generation = generation;
        this.future = future;
    }

    /**
     * @param group the encoded records
     * @param baseOffset offset of the first one
     * @param recordCount number of records, may be 0
     * @param changes for the key index
     * @param addedRows by how much they raise its number of rows
     */
    record Applied(
            EncodedGroup group,
            long baseOffset,
            int recordCount,
            List<Overlay.Change> changes,
            int addedRows) {}

    Bucket owner() {
        return bucket;
    }

    @Nullable UUID writerId() {
        return writerId;
    }

    long endOffset() {
        return baseOffset + recordCount;
    }

    List<Overlay.Change> changes() {
        return changes;
    }

    int addedRows() {
        return addedRows;
    }

    CompletableFuture<AppendResult> future() {
        return future;
    }

    AppendResult result() {
        return new AppendResult(baseOffset, endOffset(), place.commitTimestamp());
    }

    long commitTimestamp() {
        return place.commitTimestamp();
    }

    int recordCount() {
        return recordCount;
    }

    /** Gives the memory back, if the journal does not take the group. */
    void discard() {
        group.close();
    }

    GroupPlace groupPlace() {
        return new GroupPlace(
                baseOffset,
                recordCount,
                place.commitTimestamp(),
                place.commitTimestamp(),
                place.file().file(),
                place.position(),
                place.length());
    }

    @Override
    public EntryKind kind() {
        return EntryKind.GROUP;
    }

    @Override
    public UUID tableId() {
        return bucket.tableId();
    }

    @Override
    public int bucket() {
        return bucket.number();
    }

    @Override
    public int sizeBytes() {
        return group.totalBytes();
    }

    @Override
    public boolean isAdmissible() {
        return bucket.isCurrent(generation);
    }

    @Override
    public ByteBuffer[] seal(long commitTimestamp) {
        group.seal(baseOffset, commitTimestamp);
        return new ByteBuffer[] {group.bytes()};
    }

    @Override
    public void placed(JournalPlace newPlace) {
        place = newPlace;
        group.close();
    }

    @Override
    public void revoke() {
        bucket.revoked();
        group.close();
    }
}
