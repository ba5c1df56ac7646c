package io.thermocline.sink.shuffle;

import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;

/** Sends all rows of a bucket to the same writer, in the order of their input task. */
public final class BucketShuffle {

    private BucketShuffle() {}

    /** The stream, partitioned by bucket. */
    public static DataStream<RowData> byBucket(DataStream<RowData> rows, BucketAssigner assigner) {
        return rows.partitionCustom(new ByBucket(), new BucketOfRow(assigner));
    }

    private static final class ByBucket implements Partitioner<Integer> {

        private static final long serialVersionUID = 1L;

        @Override
        public int partition(Integer bucket, int writers) {
            return bucket % writers;
        }
    }

    private static final class BucketOfRow implements KeySelector<RowData, Integer> {

        private static final long serialVersionUID = 1L;

        private final BucketAssigner assigner;

        BucketOfRow(BucketAssigner assigner) {
            this.assigner = assigner;
        }

        @Override
        public Integer getKey(RowData row) {
            return assigner.bucket(row);
        }
    }
}
