package io.thermocline.sink.writer;

import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.sink.shuffle.BucketAssigner;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.jspecify.annotations.Nullable;

/**
 * What all writers of a sink have in common, in every attempt of the job.
 *
 * @param spec the table
 * @param store the way to its hot store
 * @param assigner null if rows belong to no bucket; then each writer has one that it stays with
 * @param settings when rows are sent
 * @param sinkId drawn when the statement is planned, so that two sinks of a job are not taken for
 *     two attempts of one
 */
public record WriterPlan(
        HotTableSpec spec,
        HotStoreProvider store,
        @Nullable BucketAssigner assigner,
        WriterSettings settings,
        UUID sinkId)
        implements Serializable {

    /**
     * Id of a writer, the same in every attempt of the job. Where a bucket has one writer, it is
     * that of all writers of the sink: a bucket may go to another subtask when the job is rescaled.
     */
    UUID writerId(JobID job, int subtask) {
        ByteBuffer name =
                ByteBuffer.allocate(4 * Long.BYTES + Integer.BYTES)
                        .putLong(sinkId.getMostSignificantBits())
                        .putLong(sinkId.getLeastSignificantBits())
                        .putLong(job.getUpperPart())
                        .putLong(job.getLowerPart())
                        .putInt(assigner == null ? subtask : 0);
        return UUID.nameUUIDFromBytes(name.array());
    }
}
