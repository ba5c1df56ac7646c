package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.flight.WireErrors.ConnectionLost;
import java.util.List;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A key-index snapshot that a server holds. It does not outlive that server. */
final class RemoteKeyIndexSnapshot implements KeyIndexSnapshot {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteKeyIndexSnapshot.class);

    private final FlightConnection connection;
    private final HotTableSpec spec;
    private final String snapshotId;
    private final TableOffsets offsets;

    private RemoteKeyIndexSnapshot(
            FlightConnection connection,
            HotTableSpec spec,
            String snapshotId,
            TableOffsets offsets) {
        this.connection = connection;
        this.spec = spec;
        this.snapshotId = snapshotId;
        this.offsets = offsets;
    }

    /** The snapshot that an action answered with. */
    static RemoteKeyIndexSnapshot read(
            FlightConnection connection, HotTableSpec spec, byte[] answer) {
        JsonNode node = WireJson.parse(answer);
        return new RemoteKeyIndexSnapshot(
                connection,
                spec,
                WireJson.text(node, "snapshotId"),
                new TableOffsets(
                        WireJson.offsets(node, "offsets"),
                        WireJson.number(node, "commitTimestamp")));
    }

    @Override
    public String snapshotId() {
        return snapshotId;
    }

    @Override
    public TableOffsets offsets() {
        return offsets;
    }

    @Override
    public Scan scan(int bucket, List<String> projection) {
        ObjectNode command =
                command()
                        .put(FlightProtocol.COMMAND, FlightProtocol.SNAPSHOT_SCAN)
                        .put("bucket", bucket);
        command.set("projection", WireJson.array(projection));
        RowType rowType = WireBatch.project(spec.rowType(), projection);
        return new RemoteScan(new Ticket(WireJson.bytes(command)), rowType);
    }

    @Override
    public void keepAlive() {
        connection.action(FlightProtocol.KEEP_SNAPSHOT, command());
    }

    @Override
    public void close() {
        try {
            connection.action(FlightProtocol.CLOSE_SNAPSHOT, command());
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.SNAPSHOT_NOT_FOUND) {
                throw e;
            }
        }
    }

    private ObjectNode command() {
        return TableAddress.of(spec.path(), spec.tableId()).command().put("snapshotId", snapshotId);
    }

    /** One stream. */
    private final class RemoteScan implements Scan {

        private final RowType rowType;
        private final Session held;
        private final FlightStream stream;
        private boolean open = true;

        private RemoteScan(Ticket ticket, RowType rowType) {
            this.rowType = rowType;
            this.held = connection.holdPatiently("scan of a key-index snapshot");
            this.stream = held.client().getStream(ticket);
        }

        @Override
        public @Nullable RowBatch next() {
            try {
                while (stream.next()) {
                    if (stream.getRoot().getRowCount() > 0) {
                        return WireBatch.take(stream.getRoot(), rowType, connection.allocator());
                    }
                }
                return null;
            } catch (RuntimeException e) {
                RuntimeException meaning = WireErrors.fromFlight(e);
                if (meaning instanceof ConnectionLost) {
                    throw new HotStoreException(
                            ErrorCode.SNAPSHOT_NOT_FOUND,
                            "the connection was lost while key-index snapshot "
                                    + snapshotId
                                    + " of "
                                    + spec.path()
                                    + " was scanned: "
                                    + meaning.getMessage()
                                    + ". Open a new snapshot",
                            meaning);
                }
                throw meaning;
            }
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                try {
                    stream.close();
                } catch (Exception e) {
                    LOG.debug("a cancelled scan reports its cancellation", e);
                } finally {
                    held.release();
                }
            }
        }
    }
}
