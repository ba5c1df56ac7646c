package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.LookupResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.binary.BinarySegmentUtils;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one lookup stream of encoded keys: a message of keys in, rows in Flink's binary form out.
 * One thread reads; answers come from the store's threads.
 */
final class LookupExchange {

    private static final Logger LOG = LoggerFactory.getLogger(LookupExchange.class);

    /** Messages of one client that are being worked on; the stream is not read above it. */
    private static final int MAX_UNDER_WAY = 16;

    /** Rows of an answer are cut into messages of about this size. */
    private static final int ANSWER_BYTES = 4 << 20;

    private final HotTable table;
    private final boolean prefix;
    private final List<String> projection;
    private final ServerStreamListener answers;
    private final BufferAllocator allocator;
    private final Semaphore underWay = new Semaphore(MAX_UNDER_WAY);
    private final RowDataSerializer serializer; // guarded by answers
    private boolean ended; // guarded by answers
    private volatile @Nullable RuntimeException unsent;

    LookupExchange(
            HotTable table,
            JsonNode command,
            ServerStreamListener answers,
            BufferAllocator allocator) {
        this.table = table;
        this.prefix = WireJson.field(command, "prefix").asBoolean();
        this.projection = WireJson.texts(command, "projection");
        this.serializer =
                new RowDataSerializer(WireBatch.project(table.spec().rowType(), projection));
        this.answers = answers;
        this.allocator = allocator;
    }

    static ObjectNode command(TableAddress address, boolean prefix, List<String> projection) {
        ObjectNode command =
                address.command()
                        .put(FlightProtocol.COMMAND, FlightProtocol.LOOKUP_BINARY)
                        .put("prefix", prefix);
        command.set("projection", WireJson.array(projection));
        return command;
    }

    void run(FlightStream requests) throws InterruptedException {
        VectorSchemaRoot root = WireLookups.answerRoot(allocator);
        try {
            synchronized (answers) {
                answers.start(root);
            }
            while (WireExchange.next(requests)) {
                checkSent();
                long requestId = LookupAnswer.requestId(WireExchange.metadata(requests));
                LookupRequest request = WireInput.read("a lookup", () -> read(requests.getRoot()));
                underWay.acquire();
                lookup(request)
                        .whenComplete(
                                (result, failure) -> {
                                    answer(root, requestId, result, failure);
                                    underWay.release();
                                });
                checkSent();
            }
            underWay.acquire(MAX_UNDER_WAY);
            synchronized (answers) {
                answers.completed();
            }
        } finally {
            synchronized (answers) {
                ended = true;
                root.close();
            }
        }
    }

    /** A client whose answer was not sent would wait for it: it is to ask again elsewhere. */
    private void checkSent() {
        RuntimeException cause = unsent;
        if (cause != null) {
            throw new HotStoreException(
                    ErrorCode.STORE_UNREACHABLE, "an answer could not be sent: " + cause, cause);
        }
    }

    private LookupRequest read(VectorSchemaRoot root) {
        IntVector buckets = (IntVector) root.getVector(FlightProtocol.BUCKET);
        VarBinaryVector keys = (VarBinaryVector) root.getVector(FlightProtocol.KEY);
        int[] bucketOf = new int[root.getRowCount()];
        List<byte[]> keyOf = new ArrayList<>(root.getRowCount());
        for (int i = 0; i < root.getRowCount(); i++) {
            bucketOf[i] = buckets.get(i);
            keyOf.add(keys.get(i));
        }
        return new LookupRequest(bucketOf, keyOf, prefix, projection);
    }

    private CompletableFuture<LookupResult> lookup(LookupRequest request) {
        try {
            return table.lookup(request);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answer(
            VectorSchemaRoot root, long requestId, LookupResult result, Throwable failure) {
        synchronized (answers) {
            if (ended || answers.isCancelled()) {
                return;
            }
            try {
                if (failure == null) {
                    putRows(root, requestId, result);
                } else {
                    HotStoreException error = WireErrors.toHotStore(failure);
                    LookupAnswer refusal =
                            LookupAnswer.failure(
                                    requestId, error.code().number(), error.getMessage());
                    answers.putMetadata(WireBuffers.copy(allocator, refusal.toBytes()));
                }
            } catch (RuntimeException e) {
                if (answers.isCancelled()) {
                    // the client has gone: it asks again
                    LOG.debug("lookup answer {} could not be sent", requestId, e);
                } else {
                    LOG.warn("a lookup answer could not be sent, the stream ends", e);
                    unsent = e;
                }
            }
        }
    }

    private void putRows(VectorSchemaRoot root, long requestId, LookupResult result) {
        IntVector indexes = (IntVector) root.getVector(FlightProtocol.KEY_INDEX);
        VarBinaryVector rows = (VarBinaryVector) root.getVector(FlightProtocol.ROW);
        root.clear();
        int count = 0;
        int bytes = 0;
        for (int key = 0; key < result.rows().size(); key++) {
            for (RowData found : result.rows().get(key)) {
                byte[] row = bytes(found);
                if (count > 0 && bytes + row.length > ANSWER_BYTES) {
                    put(root, count, LookupAnswer.rows(requestId, false));
                    count = 0;
                    bytes = 0;
                }
                indexes.setSafe(count, key);
                rows.setSafe(count, row);
                count++;
                bytes += row.length;
            }
        }
        put(root, count, LookupAnswer.rows(requestId, true));
    }

    private void put(VectorSchemaRoot root, int count, LookupAnswer metadata) {
        root.setRowCount(count);
        answers.putNext(WireBuffers.copy(allocator, metadata.toBytes()));
        root.clear();
    }

    private byte[] bytes(RowData row) {
        BinaryRowData binary = serializer.toBinaryRow(row);
        return BinarySegmentUtils.copyToBytes(
                binary.getSegments(), binary.getOffset(), binary.getSizeInBytes());
    }
}
