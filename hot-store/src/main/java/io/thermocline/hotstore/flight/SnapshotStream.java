package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.arrow.RowBatch;
import java.util.List;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Serves the scan of one bucket of a key-index snapshot. */
final class SnapshotStream {

    private final ServerStreamListener listener;
    private final BufferAllocator allocator;
    private final ReadyGate gate;

    /** Must be created inside the gRPC callback, before it returns. */
    SnapshotStream(ServerStreamListener listener, BufferAllocator allocator) {
        this.listener = listener;
        this.allocator = allocator;
        this.gate = new ReadyGate(listener, () -> {});
    }

    void run(HotTable table, KeyIndexSnapshot snapshot, JsonNode command)
            throws InterruptedException {
        List<String> projection = WireJson.texts(command, "projection");
        int bucket = WireJson.integer(command, "bucket");
        try (KeyIndexSnapshot.Scan scan = snapshot.scan(bucket, projection);
                VectorSchemaRoot root =
                        WireBatch.root(
                                WireBatch.project(table.spec().rowType(), projection), allocator)) {
            listener.setUseZeroCopy(true);
            listener.start(root);
            boolean more = true;
            while (more && gate.awaitReady()) {
                try (RowBatch batch = scan.next()) {
                    more = batch != null;
                    if (more) {
                        WireBatch.load(batch, root, allocator);
                        listener.putNext();
                        root.clear();
                    }
                }
            }
            if (!listener.isCancelled()) {
                listener.completed();
            }
        }
    }
}
