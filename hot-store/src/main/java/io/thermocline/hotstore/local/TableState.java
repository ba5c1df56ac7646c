package io.thermocline.hotstore.local;

import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.local.bucket.Bucket;
import io.thermocline.hotstore.local.bucket.TableBuckets;
import io.thermocline.hotstore.local.bucket.TableContext;
import io.thermocline.hotstore.local.bucket.TableEnds;
import io.thermocline.hotstore.local.keyindex.KeyIndex;
import io.thermocline.hotstore.local.segment.GroupPlace;
import io.thermocline.hotstore.local.segment.GroupReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A table of this store while the store is open. Thread-safe. */
final class TableState {

    private static final Logger LOG = LoggerFactory.getLogger(TableState.class);

    private final TableContext context;
    private final TableBuckets buckets;
    private final Changelogs changelogs;
    private final Leases leases;
    private final Lookups lookups;
    private final LocalTableHistory history;
    private final WorkCounters work = new WorkCounters();
    private final Clock clock;
    private final AtomicIntegerArray tailingReaders;
    private final Object retentionLock = new Object();
    private final long[] reportedOffsets; // guarded by retentionLock
    private final long[] safeOffsets; // guarded by retentionLock
    private final AtomicBoolean absorbing = new AtomicBoolean();
    private volatile TableFile definition;
    private volatile long lastUsed;

    /**
     * @param definition as in {@code table.json}
     * @param context what its buckets work with
     * @param buckets its buckets, with everything recovered
     * @param changelogs its segments
     * @param leases its leases
     * @param history what happened to it
     * @param clock wall clock
     */
    TableState(
            TableFile definition,
            TableContext context,
            TableBuckets buckets,
            Changelogs changelogs,
            Leases leases,
            LocalTableHistory history,
            Clock clock) {
        this.definition = definition;
        this.context = context;
        this.buckets = buckets;
        this.changelogs = changelogs;
        this.leases = leases;
        this.history = history;
        this.clock = clock;
        this.lookups = new Lookups(context.spec(), buckets);
        this.reportedOffsets = new long[buckets.buckets().size()];
        this.safeOffsets = new long[reportedOffsets.length];
        this.tailingReaders = new AtomicIntegerArray(reportedOffsets.length);
        this.lastUsed = clock.millis();
    }

    /** Whether the caller may take rows of the lake over: one at a time may. */
    boolean claimAbsorption() {
        return absorbing.compareAndSet(false, true);
    }

    void releaseAbsorption() {
        absorbing.set(false);
    }

    HotTableSpec spec() {
        return definition.spec();
    }

    TableFile definition() {
        return definition;
    }

    void define(TableFile newer) {
        definition = newer;
    }

    UUID tableId() {
        return context.tableId();
    }

    Path directory() {
        return context.directory();
    }

    BufferAllocator allocator() {
        return context.allocator();
    }

    TableBuckets buckets() {
        return buckets;
    }

    Changelogs changelogs() {
        return changelogs;
    }

    void tailingReaderOpened(int bucket) {
        tailingReaders.incrementAndGet(bucket);
    }

    void tailingReaderEnded(int bucket) {
        tailingReaders.decrementAndGet(bucket);
    }

    Leases leases() {
        return leases;
    }

    LocalTableHistory history() {
        return history;
    }

    WorkCounters work() {
        return work;
    }

    Lookups lookups() {
        return lookups;
    }

    /** Notes that somebody works with the table. */
    void touch() {
        lastUsed = clock.millis();
    }

    long lastUsed() {
        return lastUsed;
    }

    static TableOffsets offsets(long[] offsets, TableEnds ends) {
        Map<Integer, Long> byBucket = new TreeMap<>();
        for (int bucket = 0; bucket < offsets.length; bucket++) {
            byBucket.put(bucket, offsets[bucket]);
        }
        return new TableOffsets(byBucket, ends.commitTimestamp());
    }

    TableOffsets starts(TableEnds ends) {
        long[] starts = new long[ends.ends().length];
        for (int bucket = 0; bucket < starts.length; bucket++) {
            starts[bucket] = changelogs.start(bucket);
        }
        return offsets(starts, ends);
    }

    TableOffsets offsetsAt(long timestamp, TableEnds ends) {
        long[] offsets = new long[ends.ends().length];
        for (Bucket bucket : buckets.buckets()) {
            int number = bucket.number();
            offsets[number] = offsetAt(bucket, timestamp, ends.ends()[number]);
        }
        return offsets(offsets, ends);
    }

    private long offsetAt(Bucket bucket, long timestamp, long end) {
        while (true) {
            GroupPlace group = bucket.groups().firstAtOrAfter(timestamp);
            if (group == null || group.baseOffset() >= end) {
                return end;
            }
            if (group.minTimestamp() >= timestamp) {
                return group.baseOffset();
            }
            if (!group.file().claim()) {
                buckets.checkOpen();
                continue; // Replaced just now.
            }
            try {
                long[] timestamps = GroupReader.timestamps(group);
                int record = 0;
                while (timestamps[record] < timestamp) {
                    record++;
                }
                return Math.min(end, group.baseOffset() + record);
            } finally {
                group.file().release();
            }
        }
    }

    /** Takes a lease; what it asks for is there then, and stays. */
    String acquireLease(LeaseRequest request) {
        synchronized (retentionLock) {
            request.fromOffsets()
                    .forEach(
                            (bucket, offset) -> {
                                if (offset < changelogs.start(bucket)) {
                                    throw outOfRange(bucket, offset);
                                }
                            });
            return leases.acquire(request);
        }
    }

    HotStoreException outOfRange(int bucket, long offset) {
        return new HotStoreException(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                "offset "
                        + offset
                        + " of bucket "
                        + bucket
                        + " of table "
                        + spec().path()
                        + " cannot be read: the changelog holds "
                        + changelogs.start(bucket)
                        + " to "
                        + buckets.ends().ends()[bucket]
                        + " (exclusive). Start again from the lake (scan.startup.mode=full), and raise"
                        + " hot.log.retention if readers fall behind this far.");
    }

    void reportTieredOffsets(Map<Integer, Long> tieredOffsets) {
        TableEnds ends = buckets.ends();
        tieredOffsets.forEach(
                (bucket, offset) -> {
                    if (offset < 0) {
                        throw new HotStoreException(
                                ErrorCode.INVALID_ARGUMENT,
                                "a tiered offset of table "
                                        + spec().path()
                                        + " is negative: "
                                        + offset);
                    }
                    if (offset > ends.ends()[bucket]) {
                        throw new HotStoreException(
                                ErrorCode.TIERED_OFFSET_AHEAD,
                                "the lake holds bucket "
                                        + bucket
                                        + " of table "
                                        + spec().path()
                                        + " up to offset "
                                        + offset
                                        + ", but its changelog ends at "
                                        + ends.ends()[bucket]
                                        + ". The hot directory is older than the lake: restore the"
                                        + " newer one, or copy the rows of "
                                        + spec().path().getObjectName()
                                        + "$lake to a new table and drop this one.");
                    }
                });
        synchronized (retentionLock) {
            // One report later: a lake commit that is lost after all can be made again.
            System.arraycopy(reportedOffsets, 0, safeOffsets, 0, safeOffsets.length);
            tieredOffsets.forEach((bucket, offset) -> reportedOffsets[bucket] = offset);
        }
    }

    /** Deletes what retention no longer keeps. */
    void applyRetention() throws IOException {
        Retention retention = Retention.of(spec());
        synchronized (retentionLock) {
            leases.expire();
            long oldestKept = retention.oldestKept(clock.millis());
            long[] limits = new long[safeOffsets.length];
            for (Bucket bucket : buckets.buckets()) {
                int number = bucket.number();
                // Asking for the flushed offset opens the key index.
                if (changelogs.hasExpired(number, oldestKept)) {
                    limits[number] = limit(bucket, retention);
                }
            }
            changelogs.trim(limits, oldestKept);
        }
    }

    private long limit(Bucket bucket, Retention retention) {
        int number = bucket.number();
        long leased = leases.lowestOffset(number);
        long flushedWanted = changelogs.firstSegmentEnd(number);
        if (bucket.flushedOffset() < flushedWanted
                && retention.limit(safeOffsets[number], Long.MAX_VALUE, leased) >= flushedWanted) {
            flush(bucket); // Nothing else is in the way.
        }
        return retention.limit(safeOffsets[number], bucket.flushedOffset(), leased);
    }

    // Other buckets need no flush to let their segments go, which makes space for this one.
    private void flush(Bucket bucket) {
        try {
            bucket.flush();
        } catch (HotStoreException e) {
            LOG.warn(
                    "bucket {} of table {} keeps more of its changelog: {}",
                    bucket.number(),
                    spec().path(),
                    e.getMessage());
        }
    }

    /** Opens key indexes that are not open yet. */
    List<BucketStatus> status() {
        return buckets.buckets().stream()
                .map(bucket -> status(bucket, spec().hasPrimaryKey() ? bucket.keyIndex() : null))
                .toList();
    }

    /** Figures that cost little and open nothing. */
    TableFigures figures() {
        return new TableFigures(
                spec(),
                buckets.buckets().stream()
                        .map(bucket -> status(bucket, bucket.openedKeyIndex()))
                        .toList(),
                work.sum(),
                history.readTotal(),
                history.tieringTotal());
    }

    private BucketStatus status(Bucket bucket, @Nullable KeyIndex index) {
        int number = bucket.number();
        long end = buckets.ends().ends()[number];
        boolean indexed = spec().hasPrimaryKey();
        long unindexed = indexed ? BucketStatus.UNKNOWN : 0;
        long tiered;
        synchronized (retentionLock) {
            leases.expire();
            tiered = reportedOffsets[number];
        }
        return new BucketStatus(
                number,
                changelogs.start(number),
                end,
                index != null ? index.appliedOffset() : indexed ? BucketStatus.UNKNOWN : end,
                tiered,
                index != null ? index.rowCount() : unindexed,
                bucket.groups().sizeBytes(),
                index != null ? index.sizeBytes() : unindexed,
                leases.count(number),
                leases.countBounded(number),
                tailingReaders.get(number));
    }

    /** Readers and writers fail from now on. */
    void close() {
        history.flush();
        buckets.close();
        changelogs.close();
    }
}
