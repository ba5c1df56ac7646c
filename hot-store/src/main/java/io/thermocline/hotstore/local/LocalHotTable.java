package io.thermocline.hotstore.local;

import io.thermocline.hotstore.Absorption;
import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.LookupResult;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TableHistory;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.local.bucket.TableEnds;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A client's view of a table of this store. */
final class LocalHotTable implements HotTable {

    private final TableState state;
    private final PendingBytes pendingBytes;
    private final KeyIndexSnapshots snapshots;
    private final WriterEpochs writerEpochs;

    LocalHotTable(
            TableState state,
            PendingBytes pendingBytes,
            KeyIndexSnapshots snapshots,
            WriterEpochs writerEpochs) {
        this.state = state;
        this.pendingBytes = pendingBytes;
        this.snapshots = snapshots;
        this.writerEpochs = writerEpochs;
    }

    @Override
    public HotTableSpec spec() {
        return state.spec();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Waits while too many bytes are under way. Futures are completed on the thread that
     * publishes the table: what runs on their completion must be short and must not wait.
     */
    @Override
    public CompletableFuture<AppendResult> append(AppendBatch batch) {
        long bytes;
        int rows = batch.rows().rowCount();
        try {
            state.buckets().checkOpen();
            checkBucket(batch.bucket());
            writerEpochs.check(batch.writer());
            bytes = batch.rows().sizeBytes();
            pendingBytes.acquire(bytes);
        } catch (RuntimeException e) {
            batch.rows().close();
            return CompletableFuture.failedFuture(e);
        }
        state.touch();
        CompletableFuture<AppendResult> answer = new CompletableFuture<>();
        CompletableFuture<AppendResult> applied = new CompletableFuture<>();
        applied.whenComplete(
                (result, failure) -> {
                    pendingBytes.release(bytes);
                    if (failure == null) {
                        state.work().appended(rows, bytes);
                        answer.complete(result);
                    } else {
                        state.work().appendFailed();
                        answer.completeExceptionally(failure);
                    }
                });
        state.buckets().append(batch, applied);
        return answer;
    }

    @Override
    public WriterEpoch beginWriter(UUID writerId) {
        state.buckets().checkOpen();
        return new WriterEpoch(writerId, writerEpochs.next());
    }

    private void checkBucket(int bucket) {
        if (bucket < 0 || bucket >= state.spec().bucketCount()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "table "
                            + state.spec().path()
                            + " has the buckets 0 to "
                            + (state.spec().bucketCount() - 1)
                            + ", not "
                            + bucket);
        }
    }

    @Override
    public TableOffsets offsets(OffsetQuery query) {
        state.buckets().checkOpen();
        TableEnds ends = state.buckets().ends();
        if (query instanceof OffsetQuery.Earliest) {
            return state.starts(ends);
        }
        if (query instanceof OffsetQuery.AtTimestamp at) {
            return state.offsetsAt(at.timestampMillis(), ends);
        }
        return TableState.offsets(ends.ends(), ends);
    }

    @Override
    public ChangelogReader readChangelog(ChangelogScan scan) {
        state.buckets().checkOpen();
        checkBucket(scan.bucket());
        state.touch();
        return new LocalChangelogReader(state, scan);
    }

    @Override
    public CompletableFuture<LookupResult> lookup(LookupRequest request) {
        state.touch();
        try {
            state.buckets().checkOpen();
            LookupResult result = state.lookups().lookup(request);
            state.work().lookedUp(result);
            return CompletableFuture.completedFuture(result);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public KeyIndexSnapshot openKeyIndexSnapshot(long maxIdleMillis) {
        state.buckets().checkOpen();
        if (maxIdleMillis <= 0) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a key-index snapshot of table "
                            + state.spec().path()
                            + " needs a positive maxIdleMillis, not "
                            + maxIdleMillis);
        }
        state.touch();
        return snapshots.open(state, maxIdleMillis);
    }

    @Override
    public KeyIndexSnapshot attachKeyIndexSnapshot(String snapshotId) {
        state.buckets().checkOpen();
        return snapshots.attach(state, snapshotId);
    }

    @Override
    public String acquireLease(LeaseRequest request) {
        state.buckets().checkOpen();
        request.fromOffsets().keySet().forEach(this::checkBucket);
        return state.acquireLease(request);
    }

    @Override
    public void renewLease(String leaseId, Map<Integer, Long> fromOffsets) {
        state.buckets().checkOpen();
        fromOffsets.keySet().forEach(this::checkBucket);
        state.leases().renew(leaseId, fromOffsets);
    }

    @Override
    public void releaseLeases(Collection<String> leaseIds) {
        state.buckets().checkOpen();
        state.leases().release(leaseIds);
    }

    @Override
    public void reportTieredOffsets(Map<Integer, Long> tieredOffsets) {
        state.buckets().checkOpen();
        tieredOffsets.keySet().forEach(this::checkBucket);
        state.reportTieredOffsets(tieredOffsets);
    }

    @Override
    public TableOffsets detach() {
        state.buckets().checkOpen();
        if (!state.spec().isDraining()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the hot tier of table "
                            + state.spec().path()
                            + " is not being taken away: its lake table does not say so. Set its"
                            + " option 'hot.enabled' to 'false' first.");
        }
        state.touch();
        return TableState.offsets(state.buckets().detach().ends(), state.buckets().ends());
    }

    @Override
    public Absorption beginAbsorption(Map<Integer, Long> tieredOffsets) {
        state.buckets().checkOpen();
        state.touch();
        return LocalAbsorption.begin(state, pendingBytes, tieredOffsets);
    }

    @Override
    public List<BucketStatus> status() {
        state.buckets().checkOpen();
        return state.status();
    }

    @Override
    public TableHistory history() {
        state.buckets().checkOpen();
        return state.history();
    }

    @Override
    public void close() {
        // Nothing is held for one client.
    }
}
