package io.thermocline.benchmarks.flink;

import io.thermocline.benchmarks.driver.Shape;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.types.RowKind;

/**
 * Sink of narrow rows that touches every value and tells {@link Arrivals}. Takes every kind of
 * change: the totals are those of the rows that are there in the end.
 */
public final class CountingSinkFactory implements DynamicTableSinkFactory {

    static final String CONNECTOR = "bench-arrivals";

    @Override
    public String factoryIdentifier() {
        return CONNECTOR;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        return new TableSink();
    }

    private static final class TableSink implements DynamicTableSink {

        @Override
        public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
            return ChangelogMode.all();
        }

        @Override
        public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
            return SinkV2Provider.of(new CountingSink());
        }

        @Override
        public DynamicTableSink copy() {
            return new TableSink();
        }

        @Override
        public String asSummaryString() {
            return CONNECTOR;
        }
    }

    private static final class CountingSink implements Sink<RowData> {

        private static final long serialVersionUID = 1L;

        @Override
        public SinkWriter<RowData> createWriter(WriterInitContext context) {
            return new CountingWriter();
        }
    }

    private static final class CountingWriter implements SinkWriter<RowData> {

        private static final int[] ALL_COLUMNS = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

        private final Arrivals arrivals = Arrivals.present();

        @Override
        public void write(RowData row, Context context) {
            long sum = BenchRows.touch(Shape.NARROW, ALL_COLUMNS, row);
            RowKind kind = row.getRowKind();
            if (kind == RowKind.UPDATE_BEFORE || kind == RowKind.DELETE) {
                arrivals.removed(sum);
            } else {
                arrivals.added(sum, row.getInt(Shape.NUMBER), row.getLong(Shape.TIME));
            }
        }

        @Override
        public void flush(boolean endOfInput) {
            // Nothing is held back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
