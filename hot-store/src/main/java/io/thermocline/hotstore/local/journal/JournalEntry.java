package io.thermocline.hotstore.local.journal;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Something to be made durable. Methods are called by the journal, in this order: {@link
 * #isAdmissible} while it is submitted; then either {@link #seal} and {@link #placed}, or {@link
 * #revoke}.
 */
public interface JournalEntry {

    /** What it is. */
    EntryKind kind();

    /** Table that it belongs to. */
    UUID tableId();

    /** Bucket that it belongs to; 0 where that means nothing. */
    int bucket();

    /** Bytes of the payload. */
    int sizeBytes();

    /**
     * Whether it still stands on valid ground: false once an earlier entry of the same bucket was
     * revoked. Called under the journal's lock.
     */
    boolean isAdmissible();

    /**
     * Gives the payload, now that its place in commit order is known. Called once, on the journal's
     * thread.
     *
     * @param commitTimestamp of the round, milliseconds since the epoch
     */
    ByteBuffer[] seal(long commitTimestamp);

    /** Tells where the payload is; it is durable. */
    void placed(JournalPlace place);

    /**
     * It was not written and never will be. Makes later entries of the same bucket inadmissible
     * until the bucket has gone back to its durable state. Called under the journal's lock.
     */
    void revoke();
}
