package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.LookupResult;
import io.thermocline.hotstore.arrow.ArrowTypes;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.key.KeyEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Serves lookups for clients that know nothing of our key encoding: key columns in, rows out, both
 * as plain Arrow columns. One answer batch per request batch.
 */
final class ColumnLookupExchange {

    private final HotTable table;
    private final List<String> projection;
    private final RowType answerType;
    private final ServerStreamListener answers;
    private final BufferAllocator allocator;

    ColumnLookupExchange(
            HotTable table,
            JsonNode command,
            ServerStreamListener answers,
            BufferAllocator allocator) {
        this.table = table;
        this.projection =
                command.hasNonNull("projection")
                        ? WireJson.texts(command, "projection")
                        : table.spec().rowType().getFieldNames();
        List<RowType.RowField> fields = new ArrayList<>();
        fields.add(new RowType.RowField(FlightProtocol.KEY_INDEX, new IntType(false)));
        fields.addAll(WireBatch.project(table.spec().rowType(), projection).getFields());
        this.answerType = new RowType(false, fields);
        this.answers = answers;
        this.allocator = allocator;
    }

    void run(FlightStream requests) throws InterruptedException {
        try (VectorSchemaRoot root =
                VectorSchemaRoot.create(ArrowTypes.schemaOf(answerType), allocator)) {
            answers.start(root);
            while (WireExchange.next(requests)) {
                if (requests.hasRoot()) {
                    try (RowBatch found = find(keys(requests));
                            ArrowRecordBatch shared =
                                    new VectorUnloader(found.vectors()).getRecordBatch()) {
                        new VectorLoader(root).load(shared);
                        answers.putNext();
                    }
                    root.clear();
                }
            }
            answers.completed();
        }
    }

    private List<byte[]> keys(FlightStream requests) {
        return WireInput.read("a lookup", () -> read(requests.getRoot()));
    }

    private List<byte[]> read(VectorSchemaRoot root) {
        List<String> columns =
                root.getSchema().getFields().stream().map(field -> field.getName()).toList();
        List<String> keyOrder = KeyEncoder.keyOrder(table.spec());
        if (columns.isEmpty()
                || columns.size() > keyOrder.size()
                || !new HashSet<>(columns)
                        .equals(new HashSet<>(keyOrder.subList(0, columns.size())))) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "cannot look up "
                            + table.spec().path()
                            + " by columns "
                            + columns
                            + ": they must be its key columns "
                            + keyOrder
                            + ", or the first ones of them");
        }
        KeyEncoder encoder =
                columns.size() == keyOrder.size()
                        ? KeyEncoder.forRows(table.spec(), columns)
                        : KeyEncoder.forPrefix(table.spec(), columns, columns.size());
        List<byte[]> keys = new ArrayList<>(root.getRowCount());
        try (RowBatch batch =
                RowBatches.wrap(
                        WireBatch.project(table.spec().rowType(), columns),
                        WireBatch.move(root, 0, allocator),
                        null)) {
            for (int row = 0; row < batch.rowCount(); row++) {
                keys.add(encoder.encode(batch.row(row)));
            }
        }
        return keys;
    }

    private RowBatch find(List<byte[]> keys) throws InterruptedException {
        int[] buckets = new int[keys.size()];
        Arrays.fill(buckets, LookupRequest.ALL_BUCKETS);
        LookupResult result;
        try {
            // a whole key is a prefix that only its own row has
            result = table.lookup(new LookupRequest(buckets, keys, true, projection)).get();
        } catch (ExecutionException e) {
            throw WireErrors.toHotStore(e);
        }
        try (RowBatchBuilder builder = new RowBatchBuilder(answerType, allocator)) {
            for (int key = 0; key < keys.size(); key++) {
                GenericRowData index = GenericRowData.of(key);
                for (RowData row : result.rows().get(key)) {
                    builder.append(new JoinedRowData(index, row));
                }
            }
            return builder.finish();
        }
    }
}
