package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.unionread.plan.ReadStep;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads changelog records as they are. */
final class ChangelogStepReader implements StepReader {

    private final ReadContext context;
    private final ReadStep.Changelog step;
    private final int stepIndex;
    private final ChangelogReader reader;

    ChangelogStepReader(
            ReadContext context, ReadStep.Changelog step, int stepIndex, long progress) {
        this.context = context;
        this.step = step;
        this.stepIndex = stepIndex;
        this.reader = open(step.startOffset() + progress);
    }

    @Override
    public @Nullable RowChunk poll(Duration timeout) {
        ChangelogBatch batch;
        try {
            batch = reader.poll(timeout);
        } catch (HotStoreException e) {
            throw explain(e, reader.position());
        }
        if (batch != null && step.leavesOut(batch.mark())) {
            batch.close();
            batch = null;
        }
        return batch == null
                ? null
                : new ChangelogChunk(batch, stepIndex, step.startOffset(), batch.endOffset());
    }

    @Override
    public boolean isFinished() {
        return reader.isFinished();
    }

    @Override
    public long progress() {
        return reader.position() - step.startOffset();
    }

    @Override
    public void wakeUp() {
        reader.wakeUp();
    }

    @Override
    public void close() {
        reader.close();
    }

    private ChangelogReader open(long offset) {
        try {
            return context.hotTable()
                    .readChangelog(
                            new ChangelogScan(
                                    step.bucket(),
                                    offset,
                                    step.endOffset(),
                                    context.scan().projection(),
                                    context.scan().changelogFilter()));
        } catch (HotStoreException e) {
            throw explain(e, offset);
        }
    }

    private HotStoreException explain(HotStoreException e, long offset) {
        if (e.code() != ErrorCode.OFFSET_OUT_OF_RANGE) {
            return e;
        }
        return new LostPositionException(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                "cannot go on reading table "
                        + context.table().spec().path()
                        + " bucket "
                        + step.bucket()
                        + " at offset "
                        + offset
                        + ": the changelog does not hold it (any more). Either restore from a"
                        + " younger checkpoint, or start the query without the old state"
                        + " (scan.startup.mode=full begins with the lake). Raise"
                        + " hot.log.retention to keep changes for longer",
                e);
    }
}
