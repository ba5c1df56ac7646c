package io.thermocline.unionread.tiering;

import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeCommit;
import io.thermocline.lake.LakeFilter;
import io.thermocline.lake.LakeMaintenance;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.LakeWriter;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.util.CloseableIterator;

/** A lake table whose user dies around the commit. */
record CrashingLakeTable(LakeTable table, Crash crash) implements LakeTable {

    private static final long serialVersionUID = 1L;

    /** When the crash happens. */
    enum Crash {
        BEFORE_COMMIT,
        AFTER_COMMIT;

        boolean isCommitted() {
            return this == AFTER_COMMIT;
        }
    }

    @Override
    public LakeSnapshot commit(LakeCommit commit) {
        if (crash == Crash.AFTER_COMMIT) {
            table.commit(commit);
        }
        throw new IllegalStateException("crash " + crash);
    }

    @Override
    public LakeTableDefinition definition() {
        return table.definition();
    }

    @Override
    public Optional<LakeSnapshot> latestSnapshot() {
        return table.latestSnapshot();
    }

    @Override
    public Optional<LakeSnapshot> latestTieredSnapshot() {
        return table.latestTieredSnapshot();
    }

    @Override
    public Optional<LakeFilter> toFilter(List<ResolvedExpression> predicates) {
        return table.toFilter(predicates);
    }

    @Override
    public List<LakeSplit> planSplits(LakeScan scan) {
        return table.planSplits(scan);
    }

    @Override
    public CloseableIterator<RowData> read(LakeSplit split, LakeScan scan) {
        return table.read(split, scan);
    }

    @Override
    public BucketFunction bucketFunction() {
        return table.bucketFunction();
    }

    @Override
    public LakeWriter newWriter(String temporaryDirectory) {
        return table.newWriter(temporaryDirectory);
    }

    @Override
    public void maintain(LakeMaintenance maintenance) {
        table.maintain(maintenance);
    }
}
