package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.arrow.RowBatch;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Phaser;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one append stream: batches in, answers out as they become durable. Reads no further while
 * the server's append budget is used up. One thread reads; answers come from the store's threads.
 */
final class AppendExchange {

    private static final Logger LOG = LoggerFactory.getLogger(AppendExchange.class);

    private final HotTable table;
    private final ServerStreamListener answers;
    private final BufferAllocator allocator;
    private final ByteBudget budget;
    private final Phaser underWay = new Phaser(1);
    private volatile @Nullable RuntimeException unsent;
    private volatile @Nullable Thread reading;

    AppendExchange(
            HotTable table,
            ServerStreamListener answers,
            BufferAllocator allocator,
            ByteBudget budget) {
        this.table = table;
        this.answers = answers;
        this.allocator = allocator;
        this.budget = budget;
    }

    void run(FlightStream requests) throws InterruptedException {
        reading = Thread.currentThread();
        try {
            serve(requests);
        } catch (RuntimeException | InterruptedException e) {
            RuntimeException cause = unsent;
            if (cause == null) {
                throw e;
            }
            // the client would wait for the answer for ever: it is to ask again on a new stream
            throw new HotStoreException(
                    ErrorCode.STORE_UNREACHABLE, "an answer could not be sent: " + cause, cause);
        } finally {
            reading = null;
        }
    }

    private void serve(FlightStream requests) throws InterruptedException {
        while (WireExchange.next(requests)) {
            AppendMessage.Request request =
                    AppendMessage.Request.read(WireExchange.metadata(requests));
            RowBatch rows =
                    WireInput.read(
                            "a batch",
                            () ->
                                    WireBatch.take(
                                            requests.getRoot(), table.spec().rowType(), allocator));
            long bytes = rows.sizeBytes();
            if (!budget.acquire(bytes)) {
                rows.close();
                break;
            }
            underWay.register();
            append(request, rows)
                    .whenComplete(
                            (result, failure) -> {
                                budget.release(bytes);
                                answer(request.requestId(), result, failure);
                                underWay.arriveAndDeregister();
                            });
        }
        underWay.arriveAndAwaitAdvance();
        synchronized (answers) {
            answers.completed();
        }
    }

    private CompletableFuture<AppendResult> append(AppendMessage.Request request, RowBatch rows) {
        try {
            return table.append(
                    new AppendBatch(request.bucket(), request.writer(), request.sequence(), rows));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answer(long requestId, AppendResult result, Throwable failure) {
        AppendMessage.Answer answer;
        if (failure == null) {
            answer = AppendMessage.Answer.success(requestId, result);
        } else {
            HotStoreException error = WireErrors.toHotStore(failure);
            answer =
                    AppendMessage.Answer.failure(
                            requestId, error.code().number(), error.getMessage());
        }
        synchronized (answers) {
            if (answers.isCancelled()) {
                return;
            }
            try {
                answers.putMetadata(WireBuffers.copy(allocator, answer.toBytes()));
            } catch (RuntimeException e) {
                if (answers.isCancelled()) {
                    // the client has gone: it asks again with the same sequence
                    LOG.debug("append answer {} could not be sent", requestId, e);
                } else {
                    giveUp(e);
                }
            }
        }
    }

    private void giveUp(RuntimeException cause) {
        LOG.warn("an append answer could not be sent, the stream ends", cause);
        unsent = cause;
        Thread reader = reading;
        if (reader != null) {
            reader.interrupt();
        }
    }
}
