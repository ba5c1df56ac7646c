package io.thermocline.sink;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.sink.shuffle.BucketAssigner;
import io.thermocline.sink.shuffle.BucketShuffle;
import io.thermocline.sink.writer.HotTableWriter;
import io.thermocline.sink.writer.WriterPlan;
import io.thermocline.sink.writer.WriterSettings;
import io.thermocline.unionread.LogicalTable;
import java.util.UUID;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;

/**
 * Writes rows into the hot tier of one table. Where rows have a bucket, one writer gets all of it.
 */
final class ThermoclineSink implements Sink<RowData>, SupportsPreWriteTopology<RowData> {

    private static final long serialVersionUID = 1L;

    private final WriterPlan plan;

    ThermoclineSink(LogicalTable table, WriterSettings settings) {
        HotTableSpec spec = table.spec();
        BucketAssigner assigner =
                spec.bucketKeys().isEmpty()
                        ? null
                        : new BucketAssigner(spec, table.lake().bucketFunction());
        this.plan = new WriterPlan(spec, table.store(), assigner, settings, UUID.randomUUID());
    }

    @Override
    public DataStream<RowData> addPreWriteTopology(DataStream<RowData> rows) {
        return plan.assigner() == null ? rows : BucketShuffle.byBucket(rows, plan.assigner());
    }

    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
        return HotTableWriter.open(plan, context);
    }
}
