package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.local.bucket.Bucket;
import io.thermocline.hotstore.local.bucket.TableEnds;
import io.thermocline.hotstore.local.keyindex.KeyIndexView;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/** The key-index snapshots that are open. Thread-safe. */
final class KeyIndexSnapshots {

    private final ConcurrentHashMap<String, LocalKeyIndexSnapshot> open = new ConcurrentHashMap<>();
    private final Clock clock;

    KeyIndexSnapshots(Clock clock) {
        this.clock = clock;
    }

    KeyIndexSnapshot open(TableState state, long maxIdleMillis) {
        if (!state.spec().hasPrimaryKey()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "table " + state.spec().path() + " has no primary key and so no key index");
        }
        if (maxIdleMillis <= 0) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a key-index snapshot needs a positive idle time, not "
                            + maxIdleMillis
                            + " ms");
        }
        // Opening may replay; that must not hold up publishing.
        state.buckets().buckets().forEach(Bucket::keyIndex);
        CompletableFuture<LocalKeyIndexSnapshot> pinned = new CompletableFuture<>();
        state.buckets()
                .betweenRounds(
                        ends -> {
                            try {
                                pinned.complete(pin(state, ends, maxIdleMillis));
                            } catch (RuntimeException | Error e) {
                                pinned.completeExceptionally(e);
                            }
                        });
        try {
            LocalKeyIndexSnapshot snapshot = pinned.join();
            open.put(snapshot.snapshotId(), snapshot);
            try {
                // Whoever closes the table looks for its snapshots only once.
                state.buckets().checkOpen();
            } catch (HotStoreException e) {
                snapshot.close();
                throw e;
            }
            return snapshot;
        } catch (CompletionException e) {
            if (e.getCause() instanceof HotStoreException known) {
                throw known;
            }
            throw e;
        }
    }

    private LocalKeyIndexSnapshot pin(TableState state, TableEnds ends, long maxIdleMillis) {
        state.buckets().checkOpen();
        List<KeyIndexView> views = new ArrayList<>();
        try {
            for (Bucket bucket : state.buckets().buckets()) {
                KeyIndexView view = bucket.keyIndex().pin();
                views.add(view);
                if (view.appliedOffset() != ends.ends()[views.size() - 1]) {
                    // A full disk explains it, and is worth a try later.
                    state.buckets().checkWritable();
                    throw new HotStoreException(
                            ErrorCode.INTERNAL,
                            "the key index of bucket "
                                    + (views.size() - 1)
                                    + " of table "
                                    + state.spec().path()
                                    + " is at offset "
                                    + view.appliedOffset()
                                    + ", its changelog ends at "
                                    + ends.ends()[views.size() - 1]);
                }
            }
        } catch (RuntimeException e) {
            views.forEach(KeyIndexView::close);
            throw e;
        }
        TableOffsets offsets = TableState.offsets(ends.ends(), ends);
        return new LocalKeyIndexSnapshot(
                this, UUID.randomUUID().toString(), state, offsets, views, maxIdleMillis);
    }

    KeyIndexSnapshot attach(TableState state, String snapshotId) {
        LocalKeyIndexSnapshot snapshot = open.get(snapshotId);
        if (snapshot == null || snapshot.table() != state) {
            throw new HotStoreException(
                    ErrorCode.SNAPSHOT_NOT_FOUND,
                    "key-index snapshot "
                            + snapshotId
                            + " of table "
                            + state.spec().path()
                            + " is gone: it was closed, was not used for its idle time, or the hot"
                            + " store was restarted. Open a new one and start the read again.");
        }
        snapshot.keepAlive();
        return snapshot;
    }

    void closed(LocalKeyIndexSnapshot snapshot) {
        open.remove(snapshot.snapshotId(), snapshot);
    }

    long now() {
        return clock.millis();
    }

    int count() {
        return open.size();
    }

    /** Closes those that were not used for their idle time. */
    void closeIdle() {
        long now = now();
        for (LocalKeyIndexSnapshot snapshot : open.values()) {
            if (snapshot.isIdle(now)) {
                snapshot.close();
            }
        }
    }

    void closeOf(TableState state) {
        for (LocalKeyIndexSnapshot snapshot : open.values()) {
            if (snapshot.table() == state) {
                snapshot.close();
            }
        }
    }
}
