package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import java.time.Duration;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Serves one changelog scan: a batch goes out the moment the reader has it and the client takes it.
 * Runs on a thread of its own; cancelled from gRPC's.
 */
final class ScanStream {

    /**
     * How long the reader waits at a time; only bounds how late a silent cancellation is noticed.
     */
    private static final Duration POLL = Duration.ofSeconds(1);

    private final ServerStreamListener listener;
    private final BufferAllocator allocator;
    private final ReadyGate gate;
    private volatile @Nullable ChangelogReader reader;

    /** Must be created inside the gRPC callback, before it returns. */
    ScanStream(ServerStreamListener listener, BufferAllocator allocator) {
        this.listener = listener;
        this.allocator = allocator;
        this.gate = new ReadyGate(listener, this::wakeUp);
    }

    static ObjectNode command(TableAddress address, ChangelogScan scan) {
        ObjectNode command =
                address.command()
                        .put(FlightProtocol.COMMAND, FlightProtocol.SCAN)
                        .put("bucket", scan.bucket())
                        .put("startOffset", scan.startOffset())
                        .put("endOffset", scan.endOffset());
        command.set("projection", WireJson.array(scan.projection()));
        if (scan.skipFilter() != null) {
            command.set("skipFilter", PredicateJson.write(scan.skipFilter()));
        }
        return command;
    }

    static ChangelogScan scan(JsonNode command, HotTable table) {
        return new ChangelogScan(
                WireJson.integer(command, "bucket"),
                WireJson.number(command, "startOffset"),
                command.hasNonNull("endOffset")
                        ? WireJson.number(command, "endOffset")
                        : ChangelogScan.UNBOUNDED,
                command.hasNonNull("projection")
                        ? WireJson.texts(command, "projection")
                        : table.spec().rowType().getFieldNames(),
                command.hasNonNull("skipFilter")
                        ? WireInput.read(
                                "field 'skipFilter'",
                                () -> PredicateJson.read(command.get("skipFilter")))
                        : null);
    }

    void run(HotTable table, ChangelogScan scan) throws InterruptedException {
        try (ChangelogReader opened = open(table, scan);
                VectorSchemaRoot root =
                        WireBatch.root(
                                WireBatch.project(table.spec().rowType(), scan.projection()),
                                allocator)) {
            reader = opened;
            listener.setUseZeroCopy(true);
            listener.start(root);
            // tells the client that the scan is open, before there are rows
            long sent = scan.startOffset();
            putPosition(sent);
            // not read before it can be sent: a slow client holds no batch in memory
            while (!opened.isFinished() && !listener.isCancelled() && gate.awaitReady()) {
                ChangelogBatch batch = opened.poll(POLL);
                if (batch != null) {
                    sent = opened.position();
                    put(root, batch, sent);
                } else if (opened.position() != sent) {
                    sent = opened.position();
                    putPosition(sent);
                }
            }
            if (opened.position() != sent) {
                putPosition(opened.position());
            }
            if (!listener.isCancelled()) {
                listener.completed();
            }
        } finally {
            reader = null;
        }
    }

    private static ChangelogReader open(HotTable table, ChangelogScan scan) {
        return scan.skipFilter() == null
                ? table.readChangelog(scan)
                // its literals may not be of their columns' types
                : WireInput.read("field 'skipFilter'", () -> table.readChangelog(scan));
    }

    private void put(VectorSchemaRoot root, ChangelogBatch batch, long position) {
        try (batch) {
            WireBatch.load(batch.rows(), root, allocator);
            listener.putNext(
                    new ScanMetadata(
                                    position,
                                    batch.baseOffset(),
                                    batch.commitTimestamps(),
                                    batch.mark())
                            .write(allocator));
            root.clear();
        }
    }

    private void putPosition(long position) throws InterruptedException {
        if (gate.awaitReady()) {
            listener.putMetadata(ScanMetadata.position(position).write(allocator));
        }
    }

    private void wakeUp() {
        ChangelogReader open = reader;
        if (open != null) {
            open.wakeUp();
        }
    }
}
