package io.thermocline.sink.writer;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RowBatchBuilder;
import io.thermocline.sink.shuffle.BucketAssigner;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.IOUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes rows to the buckets that this task owns. A row leaves as soon as the line to its bucket is
 * free, together with what came while the request before it was under way. {@link #flush} returns
 * once every row is acknowledged; {@link #write} waits while too many are not. Both fail with
 * {@code FENCED} once a later attempt of the job has written to one of the buckets.
 *
 * <p>Confined to the task thread; completions of requests are mails to it.
 */
public final class HotTableWriter implements SinkWriter<RowData> {

    private static final Logger LOG = LoggerFactory.getLogger(HotTableWriter.class);

    /** Full requests to one bucket that may be under way, so that the line never runs dry. */
    static final int MAX_REQUESTS_PER_BUCKET = 4;

    private final HotTableSpec spec;
    private final HotStore store;
    private final HotTable table;
    private final WriterEpoch writer;
    private final @Nullable BucketAssigner assigner;
    private final int stickyBucket;
    private final WriterSettings settings;
    private final MailboxExecutor mailbox;
    private final ProcessingTimeService time;
    private final WriterMetrics metrics;
    private final NestedNullCheck nestedNulls;
    private final Map<Integer, BucketBuffer> buffers = new TreeMap<>();

    private long bufferedBytes;
    private long inFlightBytes;
    private int requestsInFlight;
    private boolean timerIsSet;
    private boolean isClosed;
    private @Nullable IOException failure;

    private HotTableWriter(
            WriterPlan plan,
            HotStore store,
            HotTable table,
            WriterEpoch writer,
            WriterInitContext context) {
        this.spec = plan.spec();
        this.store = store;
        this.table = table;
        this.writer = writer;
        this.assigner = plan.assigner();
        this.stickyBucket = context.getTaskInfo().getIndexOfThisSubtask() % spec.bucketCount();
        this.settings = plan.settings();
        this.mailbox = context.getMailboxExecutor();
        this.time = context.getProcessingTimeService();
        this.metrics = new WriterMetrics(context.metricGroup());
        this.nestedNulls = new NestedNullCheck(spec);
    }

    /**
     * Connects to the hot store, starting it where none runs, opens the table, and takes over from
     * the writer of an earlier attempt.
     *
     * @throws SuppressRestartsException if the table was dropped
     */
    public static HotTableWriter open(WriterPlan plan, WriterInitContext context) {
        HotStore store = plan.store().connect(WhenStopped.START);
        try {
            HotTable table = store.openTable(plan.spec().path(), plan.spec().tableId());
            UUID writerId =
                    plan.writerId(
                            context.getJobInfo().getJobId(),
                            context.getTaskInfo().getIndexOfThisSubtask());
            return new HotTableWriter(plan, store, table, table.beginWriter(writerId), context);
        } catch (Throwable e) {
            IOUtils.closeQuietly(store);
            if (e instanceof HotStoreException failure && isGone(failure)) {
                throw new SuppressRestartsException(failure);
            }
            throw e;
        }
    }

    /** Whether the table that the job was planned for is gone, so that no restart finds it. */
    private static boolean isGone(HotStoreException failure) {
        return failure.code() == ErrorCode.TABLE_NOT_FOUND
                || failure.code() == ErrorCode.TABLE_RECREATED;
    }

    @Override
    public void write(RowData row, Context context) throws IOException, InterruptedException {
        failIfFailed();
        RowKind kind = row.getRowKind();
        if (kind == RowKind.UPDATE_BEFORE && spec.hasPrimaryKey()) {
            return;
        }
        if (kind != RowKind.INSERT && !spec.hasPrimaryKey()) {
            throw new IOException(
                    "table %s has no primary key and takes inserts only, but a row of kind %s came"
                            .formatted(spec.path().getFullName(), kind.shortString()));
        }
        nestedNulls.check(row);
        BucketBuffer buffer = buffer(assigner == null ? stickyBucket : assigner.bucket(row));
        bufferedBytes += buffer.append(row, time.getCurrentProcessingTime());
        if (buffer.isFull(settings)) {
            while (buffer.requestsInFlight() >= MAX_REQUESTS_PER_BUCKET) {
                awaitCompletion();
            }
            send(buffer);
        } else if (settings.flushInterval().isZero()) {
            sendIfLineIsFree(buffer);
        } else {
            setTimer(buffer.firstRowMillis() + settings.flushInterval().toMillis());
        }
        while (bufferedBytes + inFlightBytes > settings.maxInFlightBytes()) {
            if (requestsInFlight == 0) {
                sendAll();
            } else {
                awaitCompletion();
            }
        }
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
        failIfFailed();
        sendAll();
        while (requestsInFlight > 0) {
            awaitCompletion();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        buffers.values().forEach(BucketBuffer::close);
        IOUtils.closeAllQuietly(table, store);
    }

    private BucketBuffer buffer(int bucket) {
        return buffers.computeIfAbsent(
                bucket,
                b ->
                        new BucketBuffer(
                                b,
                                writer,
                                new RowBatchBuilder(spec.rowType(), ArrowMemory.root())));
    }

    private void sendAll() {
        buffers.values().forEach(this::send);
    }

    private void sendIfLineIsFree(BucketBuffer buffer) {
        if (buffer.requestsInFlight() == 0) {
            send(buffer);
        }
    }

    private void send(BucketBuffer buffer) {
        if (buffer.isEmpty()) {
            return;
        }
        long bytes = buffer.sizeBytes();
        AppendBatch batch = buffer.nextRequest();
        Request request = new Request(buffer, batch.rows().rowCount(), bytes, System.nanoTime());
        bufferedBytes -= bytes;
        inFlightBytes += bytes;
        requestsInFlight++;
        metrics.sent(request.rows(), bytes);
        append(batch).whenComplete((result, error) -> reportToTask(request, error));
    }

    private CompletableFuture<AppendResult> append(AppendBatch batch) {
        try {
            return table.append(batch);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void reportToTask(Request request, @Nullable Throwable error) {
        try {
            mailbox.execute(() -> ended(request, error), "rows acknowledged by %s", spec.path());
        } catch (RejectedExecutionException e) {
            LOG.debug("The task has ended before {} answered", spec.path(), e);
        }
    }

    private void ended(Request request, @Nullable Throwable error) throws IOException {
        request.buffer().requestEnded();
        requestsInFlight--;
        inFlightBytes -= request.bytes();
        if (isClosed) {
            return;
        }
        if (error != null) {
            metrics.failed(request.rows());
            fail(request.buffer().bucket(), error);
        }
        metrics.acknowledged(System.nanoTime() - request.sentNanos());
        if (settings.flushInterval().isZero()) {
            sendIfLineIsFree(request.buffer());
        }
    }

    private void fail(int bucket, Throwable error) throws IOException {
        Throwable cause =
                error instanceof CompletionException && error.getCause() != null
                        ? error.getCause()
                        : error;
        if (failure == null) {
            failure =
                    new IOException(
                            "cannot write to bucket %d of table %s: %s"
                                    .formatted(
                                            bucket, spec.path().getFullName(), cause.getMessage()),
                            cause);
        }
        throw failure;
    }

    private void failIfFailed() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    /** Lets the next mail in; one that reports a failure throws it. */
    private void awaitCompletion() throws IOException, InterruptedException {
        mailbox.yield();
        failIfFailed();
    }

    private void setTimer(long atMillis) {
        if (!timerIsSet) {
            timerIsSet = true;
            time.registerTimer(atMillis, this::onTimer);
        }
    }

    private void onTimer(long nowMillis) {
        timerIsSet = false;
        if (isClosed || failure != null) {
            return;
        }
        long interval = settings.flushInterval().toMillis();
        long next = Long.MAX_VALUE;
        for (BucketBuffer buffer : buffers.values()) {
            if (!buffer.isEmpty() && buffer.requestsInFlight() >= MAX_REQUESTS_PER_BUCKET) {
                // Its rows would wait on the line, and the task with them.
                next = Math.min(next, nowMillis + interval);
            } else if (!buffer.isEmpty() && buffer.firstRowMillis() + interval <= nowMillis) {
                send(buffer);
            } else if (!buffer.isEmpty()) {
                next = Math.min(next, buffer.firstRowMillis() + interval);
            }
        }
        if (next != Long.MAX_VALUE) {
            setTimer(next);
        }
    }

    private record Request(BucketBuffer buffer, int rows, long bytes, long sentNanos) {}
}
