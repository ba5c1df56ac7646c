package io.thermocline.sink.testkit;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.BucketStatus;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.LeaseRequest;
import io.thermocline.hotstore.LookupRequest;
import io.thermocline.hotstore.LookupResult;
import io.thermocline.hotstore.OffsetQuery;
import io.thermocline.hotstore.TableHistory;
import io.thermocline.hotstore.TableOffsets;
import io.thermocline.hotstore.WriterEpoch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.flink.table.data.RowData;

/** Keeps what is appended and leaves it to the test when, and how, each request is answered. */
public final class RecordingHotTable implements HotTable {

    /** A request as it came. */
    public record Sent(
            int bucket,
            WriterEpoch writer,
            long sequence,
            List<String> rows,
            CompletableFuture<AppendResult> answer) {

        public void acknowledge() {
            answer.complete(new AppendResult(0, rows.size(), 0));
        }
    }

    private final HotTableSpec spec;
    private final Function<RowData, String> print;
    private final boolean answersAtOnce;
    private final List<Sent> requests = new CopyOnWriteArrayList<>();
    private final AtomicLong lastEpoch = new AtomicLong();
    private volatile boolean isClosed;

    /** A table that leaves the answers to the test. */
    public RecordingHotTable(HotTableSpec spec, Function<RowData, String> print) {
        this(spec, print, false);
    }

    /**
     * @param print what to keep of a row
     * @param answersAtOnce whether to acknowledge every request as it comes
     */
    public RecordingHotTable(
            HotTableSpec spec, Function<RowData, String> print, boolean answersAtOnce) {
        this.spec = spec;
        this.print = print;
        this.answersAtOnce = answersAtOnce;
    }

    public List<Sent> requests() {
        return requests;
    }

    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public HotTableSpec spec() {
        return spec;
    }

    @Override
    public CompletableFuture<AppendResult> append(AppendBatch batch) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < batch.rows().rowCount(); i++) {
            rows.add(print.apply(batch.rows().row(i)));
        }
        batch.rows().close();
        Sent sent =
                new Sent(
                        batch.bucket(),
                        batch.writer(),
                        batch.sequence(),
                        rows,
                        new CompletableFuture<>());
        requests.add(sent);
        if (answersAtOnce) {
            sent.acknowledge();
        }
        return sent.answer();
    }

    @Override
    public WriterEpoch beginWriter(UUID writerId) {
        return new WriterEpoch(writerId, lastEpoch.incrementAndGet());
    }

    @Override
    public void close() {
        isClosed = true;
    }

    @Override
    public TableOffsets offsets(OffsetQuery query) {
        throw onlyAppends();
    }

    @Override
    public ChangelogReader readChangelog(ChangelogScan scan) {
        throw onlyAppends();
    }

    @Override
    public CompletableFuture<LookupResult> lookup(LookupRequest request) {
        throw onlyAppends();
    }

    @Override
    public KeyIndexSnapshot openKeyIndexSnapshot(long maxIdleMillis) {
        throw onlyAppends();
    }

    @Override
    public KeyIndexSnapshot attachKeyIndexSnapshot(String snapshotId) {
        throw onlyAppends();
    }

    @Override
    public String acquireLease(LeaseRequest request) {
        throw onlyAppends();
    }

    @Override
    public void renewLease(String leaseId, Map<Integer, Long> fromOffsets) {
        throw onlyAppends();
    }

    @Override
    public void releaseLeases(Collection<String> leaseIds) {
        throw onlyAppends();
    }

    @Override
    public void reportTieredOffsets(Map<Integer, Long> tieredOffsets) {
        throw onlyAppends();
    }

    @Override
    public TableOffsets detach() {
        throw onlyAppends();
    }

    @Override
    public List<BucketStatus> status() {
        throw onlyAppends();
    }

    @Override
    public TableHistory history() {
        throw onlyAppends();
    }

    private static UnsupportedOperationException onlyAppends() {
        return new UnsupportedOperationException("a writer only appends");
    }
}
