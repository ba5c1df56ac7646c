package io.thermocline.sink.testkit;

import io.thermocline.hotstore.HotTableSpec;
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

/** A lake table of which only the definition and the bucket function are asked. */
public final class HashedLakeTable implements LakeTable {

    private static final long serialVersionUID = 1L;

    private final LakeTableDefinition definition;
    private final BucketFunction function;

    public HashedLakeTable(HotTableSpec spec, BucketFunction function) {
        this.definition =
                new LakeTableDefinition(
                        spec.path(),
                        spec.schemaVersion(),
                        spec.rowType(),
                        spec.primaryKey(),
                        spec.partitionKeys(),
                        spec.bucketKeys(),
                        spec.bucketCount(),
                        spec.options());
        this.function = function;
    }

    @Override
    public LakeTableDefinition definition() {
        return definition;
    }

    @Override
    public BucketFunction bucketFunction() {
        return function;
    }

    @Override
    public Optional<LakeSnapshot> latestSnapshot() {
        throw notAsked();
    }

    @Override
    public Optional<LakeFilter> toFilter(List<ResolvedExpression> predicates) {
        throw notAsked();
    }

    @Override
    public List<LakeSplit> planSplits(LakeScan scan) {
        throw notAsked();
    }

    @Override
    public CloseableIterator<RowData> read(LakeSplit split, LakeScan scan) {
        throw notAsked();
    }

    @Override
    public LakeWriter newWriter(String temporaryDirectory) {
        throw notAsked();
    }

    @Override
    public LakeSnapshot commit(LakeCommit commit) {
        throw notAsked();
    }

    @Override
    public void maintain(LakeMaintenance maintenance) {
        throw notAsked();
    }

    private static UnsupportedOperationException notAsked() {
        return new UnsupportedOperationException("the sink asks for the bucket function only");
    }
}
