package io.thermocline.hotstore.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.local.TestStore.Change;
import io.thermocline.hotstore.local.TestStore.Logged;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Some tables, what they should hold, and a client that does all kinds of things to them. */
final class TorturedTables {

    private static final int KEYS = 25;
    private static final int MAX_STEPS = 60;
    private static final long LEASE_MILLIS = 600_000;
    private static final Map<String, String> OPTIONS = Map.of("hot.log.retention", "1 ms");

    private final Random random;
    private final List<Tortured> tables = new ArrayList<>();
    private TestStore store;
    private VolatileDisk disk;
    private boolean isFull;
    private boolean isSafe;

    TorturedTables(Random random) {
        this.random = random;
        tables.add(new Tortured(TestStore.primaryKeyTable("t", 2, OPTIONS)));
        tables.add(new Tortured(TestStore.logTable("l", 2, OPTIONS)));
        tables.add(new Tortured(TestStore.primaryKeyTable("dropped", 1, OPTIONS)));
    }

    private record Sent(long sequence, List<Change> changes) {}

    /** A bucket with its one writer. */
    private static final class Track {
        private BucketModel model;
        private UUID writer = UUID.randomUUID();
        private long sequence;
        private final List<Sent> unknown = new ArrayList<>();
        private long reported;
        private long safe;

        private Track(boolean hasKey) {
            model = new BucketModel(hasKey);
        }
    }

    private final class Tortured {
        private final HotTableSpec spec;
        private List<Track> tracks;
        private boolean maybeDropped;
        private boolean isMissing;
        private HotTable table;
        private String lease;
        private boolean leaseMayBeLost;
        private Map<Integer, Long> leased = Map.of();

        private Tortured(HotTableSpec spec) {
            this.spec = spec;
            tracks = newTracks();
        }

        private List<Track> newTracks() {
            List<Track> created = new ArrayList<>();
            for (int bucket = 0; bucket < spec.bucketCount(); bucket++) {
                created.add(new Track(spec.hasPrimaryKey()));
            }
            return created;
        }

        private void forget() {
            tracks = newTracks();
            lease = null;
            leased = Map.of();
            maybeDropped = false;
        }
    }

    /** Opens the tables of a store. */
    void open(TestStore opened) {
        store = opened;
        isFull = false;
        isSafe = false;
        for (Tortured each : tables) {
            each.table = store.create(each.spec);
            each.isMissing = false;
        }
    }

    /** A random history, until it is over or the power goes off. */
    void run(TestStore opened, VolatileDisk onDisk) {
        disk = onDisk;
        try {
            open(opened);
            resolve();
        } catch (HotStoreException e) {
            checkPowerIsOff(e);
        }
        if (isSafe) {
            return;
        }
        if (random.nextInt(4) > 0) {
            disk.losePowerAfter(1 + random.nextInt(200));
        }
        disk.beSlow(random.nextInt(4) == 0);
        int steps = random.nextInt(MAX_STEPS);
        for (int step = 0; step < steps && !isSafe; step++) {
            step();
        }
        // Whatever befell writing: what was acknowledged can be read.
        check();
    }

    private void checkPowerIsOff(HotStoreException e) {
        if (!disk.isDead() && !disk.hasFailedForce()) {
            throw e;
        }
        isSafe = true;
    }

    private void step() {
        int action = random.nextInt(100);
        Tortured some = tables.get(random.nextInt(tables.size()));
        try {
            openMissing();
            if (action < 60) {
                write();
            } else if (action < 70) {
                checkBucket(some, random.nextInt(some.tracks.size()));
            } else if (action < 80) {
                reportTiered(some);
            } else if (action < 85) {
                lease(some);
            } else if (action < 88) {
                checkSnapshot(some);
            } else if (action < 91) {
                drop();
            } else if (action < 96) {
                changeSpace();
            } else if (action < 97) {
                disk.failNextForce();
            } else {
                some.table = store.open(some.spec);
            }
        } catch (HotStoreException e) {
            if (!isFull || e.code() != ErrorCode.DISK_FULL) {
                checkPowerIsOff(e);
            }
        }
    }

    private void changeSpace() {
        if (isFull) {
            disk.makeSpace();
        } else {
            disk.fillAfter(random.nextInt(3000));
        }
        isFull = !isFull;
    }

    private void write() {
        Map<Tortured, List<Integer>> buckets = new LinkedHashMap<>();
        List<Runnable> answers = new ArrayList<>();
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            Tortured each = tables.get(random.nextInt(tables.size()));
            int bucket = random.nextInt(each.tracks.size());
            buckets.computeIfAbsent(each, key -> new ArrayList<>()).add(bucket);
            Track track = each.tracks.get(bucket);
            Sent sent = new Sent(track.sequence++, changes(each.spec.hasPrimaryKey()));
            CompletableFuture<AppendResult> answer = send(each, bucket, sent);
            answers.add(() -> take(track, sent, answer));
        }
        answers.forEach(Runnable::run);
    }

    private CompletableFuture<AppendResult> send(Tortured to, int bucket, Sent sent) {
        return store.append(
                to.table, bucket, to.tracks.get(bucket).writer, sent.sequence(), sent.changes());
    }

    private void take(Track track, Sent sent, CompletableFuture<AppendResult> answer) {
        AppendResult result;
        try {
            result = answer.join();
        } catch (CompletionException e) {
            refused(track, sent, (HotStoreException) e.getCause());
            return;
        }
        assertThat(track.unknown).as("batches before one that was acknowledged").isEmpty();
        apply(track, sent, result);
    }

    private static void apply(Track track, Sent sent, AppendResult result) {
        long base = track.model.end();
        track.model.apply(sent.changes());
        assertThat(result.baseOffset()).isEqualTo(base);
        assertThat(result.endOffset()).isEqualTo(track.model.end());
    }

    private void refused(Track track, Sent sent, HotStoreException e) {
        boolean isFirst = track.unknown.isEmpty();
        if (isFirst && (e.code() == ErrorCode.DISK_FULL || e.code() == ErrorCode.OUT_OF_SEQUENCE)) {
            assertThat(isFull).as("the disk was full: %s", e).isTrue();
            track.sequence = Math.min(track.sequence, sent.sequence());
            return;
        }
        track.unknown.add(sent);
        checkPowerIsOff(e);
    }

    private List<Change> changes(boolean hasKey) {
        List<Change> changes = new ArrayList<>();
        for (int i = 1 + random.nextInt(10); i > 0; i--) {
            long id = random.nextInt(KEYS);
            String value = random.nextInt(8) == 0 ? null : "v" + random.nextInt(5);
            changes.add(
                    hasKey && random.nextInt(4) == 0
                            ? Change.delete(id)
                            : Change.upsert(id, value));
        }
        return changes;
    }

    private void reportTiered(Tortured some) {
        Map<Integer, Long> tiered = new TreeMap<>();
        for (int bucket = 0; bucket < some.tracks.size(); bucket++) {
            Track track = some.tracks.get(bucket);
            long from = Math.min(track.reported, track.model.end());
            tiered.put(bucket, from + random.nextInt((int) (track.model.end() - from) + 1));
        }
        some.table.reportTieredOffsets(tiered);
        for (int bucket = 0; bucket < some.tracks.size(); bucket++) {
            Track track = some.tracks.get(bucket);
            track.safe = Math.max(track.safe, track.reported);
            track.reported = tiered.get(bucket);
        }
    }

    private void lease(Tortured some) {
        if (some.lease != null) {
            if (random.nextBoolean()) {
                some.table.renewLease(some.lease, some.leased);
            } else {
                String ended = some.lease;
                some.lease = null;
                some.leased = Map.of();
                some.table.releaseLeases(List.of(ended));
            }
            return;
        }
        Map<Integer, Long> from = new TreeMap<>();
        for (int bucket = 0; bucket < some.tracks.size(); bucket++) {
            from.put(bucket, some.tracks.get(bucket).model.end());
        }
        some.lease =
                some.table.acquireLease(
                        new LeaseRequest(
                                "torture", from, LeaseRequest.NO_SNAPSHOT, LEASE_MILLIS, false));
        some.leased = from;
        some.leaseMayBeLost = isFull || disk.isDead() || disk.hasFailedForce();
    }

    private void drop() {
        Tortured last = tables.get(tables.size() - 1);
        last.maybeDropped = true;
        try {
            store.store().dropTable(last.spec.tableId());
        } catch (HotStoreException e) {
            if (e.code() == ErrorCode.DISK_FULL) {
                last.maybeDropped = false;
            }
            throw e;
        }
        last.forget();
        last.isMissing = true;
        openMissing();
    }

    private void openMissing() {
        for (Tortured each : tables) {
            if (each.isMissing) {
                each.table = store.open(each.spec);
                each.isMissing = false;
            }
        }
    }

    /** Finds out what became of batches without an answer, and sends them again. */
    void resolve() {
        for (Tortured each : tables) {
            if (each.maybeDropped) {
                if (TestStore.end(each.table, 0) == 0) {
                    each.forget();
                }
                each.maybeDropped = false;
            }
            for (int bucket = 0; bucket < each.tracks.size(); bucket++) {
                resolve(each, bucket);
            }
            renewLease(each);
        }
        if (!isSafe) {
            check();
        }
    }

    private static void renewLease(Tortured of) {
        if (of.lease == null) {
            return;
        }
        try {
            of.table.renewLease(of.lease, of.leased);
        } catch (HotStoreException e) {
            if (!of.leaseMayBeLost || e.code() != ErrorCode.LEASE_NOT_FOUND) {
                throw e;
            }
            of.lease = null;
            of.leased = Map.of();
        }
    }

    private void resolve(Tortured in, int bucket) {
        Track track = in.tracks.get(bucket);
        long end = TestStore.end(in.table, bucket);
        BucketModel candidate = track.model.copy();
        int survived = 0;
        while (!isHeld(in, bucket, candidate, end)) {
            assertThat(survived)
                    .as(
                            "bucket %s of %s, which ends at %s, holds %s acknowledged records and"
                                    + " batches that followed",
                            bucket, in.spec.path(), end, track.model.end())
                    .isLessThan(track.unknown.size());
            candidate.apply(track.unknown.get(survived).changes());
            survived++;
        }
        while (!track.unknown.isEmpty() && !isSafe) {
            Sent sent = track.unknown.get(0);
            try {
                apply(track, sent, send(in, bucket, sent).join());
                track.unknown.remove(0);
            } catch (CompletionException e) {
                checkPowerIsOff((HotStoreException) e.getCause());
            }
        }
    }

    private static boolean isHeld(Tortured in, int bucket, BucketModel model, long end) {
        if (model.end() != end) {
            return false;
        }
        long start = TestStore.start(in.table, bucket);
        return TestStore.changelog(in.table, bucket, start)
                .equals(model.changelog.subList((int) start, model.changelog.size()));
    }

    /** Everything that was acknowledged can be read, and nothing else. */
    void check() {
        for (Tortured each : tables) {
            for (int bucket = 0; bucket < each.tracks.size(); bucket++) {
                if (!each.maybeDropped && !each.isMissing) {
                    checkBucket(each, bucket);
                }
            }
        }
    }

    private void checkBucket(Tortured in, int bucket) {
        Track track = in.tracks.get(bucket);
        BucketModel model = track.model;
        long start = TestStore.start(in.table, bucket);
        assertThat(start)
                .as("start of the changelog")
                .isBetween(0L, track.safe)
                .isLessThanOrEqualTo(in.leased.getOrDefault(bucket, Long.MAX_VALUE));
        List<Logged> found;
        while (true) {
            try {
                found = TestStore.changelog(in.table, bucket, start);
                break;
            } catch (HotStoreException e) {
                long later = TestStore.start(in.table, bucket);
                if (e.code() != ErrorCode.OFFSET_OUT_OF_RANGE || later == start) {
                    throw e;
                }
                start = later; // Retention was faster.
            }
        }
        assertThat(found)
                .as("changelog of bucket %s of %s from %s", bucket, in.spec.path(), start)
                .isEqualTo(model.changelog.subList((int) start, model.changelog.size()));
        if (!model.hasKey) {
            return;
        }
        try {
            checkRows(in, bucket, model);
        } catch (HotStoreException e) {
            // A key index that was not open before.
            if (!isSafe || !e.getMessage().contains("the power is off")) {
                throw e;
            }
        }
    }

    private static void checkRows(Tortured in, int bucket, BucketModel model) {
        for (long id = 0; id < KEYS; id++) {
            Optional<String> row;
            try {
                row = TestStore.lookup(in.table, bucket, id);
            } catch (CompletionException e) {
                throw e.getCause() instanceof HotStoreException known ? known : e;
            }
            assertThat(row)
                    .as("key %s of bucket %s of %s", id, bucket, in.spec.path())
                    .isEqualTo(
                            model.rows.containsKey(id)
                                    ? Optional.of(String.valueOf(model.rows.get(id)))
                                    : Optional.empty());
        }
        assertThat(in.table.status().get(bucket).keyIndexRows()).isEqualTo(model.rows.size());
    }

    private void checkSnapshot(Tortured some) {
        if (!some.spec.hasPrimaryKey()) {
            return;
        }
        List<BucketModel> models = some.tracks.stream().map(track -> track.model.copy()).toList();
        try (KeyIndexSnapshot snapshot = some.table.openKeyIndexSnapshot(60_000)) {
            write();
            for (int bucket = 0; bucket < models.size(); bucket++) {
                Map<Long, String> rows = new TreeMap<>();
                try (KeyIndexSnapshot.Scan scan = snapshot.scan(bucket, List.of("v", "id"))) {
                    for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
                        try (RowBatch open = batch) {
                            for (int i = 0; i < open.rowCount(); i++) {
                                rows.put(open.row(i).getLong(1), TestStore.text(open.row(i), 0));
                            }
                        }
                    }
                }
                assertThat(rows)
                        .as("snapshot of bucket %s", bucket)
                        .isEqualTo(models.get(bucket).rows);
            }
        }
    }
}
