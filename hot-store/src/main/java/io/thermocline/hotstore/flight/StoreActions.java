package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.ReadFigures;
import io.thermocline.hotstore.TieringReport;
import java.util.List;
import java.util.UUID;

/** The small calls: JSON in, JSON out. Thread-safe. */
final class StoreActions {

    /** Action types with what they do, in the order they are listed. */
    static final List<String[]> DESCRIPTIONS =
            List.of(
                    new String[] {FlightProtocol.HANDSHAKE, "who the store is"},
                    new String[] {FlightProtocol.OPEN_TABLE, "open a table, get its definition"},
                    new String[] {FlightProtocol.BEGIN_WRITER, "give a writer its next epoch"},
                    new String[] {FlightProtocol.OFFSETS, "positions of every bucket"},
                    new String[] {FlightProtocol.STATUS, "figures of every bucket"},
                    new String[] {FlightProtocol.TIERING_ROUNDS, "the newest tiering rounds"},
                    new String[] {FlightProtocol.REPORT_TIERING, "tell of a tiering round"},
                    new String[] {FlightProtocol.READ_PERIODS, "what was read, by period"},
                    new String[] {FlightProtocol.REPORT_READS, "tell what was read"},
                    new String[] {FlightProtocol.ACQUIRE_LEASE, "claim a range"},
                    new String[] {FlightProtocol.RENEW_LEASE, "renew a claim"},
                    new String[] {FlightProtocol.RELEASE_LEASES, "give claims back"},
                    new String[] {FlightProtocol.REPORT_TIERED, "tell what the lake holds"},
                    new String[] {FlightProtocol.TIER, "run a tiering round"},
                    new String[] {FlightProtocol.DETACH_TABLE, "end a table's changelog"},
                    new String[] {FlightProtocol.DROP_TABLE, "remove a table's hot data"},
                    new String[] {FlightProtocol.OPEN_SNAPSHOT, "pin a view of the key index"},
                    new String[] {FlightProtocol.ATTACH_SNAPSHOT, "find a pinned view"},
                    new String[] {FlightProtocol.KEEP_SNAPSHOT, "keep a pinned view"},
                    new String[] {FlightProtocol.CLOSE_SNAPSHOT, "end a pinned view"},
                    new String[] {FlightProtocol.SHUTDOWN, "end the server in good order"});

    private final HotStore store;
    private final OpenTables tables;
    private final Runnable shutdown;

    StoreActions(HotStore store, OpenTables tables, Runnable shutdown) {
        this.store = store;
        this.tables = tables;
        this.shutdown = shutdown;
    }

    byte[] run(String type, byte[] body) {
        JsonNode command = body.length == 0 ? WireJson.object() : WireJson.parse(body);
        return switch (type) {
            case FlightProtocol.HANDSHAKE -> handshake();
            case FlightProtocol.OPEN_TABLE ->
                    WireJson.bytes(WireJson.spec(tables.open(TableAddress.read(command))));
            case FlightProtocol.BEGIN_WRITER -> beginWriter(command);
            case FlightProtocol.OFFSETS -> WireJson.bytes(table(command).offsets(query(command)));
            case FlightProtocol.STATUS -> WireJson.bytes(table(command).status());
            case FlightProtocol.TIERING_ROUNDS ->
                    WireJson.bytes(table(command).history().tieringRounds());
            case FlightProtocol.REPORT_TIERING ->
                    done(
                            () ->
                                    table(command)
                                            .history()
                                            .reportTiering(
                                                    WireJson.value(
                                                            command,
                                                            "report",
                                                            TieringReport.class)));
            case FlightProtocol.READ_PERIODS ->
                    WireJson.bytes(table(command).history().readPeriods());
            case FlightProtocol.REPORT_READS ->
                    done(
                            () ->
                                    table(command)
                                            .history()
                                            .reportReads(
                                                    WireJson.value(
                                                            command,
                                                            "figures",
                                                            ReadFigures.class)));
            case FlightProtocol.ACQUIRE_LEASE ->
                    WireJson.bytes(
                            WireJson.object()
                                    .put("leaseId", table(command).acquireLease(lease(command))));
            case FlightProtocol.RENEW_LEASE ->
                    done(
                            () ->
                                    table(command)
                                            .renewLease(
                                                    WireJson.text(command, "leaseId"),
                                                    WireJson.offsets(command, "fromOffsets")));
            case FlightProtocol.RELEASE_LEASES ->
                    done(() -> table(command).releaseLeases(WireJson.texts(command, "leaseIds")));
            case FlightProtocol.REPORT_TIERED ->
                    done(
                            () ->
                                    table(command)
                                            .reportTieredOffsets(
                                                    WireJson.offsets(command, "tieredOffsets")));
            case FlightProtocol.TIER -> tier(TableAddress.read(command));
            case FlightProtocol.DETACH_TABLE -> WireJson.bytes(table(command).detach());
            case FlightProtocol.DROP_TABLE ->
                    done(() -> tables.drop(WireJson.text(command, "tableId")));
            case FlightProtocol.OPEN_SNAPSHOT ->
                    snapshot(
                            table(command)
                                    .openKeyIndexSnapshot(
                                            WireJson.number(command, "maxIdleMillis")));
            case FlightProtocol.ATTACH_SNAPSHOT -> snapshot(attach(command));
            case FlightProtocol.KEEP_SNAPSHOT -> done(() -> attach(command).keepAlive());
            case FlightProtocol.CLOSE_SNAPSHOT -> done(() -> attach(command).close());
            case FlightProtocol.SHUTDOWN -> done(shutdown);
            default ->
                    throw new HotStoreException(
                            ErrorCode.INVALID_ARGUMENT,
                            "unknown action '" + type + "'; list the actions to see what there is");
        };
    }

    HotTable table(JsonNode command) {
        return tables.get(TableAddress.read(command));
    }

    KeyIndexSnapshot attach(JsonNode command) {
        return table(command).attachKeyIndexSnapshot(WireJson.text(command, "snapshotId"));
    }

    private byte[] handshake() {
        return WireJson.bytes(
                WireJson.object()
                        .put("protocolVersion", FlightProtocol.VERSION)
                        .put("storeId", store.identity().storeId())
                        .put("epoch", store.identity().epoch()));
    }

    private byte[] beginWriter(JsonNode command) {
        UUID writerId = WireJson.uuid(command, "writerId");
        return WireJson.bytes(
                WireJson.object().put("epoch", table(command).beginWriter(writerId).epoch()));
    }

    private byte[] tier(TableAddress address) {
        return WireJson.bytes(store.tier(address.path(), address.tableId()));
    }

    private static byte[] snapshot(KeyIndexSnapshot snapshot) {
        ObjectNode node =
                WireJson.object()
                        .put("snapshotId", snapshot.snapshotId())
                        .put("commitTimestamp", snapshot.offsets().commitTimestamp());
        node.set("offsets", WireJson.offsets(snapshot.offsets().offsets()));
        return WireJson.bytes(node);
    }

    private static byte[] done(Runnable action) {
        action.run();
        return WireJson.bytes(WireJson.object());
    }

    private static LeaseRequest lease(JsonNode command) {
        return new LeaseRequest(
                WireJson.text(command, "holder"),
                WireJson.offsets(command, "fromOffsets"),
                WireJson.number(command, "lakeSnapshotId"),
                WireJson.number(command, "maxAgeMillis"),
                WireJson.field(command, "bounded").asBoolean());
    }

    private static OffsetQuery query(JsonNode command) {
        String position = WireJson.text(command, "position");
        return switch (position) {
            case "earliest" -> new OffsetQuery.Earliest();
            case "latest" -> new OffsetQuery.Latest();
            case "timestamp" ->
                    new OffsetQuery.AtTimestamp(WireJson.number(command, "timestampMillis"));
            default ->
                    throw new HotStoreException(
                            ErrorCode.INVALID_ARGUMENT,
                            "unknown position '"
                                    + position
                                    + "'; use earliest, latest or timestamp");
        };
    }
}
