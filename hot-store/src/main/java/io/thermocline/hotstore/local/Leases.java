package io.thermocline.hotstore.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of a table. They outlive a restart of the store: each then starts its time again, with
 * the offsets it was acquired with. Thread-safe.
 */
final class Leases {

    static final String NAME = "leases.json";

    private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

    private static final int FORMAT_VERSION = 1;

    private final String table;
    private final Path file;
    private final StorageFiles files;
    private final Clock clock;
    private final Map<String, Lease> leases = new HashMap<>();
    private boolean unsaved;

    private static final class Lease {
        private final LeaseRequest request;
        private final Map<Integer, Long> fromOffsets;
        private long deadline;

        private Lease(LeaseRequest request, long now) {
            this.request = request;
            this.fromOffsets = new TreeMap<>(request.fromOffsets());
            this.deadline = deadline(now);
        }

        private long deadline(long now) {
            long end = now + request.maxAgeMillis();
            return end < now ? Long.MAX_VALUE : end;
        }
    }

    Leases(String table, Path directory, StorageFiles files, Clock clock) {
        this.table = table;
        this.file = directory.resolve(NAME);
        this.files = files;
        this.clock = clock;
    }

    /** Reads the leases that were in force when the store ended. */
    synchronized void load() {
        if (!Files.exists(file)) {
            return;
        }
        JsonNode content =
                JsonFile.read(
                        file,
                        FORMAT_VERSION,
                        "Delete it if no reader is in the middle of table " + table + ".");
        long now = clock.millis();
        for (JsonNode json : content.path("leases")) {
            Map<Integer, Long> from = new TreeMap<>();
            json.path("fromOffsets")
                    .fields()
                    .forEachRemaining(
                            field ->
                                    from.put(
                                            Integer.valueOf(field.getKey()),
                                            field.getValue().asLong()));
            LeaseRequest request =
                    new LeaseRequest(
                            json.path("holder").asText(),
                            from,
                            json.path("lakeSnapshotId").asLong(),
                            json.path("maxAgeMillis").asLong(),
                            json.path("bounded").asBoolean());
            leases.put(json.path("id").asText(), new Lease(request, now));
        }
    }

    /**
     * Takes a lease. It outlives a restart, unless the disk cannot be written: readers go on then,
     * and it is written once it can be.
     */
    synchronized String acquire(LeaseRequest request) {
        if (request.maxAgeMillis() <= 0) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a lease on table "
                            + table
                            + " needs a positive maximum age, not "
                            + request.maxAgeMillis()
                            + " ms");
        }
        String id = UUID.randomUUID().toString();
        leases.put(id, new Lease(request, clock.millis()));
        save();
        return id;
    }

    synchronized void renew(String id, Map<Integer, Long> fromOffsets) {
        expire();
        Lease lease = leases.get(id);
        if (lease == null) {
            throw new HotStoreException(
                    ErrorCode.LEASE_NOT_FOUND,
                    "lease "
                            + id
                            + " on table "
                            + table
                            + " has ended: it was released, or not renewed within its maximum age."
                            + " Acquire a new one, if the changelog still reaches back far enough.");
        }
        lease.deadline = lease.deadline(clock.millis());
        fromOffsets.forEach((bucket, offset) -> lease.fromOffsets.merge(bucket, offset, Math::max));
    }

    synchronized void release(Collection<String> ids) {
        if (leases.keySet().removeAll(Set.copyOf(ids))) {
            save();
        }
    }

    /** Ends the leases whose time is over. */
    synchronized void expire() {
        long now = clock.millis();
        if (leases.values().removeIf(lease -> lease.deadline <= now) || unsaved) {
            save();
        }
    }

    /** Lowest offset of a bucket that a lease needs; {@link Long#MAX_VALUE} if none does. */
    synchronized long lowestOffset(int bucket) {
        long lowest = Long.MAX_VALUE;
        for (Lease lease : leases.values()) {
            Long from = lease.fromOffsets.get(bucket);
            if (from != null) {
                lowest = Math.min(lowest, from);
            }
        }
        return lowest;
    }

    /** Lake snapshots under a lease. */
    synchronized Set<Long> lakeSnapshots() {
        Set<Long> snapshots = new TreeSet<>();
        for (Lease lease : leases.values()) {
            if (lease.request.lakeSnapshotId() != LeaseRequest.NO_SNAPSHOT) {
                snapshots.add(lease.request.lakeSnapshotId());
            }
        }
        return snapshots;
    }

    synchronized int count() {
        return leases.size();
    }

    /** Leases that claim a part of a bucket. */
    synchronized int count(int bucket) {
        return (int)
                leases.values().stream()
                        .filter(lease -> lease.fromOffsets.containsKey(bucket))
                        .count();
    }

    /** Leases that claim a part of a bucket and whose readers end by themselves. */
    synchronized int countBounded(int bucket) {
        return (int)
                leases.values().stream()
                        .filter(lease -> lease.request.bounded())
                        .filter(lease -> lease.fromOffsets.containsKey(bucket))
                        .count();
    }

    private void save() {
        ObjectNode json = JsonFile.JSON.createObjectNode();
        json.put(JsonFile.VERSION_FIELD, FORMAT_VERSION);
        ArrayNode list = json.putArray("leases");
        leases.forEach(
                (id, lease) -> {
                    ObjectNode entry = list.addObject();
                    entry.put("id", id);
                    entry.put("holder", lease.request.holder());
                    entry.put("lakeSnapshotId", lease.request.lakeSnapshotId());
                    entry.put("maxAgeMillis", lease.request.maxAgeMillis());
                    entry.put("bounded", lease.request.bounded());
                    ObjectNode from = entry.putObject("fromOffsets");
                    lease.fromOffsets.forEach((bucket, offset) -> from.put(bucket + "", offset));
                });
        try {
            JsonFile.write(file, json, files);
            unsaved = false;
        } catch (IOException e) {
            if (!unsaved) {
                LOG.warn("the leases of table {} are in memory only, for now", table, e);
            }
            unsaved = true;
        }
    }
}
