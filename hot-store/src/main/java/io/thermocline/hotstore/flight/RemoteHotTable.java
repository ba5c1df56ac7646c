package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** A table behind Flight. Thread-safe. */
final class RemoteHotTable implements HotTable {

    private final FlightConnection connection;
    private final HotTableSpec spec;
    private final Consumer<RemoteHotTable> onClose;
    private final AppendStream appends;
    private final ConcurrentHashMap<LookupKind, LookupStream> lookups = new ConcurrentHashMap<>();

    RemoteHotTable(
            FlightConnection connection, HotTableSpec spec, Consumer<RemoteHotTable> onClose) {
        this.onClose = onClose;
        this.connection = connection;
        this.spec = spec;
        this.appends = new AppendStream(connection, spec);
    }

    /** Lookups that can share a stream. */
    private record LookupKind(boolean prefix, List<String> projection) {}

    @Override
    public HotTableSpec spec() {
        return spec;
    }

    @Override
    public CompletableFuture<AppendResult> append(AppendBatch batch) {
        return appends.append(batch);
    }

    @Override
    public WriterEpoch beginWriter(UUID writerId) {
        // Sent again after a lost connection, it gives a higher epoch, which is as good.
        byte[] answer =
                connection.action(
                        FlightProtocol.BEGIN_WRITER,
                        command().put("writerId", writerId.toString()));
        return new WriterEpoch(writerId, WireJson.number(WireJson.parse(answer), "epoch"));
    }

    @Override
    public TableOffsets offsets(OffsetQuery query) {
        ObjectNode command = command();
        if (query instanceof OffsetQuery.AtTimestamp at) {
            command.put("position", "timestamp").put("timestampMillis", at.timestampMillis());
        } else {
            command.put("position", query instanceof OffsetQuery.Earliest ? "earliest" : "latest");
        }
        return WireJson.value(
                connection.action(FlightProtocol.OFFSETS, command), TableOffsets.class);
    }

    @Override
    public ChangelogReader readChangelog(ChangelogScan scan) {
        return RemoteChangelogReader.open(connection, spec, scan);
    }

    @Override
    public CompletableFuture<LookupResult> lookup(LookupRequest request) {
        return lookups.computeIfAbsent(
                        new LookupKind(request.prefix(), request.projection()),
                        kind ->
                                new LookupStream(
                                        connection, spec, kind.prefix(), kind.projection()))
                .lookup(request.buckets(), request.keys());
    }

    @Override
    public KeyIndexSnapshot openKeyIndexSnapshot(long maxIdleMillis) {
        return RemoteKeyIndexSnapshot.read(
                connection,
                spec,
                connection.action(
                        FlightProtocol.OPEN_SNAPSHOT,
                        command().put("maxIdleMillis", maxIdleMillis)));
    }

    @Override
    public KeyIndexSnapshot attachKeyIndexSnapshot(String snapshotId) {
        return RemoteKeyIndexSnapshot.read(
                connection,
                spec,
                connection.action(
                        FlightProtocol.ATTACH_SNAPSHOT, command().put("snapshotId", snapshotId)));
    }

    @Override
    public String acquireLease(LeaseRequest request) {
        ObjectNode command =
                command()
                        .put("holder", request.holder())
                        .put("lakeSnapshotId", request.lakeSnapshotId())
                        .put("maxAgeMillis", request.maxAgeMillis())
                        .put("bounded", request.bounded());
        command.set("fromOffsets", WireJson.offsets(request.fromOffsets()));
        return WireJson.text(
                WireJson.parse(connection.action(FlightProtocol.ACQUIRE_LEASE, command)),
                "leaseId");
    }

    @Override
    public void renewLease(String leaseId, Map<Integer, Long> fromOffsets) {
        ObjectNode command = command().put("leaseId", leaseId);
        command.set("fromOffsets", WireJson.offsets(fromOffsets));
        connection.action(FlightProtocol.RENEW_LEASE, command);
    }

    @Override
    public void releaseLeases(Collection<String> leaseIds) {
        ObjectNode command = command();
        command.set("leaseIds", WireJson.array(leaseIds));
        connection.action(FlightProtocol.RELEASE_LEASES, command);
    }

    @Override
    public void reportTieredOffsets(Map<Integer, Long> tieredOffsets) {
        ObjectNode command = command();
        command.set("tieredOffsets", WireJson.offsets(tieredOffsets));
        connection.action(FlightProtocol.REPORT_TIERED, command);
    }

    @Override
    public TableOffsets detach() {
        return WireJson.value(
                connection.action(FlightProtocol.DETACH_TABLE, command()), TableOffsets.class);
    }

    @Override
    public List<BucketStatus> status() {
        return List.of(
                WireJson.value(
                        connection.action(FlightProtocol.STATUS, command()), BucketStatus[].class));
    }

    @Override
    public TableHistory history() {
        return new RemoteTableHistory(connection, this::command);
    }

    private ObjectNode command() {
        return TableAddress.of(spec.path(), spec.tableId()).command();
    }

    @Override
    public void close() {
        appends.close();
        lookups.values().forEach(LookupStream::close);
        onClose.accept(this);
    }
}
