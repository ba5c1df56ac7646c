package io.thermocline.source;

import io.thermocline.unionread.LogicalTable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.types.DataType;

/** Source of a logical table, for scans and lookups. */
public final class ThermoclineTableSource implements ScanTableSource, LookupTableSource {

    private final LogicalTable table;
    private final DataType physicalRowType;
    private final ReadableConfig options;
    private final boolean batch;

    /**
     * @param table the table; no connection is made to it here
     * @param physicalRowType physical columns in table order
     * @param options the table's options merged with hints, see {@link SourceOptions}
     * @param batch whether the query runs in batch mode: then the scan is bounded and merged
     */
    public ThermoclineTableSource(
            LogicalTable table, DataType physicalRowType, ReadableConfig options, boolean batch) {
        this.table = table;
        this.physicalRowType = physicalRowType;
        this.options = options;
        this.batch = batch;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        throw new UnsupportedOperationException("skeleton");
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        throw new UnsupportedOperationException("skeleton");
    }

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        throw new UnsupportedOperationException("skeleton");
    }

    @Override
    public DynamicTableSource copy() {
        return new ThermoclineTableSource(table, physicalRowType, options, batch);
    }

    @Override
    public String asSummaryString() {
        return "Thermocline[" + table.spec().path().getFullName() + "]";
    }
}
