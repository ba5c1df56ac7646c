package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LookupResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * The lookups of one table handle with one projection. A request leaves at once when the line is
 * free and takes along what queued while the previous one was under way.
 */
final class LookupStream extends ExchangeStream {

    private final FlightConnection connection;
    private final int arity;
    private final Deque<Lookup> waiting = new ArrayDeque<>(); // guarded by waiting
    private boolean underWay; // guarded by waiting

    LookupStream(
            FlightConnection connection,
            HotTableSpec spec,
            boolean prefix,
            List<String> projection) {
        super(
                "lookup " + spec.path().getFullName(),
                connection,
                LookupExchange.command(
                        TableAddress.of(spec.path(), spec.tableId()), prefix, projection));
        this.connection = connection;
        this.arity = projection.size();
    }

    /** Keys of one caller. */
    private record Lookup(
            int[] buckets, List<byte[]> keys, CompletableFuture<LookupResult> future) {}

    CompletableFuture<LookupResult> lookup(int[] buckets, List<byte[]> keys) {
        Lookup lookup = new Lookup(buckets, keys, new CompletableFuture<>());
        synchronized (waiting) {
            waiting.add(lookup);
        }
        sendNext();
        return lookup.future();
    }

    private void sendNext() {
        List<Lookup> together = new ArrayList<>();
        synchronized (waiting) {
            if (underWay || waiting.isEmpty()) {
                return;
            }
            underWay = true;
            int keys = 0;
            do {
                Lookup lookup = waiting.remove();
                together.add(lookup);
                keys += lookup.keys().size();
            } while (!waiting.isEmpty()
                    && keys + waiting.peek().keys().size() <= connection.options().maxLookupKeys());
        }
        submit(new Batch(together));
    }

    @Override
    boolean smallMessages() {
        return true;
    }

    @Override
    VectorSchemaRoot newRequestRoot() {
        return WireLookups.requestRoot(connection.allocator());
    }

    @Override
    long receive(byte[] metadata, FlightStream stream) {
        LookupAnswer answer = LookupAnswer.read(metadata);
        if (!(unanswered(answer.requestId()) instanceof Batch batch)) {
            return answer.requestId();
        }
        if (answer.errorCode() != 0) {
            batch.fail(WireErrors.fromNumber(answer.errorCode(), answer.message()));
            return answer.requestId();
        }
        batch.add(stream.getRoot());
        if (!answer.last()) {
            return -1;
        }
        batch.complete();
        return answer.requestId();
    }

    private void lineIsFree() {
        synchronized (waiting) {
            underWay = false;
        }
        sendNext();
    }

    /** What is asked in one message. Used by one thread at a time. */
    private final class Batch implements Message {

        private final List<Lookup> lookups;
        private final List<List<RowData>> found = new ArrayList<>();

        private Batch(List<Lookup> lookups) {
            this.lookups = lookups;
        }

        @Override
        public void load(VectorSchemaRoot root) {
            IntVector buckets = (IntVector) root.getVector(FlightProtocol.BUCKET);
            VarBinaryVector keys = (VarBinaryVector) root.getVector(FlightProtocol.KEY);
            found.clear();
            int count = 0;
            for (Lookup lookup : lookups) {
                for (int i = 0; i < lookup.keys().size(); i++) {
                    buckets.setSafe(count, lookup.buckets()[i]);
                    keys.setSafe(count, lookup.keys().get(i));
                    found.add(List.of());
                    count++;
                }
            }
            root.setRowCount(count);
        }

        @Override
        public byte[] metadata(long requestId) {
            return LookupAnswer.request(requestId);
        }

        private void add(VectorSchemaRoot root) {
            IntVector indexes = (IntVector) root.getVector(FlightProtocol.KEY_INDEX);
            VarBinaryVector rows = (VarBinaryVector) root.getVector(FlightProtocol.ROW);
            for (int i = 0; i < root.getRowCount(); i++) {
                byte[] bytes = rows.get(i);
                MemorySegment segment = MemorySegmentFactory.wrap(bytes);
                BinaryRowData row = new BinaryRowData(arity);
                row.pointTo(segment, 0, bytes.length);
                int key = indexes.get(i);
                if (found.get(key).isEmpty()) {
                    found.set(key, new ArrayList<>(1));
                }
                found.get(key).add(row);
            }
        }

        private void complete() {
            lineIsFree();
            int key = 0;
            for (Lookup lookup : lookups) {
                int end = key + lookup.keys().size();
                lookup.future()
                        .complete(new LookupResult(new ArrayList<>(found.subList(key, end))));
                key = end;
            }
        }

        @Override
        public void fail(RuntimeException failure) {
            lineIsFree();
            lookups.forEach(lookup -> lookup.future().completeExceptionally(failure));
        }
    }
}
