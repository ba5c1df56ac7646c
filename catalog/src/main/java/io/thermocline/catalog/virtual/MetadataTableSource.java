package io.thermocline.catalog.virtual;

import io.thermocline.unionread.HotConnection;
import io.thermocline.unionread.LogicalTable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.util.Collector;

/** Asks the hot store once for what a {@link HotMetadataTable} shows, when the query runs. */
public final class MetadataTableSource implements ScanTableSource {

    private final HotMetadataTable kind;
    private final LogicalTable table;
    private final DataType rowType;

    /**
     * @param kind what is shown
     * @param table of which table
     * @param rowType all columns
     */
    public MetadataTableSource(HotMetadataTable kind, LogicalTable table, DataType rowType) {
        this.kind = kind;
        this.table = table;
        this.rowType = rowType;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        return new Provider(
                asSummaryString(), new Ask(kind, table), context.createTypeInformation(rowType));
    }

    @Override
    public DynamicTableSource copy() {
        return new MetadataTableSource(kind, table, rowType);
    }

    @Override
    public String asSummaryString() {
        return "Thermocline[" + table.spec().path().getFullName() + "$" + kind.suffix() + "]";
    }

    /** One element, and one task that makes the rows of it. */
    private record Provider(String name, Ask ask, TypeInformation<RowData> type)
            implements DataStreamScanProvider {

        @Override
        public DataStream<RowData> produceDataStream(
                ProviderContext context, StreamExecutionEnvironment environment) {
            var once =
                    environment.fromSource(
                            new NumberSequenceSource(0, 0), WatermarkStrategy.noWatermarks(), name);
            context.generateUid("source").ifPresent(once::uid);
            once.setParallelism(1);
            var rows = once.flatMap(ask).returns(type).name(name);
            context.generateUid("rows").ifPresent(rows::uid);
            return rows.setParallelism(1);
        }

        @Override
        public boolean isBounded() {
            return true;
        }
    }

    private static final class Ask extends RichFlatMapFunction<Long, RowData> {

        private static final long serialVersionUID = 1L;

        private final HotMetadataTable kind;
        private final LogicalTable table;
        private transient HotConnection connection;

        private Ask(HotMetadataTable kind, LogicalTable table) {
            this.kind = kind;
            this.table = table;
        }

        @Override
        public void open(OpenContext context) {
            connection = new HotConnection(table);
        }

        @Override
        public void flatMap(Long once, Collector<RowData> out) {
            kind.rows(connection.get()).forEach(out::collect);
        }

        @Override
        public void close() {
            if (connection != null) {
                connection.close();
            }
        }
    }
}
