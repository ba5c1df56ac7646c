package io.thermocline.unionread.plan;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.ReadFigures;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim in force at the hot store. Thread-safe. Whoever holds it renews it well within its age
 * and releases it in the end.
 */
public final class ReadLease {

    private static final Logger LOG = LoggerFactory.getLogger(ReadLease.class);

    private final HotTable table;
    private final LeaseHolder holder;
    private @Nullable KeyIndexSnapshot keyIndexSnapshot;

    private volatile Claim claim;
    private String leaseId;
    private boolean released;

    private ReadLease(
            HotTable table,
            LeaseHolder holder,
            Claim claim,
            @Nullable KeyIndexSnapshot keyIndexSnapshot) {
        this.table = table;
        this.holder = holder;
        this.claim = claim;
        this.keyIndexSnapshot = keyIndexSnapshot;
        this.leaseId = acquire(claim);
    }

    /**
     * Takes a lease. A key-index snapshot that is gone is not missed here: whoever still has to
     * read it finds out, and the rest stays claimed.
     */
    public static ReadLease take(HotTable table, LeaseHolder holder, Claim claim) {
        return new ReadLease(table, holder, claim, attach(table, claim));
    }

    private static @Nullable KeyIndexSnapshot attach(HotTable table, Claim claim) {
        if (claim.keyIndexSnapshotId() == null) {
            return null;
        }
        try {
            return table.attachKeyIndexSnapshot(claim.keyIndexSnapshotId());
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.SNAPSHOT_NOT_FOUND) {
                throw e;
            }
            return null;
        }
    }

    /** Takes a lease that also keeps a key-index snapshot, which it then owns. */
    static ReadLease take(HotTable table, LeaseHolder holder, KeyIndexSnapshot snapshot) {
        Claim claim =
                new Claim(
                        snapshot.offsets().offsets(),
                        LeaseRequest.NO_SNAPSHOT,
                        snapshot.snapshotId());
        try {
            return new ReadLease(table, holder, claim, snapshot);
        } catch (RuntimeException e) {
            snapshot.close();
            throw e;
        }
    }

    /** What is claimed now; never waits for the store. */
    public Claim claim() {
        return claim;
    }

    /** Renews the lease; takes a new one where the store has lost it. */
    public synchronized void renew() {
        if (released) {
            return;
        }
        keepSnapshotAlive();
        try {
            table.renewLease(leaseId, claim.fromOffsets());
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.LEASE_NOT_FOUND) {
                throw e;
            }
            leaseId = acquire(claim);
        }
    }

    private void keepSnapshotAlive() {
        if (keyIndexSnapshot == null) {
            return;
        }
        try {
            keyIndexSnapshot.keepAlive();
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.SNAPSHOT_NOT_FOUND) {
                throw e;
            }
            // it ended with the store that made it: the changelog must stay claimed all the same
            keyIndexSnapshot = null;
        }
    }

    /**
     * Moves the claim on the changelog forward; it is renewed on this occasion.
     *
     * @param read per bucket, the offset below which nothing is needed; buckets may be missing
     */
    public synchronized void moveTo(Map<Integer, Long> read) {
        claim = claim.movedTo(read);
        renew();
    }

    /** Gives the lake snapshot and the key-index snapshot back; the changelog stays claimed. */
    public synchronized void releaseState() {
        if (released || claim.isOfChangelogOnly()) {
            return;
        }
        Claim changelogOnly = Claim.ofOffsets(claim.fromOffsets());
        String previous = leaseId;
        leaseId = acquire(changelogOnly);
        claim = changelogOnly;
        KeyIndexSnapshot snapshot = keyIndexSnapshot;
        keyIndexSnapshot = null;
        try {
            table.releaseLeases(List.of(previous));
        } finally {
            if (snapshot != null) {
                snapshot.close();
            }
        }
    }

    /** Gives everything back. Does nothing the second time. */
    public synchronized void release() {
        if (released) {
            return;
        }
        released = true;
        try {
            table.releaseLeases(List.of(leaseId));
        } finally {
            if (keyIndexSnapshot != null) {
                keyIndexSnapshot.close();
            }
        }
    }

    /**
     * Tells the store what was read under this lease.
     *
     * @return false if that failed; it is never a reason for a read to fail
     */
    public boolean report(ReadFigures figures) {
        if (figures.equals(ReadFigures.NONE)) {
            return true;
        }
        try {
            table.history().reportReads(figures);
            return true;
        } catch (HotStoreException e) {
            LOG.debug("Figures of a read of {} were not reported", table.spec().path(), e);
            return false;
        }
    }

    private String acquire(Claim claimed) {
        return table.acquireLease(
                new LeaseRequest(
                        holder.name(),
                        claimed.fromOffsets(),
                        claimed.lakeSnapshotId(),
                        holder.maxAge().toMillis(),
                        holder.bounded()));
    }
}
