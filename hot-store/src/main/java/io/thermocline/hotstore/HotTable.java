package io.thermocline.hotstore;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * One table of a {@link HotStore}: a changelog per bucket and, for primary-key tables, a key index
 * per bucket. Thread-safe. Closing it releases client resources only.
 */
public interface HotTable extends AutoCloseable {

    /** The definition that the store works with. */
    HotTableSpec spec();

    /**
     * Appends a batch to one bucket, atomically. The future completes once the batch is durable and
     * visible to readers and lookups; batches of one writer to one bucket complete in order. A
     * repeated (writer, sequence) is applied once and answered with the first result, as long as it
     * is among the writer's last {@link AppendBatch#MAX_UNANSWERED} ones.
     *
     * <p>Where batches may be repeated, that is on every way to a store in another process, this
     * waits while {@link AppendBatch#MAX_UNANSWERED} batches of the writer to the bucket have no
     * answer. It also waits while too many bytes are under way. So it must not be called from the
     * completion of a batch.
     *
     * <p>On primary-key tables +I and +U rows are upserts, -D rows delete by key (only the key
     * columns are read), -U rows are ignored. On log tables every row must be +I.
     *
     * <p>Takes ownership of {@link AppendBatch#rows()} and closes it, on success and on failure.
     *
     * <p>The future fails with {@code FENCED} once a later epoch of the writer has written to the
     * bucket: this one is over. It fails with {@code TABLE_DETACHING} while the table's hot tier is
     * being taken away.
     */
    CompletableFuture<AppendResult> append(AppendBatch batch);

    /**
     * Begins a new life of a writer, so that what an earlier one still has under way can no longer
     * overwrite what this one writes. Earlier ones are refused bucket by bucket, with this one's
     * first batch there.
     *
     * @return the writer, with an epoch higher than any that the store has given before
     * @throws HotStoreException {@code STORE_FAILED} if the epoch cannot be made durable
     */
    WriterEpoch beginWriter(UUID writerId);

    /**
     * Positions of every bucket, as one consistent cut: a set of ends is never torn across a
     * table-wide commit.
     */
    TableOffsets offsets(OffsetQuery query);

    /**
     * Opens a reader of one bucket's changelog.
     *
     * @throws HotStoreException {@code OFFSET_OUT_OF_RANGE} if the start is below the earliest
     *     offset or above the end
     */
    ChangelogReader readChangelog(ChangelogScan scan);

    /**
     * Looks up rows by encoded key (see {@code KeyEncoder}). Completes exceptionally only when the
     * store stays unreachable for longer than the client's retry time; a missing key is an empty
     * list.
     */
    CompletableFuture<LookupResult> lookup(LookupRequest request);

    /**
     * Pins a view of the key index of all buckets at one consistent cut. The caller must close it;
     * the store closes it when it was not used for {@code maxIdleMillis}.
     *
     * @throws HotStoreException on a log table
     */
    KeyIndexSnapshot openKeyIndexSnapshot(long maxIdleMillis);

    /**
     * Attaches to a key-index snapshot that another process opened.
     *
     * @throws HotStoreException {@code SNAPSHOT_NOT_FOUND} if it was closed, expired, or lost with
     *     a restart of the store
     */
    KeyIndexSnapshot attachKeyIndexSnapshot(String snapshotId);

    /**
     * Claims a range of the changelog, and the lake snapshot it starts from: neither retention nor
     * snapshot expiry by tiering removes them while the lease is in force.
     *
     * @return the lease id
     */
    String acquireLease(LeaseRequest request);

    /**
     * Renews a lease and moves it forward.
     *
     * @throws HotStoreException {@code LEASE_NOT_FOUND} if it has ended
     */
    void renewLease(String leaseId, Map<Integer, Long> fromOffsets);

    /** Gives leases back. Unknown ids are ignored. */
    void releaseLeases(Collection<String> leaseIds);

    /**
     * Tells the store what the lake holds now, so that retention may move on.
     *
     * @param tieredOffsets per bucket, as committed in the newest lake snapshot
     * @throws HotStoreException {@code TIERED_OFFSET_AHEAD} if one lies above the changelog's end
     */
    void reportTieredOffsets(Map<Integer, Long> tieredOffsets);

    /**
     * Ends the changelog of a table whose hot tier is being taken away: puts a detach record behind
     * the last batch of every bucket. Appends are refused with {@code TABLE_DETACHING} since the
     * table was opened with a definition that says so; once this returns, everything that was
     * acknowledged lies before the returned offsets, and nothing comes behind them.
     *
     * @return the end of every bucket's changelog
     * @throws HotStoreException {@code INVALID_ARGUMENT} if the definition that the table was last
     *     opened with does not say that it is being detached
     */
    TableOffsets detach();

    /**
     * Begins to take over what other programs committed to the lake table. Possible only where the
     * store runs.
     *
     * @param tieredOffsets per bucket: what lies below is in the lake
     * @throws HotStoreException {@code INVALID_ARGUMENT} in another process, or while another one
     *     is under way
     */
    default Absorption beginAbsorption(Map<Integer, Long> tieredOffsets) {
        throw new HotStoreException(
                ErrorCode.INVALID_ARGUMENT,
                "rows of the lake table of "
                        + spec().path().getFullName()
                        + " can only be taken over by the process that has the hot store open");
    }

    /** Statistics of every bucket, in bucket order. */
    List<BucketStatus> status();

    /** What happened to the table. */
    TableHistory history();

    @Override
    void close();
}
