package io.thermocline.unionread.testing;

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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A hot table whose changelogs begin at given offsets. */
public record TrimmedHotTable(HotTable table, Map<Integer, Long> earliest) implements HotTable {

    @Override
    public TableOffsets offsets(OffsetQuery query) {
        return query instanceof OffsetQuery.Earliest
                ? new TableOffsets(earliest, 0)
                : table.offsets(query);
    }

    @Override
    public HotTableSpec spec() {
        return table.spec();
    }

    @Override
    public CompletableFuture<AppendResult> append(AppendBatch batch) {
        return table.append(batch);
    }

    @Override
    public WriterEpoch beginWriter(UUID writerId) {
        return table.beginWriter(writerId);
    }

    @Override
    public ChangelogReader readChangelog(ChangelogScan scan) {
        return table.readChangelog(scan);
    }

    @Override
    public CompletableFuture<LookupResult> lookup(LookupRequest request) {
        return table.lookup(request);
    }

    @Override
    public KeyIndexSnapshot openKeyIndexSnapshot(long maxIdleMillis) {
        return table.openKeyIndexSnapshot(maxIdleMillis);
    }

    @Override
    public KeyIndexSnapshot attachKeyIndexSnapshot(String snapshotId) {
        return table.attachKeyIndexSnapshot(snapshotId);
    }

    @Override
    public String acquireLease(LeaseRequest request) {
        return table.acquireLease(request);
    }

    @Override
    public void renewLease(String leaseId, Map<Integer, Long> fromOffsets) {
        table.renewLease(leaseId, fromOffsets);
    }

    @Override
    public void releaseLeases(Collection<String> leaseIds) {
        table.releaseLeases(leaseIds);
    }

    @Override
    public void reportTieredOffsets(Map<Integer, Long> tieredOffsets) {
        table.reportTieredOffsets(tieredOffsets);
    }

    @Override
    public TableOffsets detach() {
        return table.detach();
    }

    @Override
    public List<BucketStatus> status() {
        return table.status();
    }

    @Override
    public TableHistory history() {
        return table.history();
    }

    @Override
    public void close() {
        table.close();
    }
}
