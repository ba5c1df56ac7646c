package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.table.types.logical.RowType;

/** The appends of one table handle: sent at once, kept until they are acknowledged. */
final class AppendStream extends ExchangeStream {

    private final FlightConnection connection;
    private final RowType rowType;
    private final ByteBudget budget;
    private final AppendWindow window = new AppendWindow(AppendBatch.MAX_UNANSWERED);

    AppendStream(FlightConnection connection, HotTableSpec spec) {
        super(
                "append " + spec.path().getFullName(),
                connection,
                TableAddress.of(spec.path(), spec.tableId())
                        .command()
                        .put(FlightProtocol.COMMAND, FlightProtocol.APPEND)
                        .put("schemaVersion", spec.schemaVersion()));
        this.connection = connection;
        this.rowType = spec.rowType();
        this.budget = new ByteBudget(connection.options().maxAppendBytes());
    }

    /** Waits while too many bytes, or too many batches of the writer, are unanswered. */
    CompletableFuture<AppendResult> append(AppendBatch batch) {
        long bytes = batch.rows().sizeBytes();
        boolean admitted = false;
        try {
            admitted = admit(batch, bytes);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            batch.rows().close();
            return CompletableFuture.failedFuture(
                    new HotStoreException(
                            ErrorCode.STORE_UNREACHABLE,
                            "interrupted while waiting for earlier appends to be acknowledged",
                            e));
        }
        if (!admitted) {
            batch.rows().close();
            return CompletableFuture.failedFuture(
                    new HotStoreException(ErrorCode.TABLE_CLOSED, "the table is closed"));
        }
        Append append = new Append(batch, bytes);
        submit(append);
        return append.future;
    }

    private boolean admit(AppendBatch batch, long bytes) throws InterruptedException {
        if (!window.acquire(batch)) {
            return false;
        }
        boolean admitted = false;
        try {
            admitted = budget.acquire(bytes);
        } finally {
            if (!admitted) {
                window.release(batch);
            }
        }
        return admitted;
    }

    @Override
    VectorSchemaRoot newRequestRoot() {
        return WireBatch.root(rowType, connection.allocator());
    }

    @Override
    long receive(byte[] metadata, FlightStream stream) {
        AppendMessage.Answer answer = AppendMessage.Answer.read(metadata);
        if (unanswered(answer.requestId()) instanceof Append append) {
            append.answer(answer);
        }
        return answer.requestId();
    }

    @Override
    public void close() {
        window.close();
        budget.close();
        super.close();
    }

    /** One batch on its way. */
    private final class Append implements Message {

        private final AppendBatch batch;
        private final long bytes;
        private final CompletableFuture<AppendResult> future = new CompletableFuture<>();

        private Append(AppendBatch batch, long bytes) {
            this.batch = batch;
            this.bytes = bytes;
        }

        @Override
        public void load(VectorSchemaRoot root) {
            WireBatch.load(batch.rows(), root, connection.allocator());
        }

        @Override
        public byte[] metadata(long requestId) {
            return new AppendMessage.Request(
                            requestId, batch.bucket(), batch.writer(), batch.sequence())
                    .toBytes();
        }

        @Override
        public void fail(RuntimeException failure) {
            release();
            future.completeExceptionally(failure);
        }

        private void answer(AppendMessage.Answer answer) {
            if (answer.result() == null) {
                fail(WireErrors.fromNumber(answer.errorCode(), answer.message()));
                return;
            }
            release();
            future.complete(answer.result());
        }

        private void release() {
            batch.rows().close();
            budget.release(bytes);
            window.release(batch);
        }
    }
}
