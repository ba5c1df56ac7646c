package io.thermocline.sink;

import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.sink.shuffle.BucketAssigner;
import io.thermocline.sink.shuffle.BucketShuffle;
import io.thermocline.sink.writer.HotTableWriter;
import io.thermocline.sink.writer.WriterSettings;
import io.thermocline.unionread.LogicalTable;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows into the hot tier of one table. Where rows have a bucket, one writer gets all of it.
 */
final class ThermoclineSink implements Sink<RowData>, SupportsPreWriteTopology<RowData> {

    private static final long serialVersionUID = 1L;

    private final HotTableSpec spec;
    private final HotStoreProvider store;
    private final WriterSettings settings;
    private final @Nullable BucketAssigner assigner;

    ThermoclineSink(LogicalTable table, WriterSettings settings) {
        this.spec = table.spec();
        this.store = table.store();
        this.settings = settings;
        this.assigner =
                spec.bucketKeys().isEmpty()
                        ? null
                        : new BucketAssigner(spec, table.lake().bucketFunction());
    }

    @Override
    public DataStream<RowData> addPreWriteTopology(DataStream<RowData> rows) {
        return assigner == null ? rows : BucketShuffle.byBucket(rows, assigner);
    }

    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
        return HotTableWriter.open(spec, store, assigner, settings, context);
    }
}
