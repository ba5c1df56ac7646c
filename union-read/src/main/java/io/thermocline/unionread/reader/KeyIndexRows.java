package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.unionread.plan.ReadStep;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** Rows of one bucket in a key-index snapshot. The snapshot is its opener's to close. */
final class KeyIndexRows implements BoundedStepReader.Rows {

    private final KeyIndexSnapshot.Scan scan;
    private @Nullable RowBatch batch;
    private int nextRow;

    private KeyIndexRows(KeyIndexSnapshot.Scan scan) {
        this.scan = scan;
    }

    /**
     * Rows of the step. Where its snapshot is gone, they are made again from the changelog.
     *
     * @param changes what is read after it; null if nothing is
     */
    static BoundedStepReader.Rows open(
            ReadContext context, ReadStep.KeyIndex step, ReadStep.@Nullable Changelog changes) {
        try {
            return new KeyIndexRows(
                    context.hotTable()
                            .attachKeyIndexSnapshot(step.snapshotId())
                            .scan(step.bucket(), context.scan().projection()));
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.SNAPSHOT_NOT_FOUND) {
                throw e;
            }
            if (changes != null) {
                return new EarlierKeyIndexRows(context, step.bucket(), changes.startOffset());
            }
            throw new LostPositionException(
                    ErrorCode.SNAPSHOT_NOT_FOUND,
                    "cannot go on reading table "
                            + context.table().spec().path()
                            + " bucket "
                            + step.bucket()
                            + ": the key-index snapshot "
                            + step.snapshotId()
                            + " ended with the hot store that made it, or was not used for too long."
                            + " Run the query again",
                    e);
        }
    }

    @Override
    public @Nullable RowData next() {
        while (batch == null || nextRow == batch.rowCount()) {
            closeBatch();
            batch = scan.next();
            nextRow = 0;
            if (batch == null) {
                return null;
            }
        }
        return batch.row(nextRow++);
    }

    @Override
    public void close() {
        closeBatch();
        scan.close();
    }

    private void closeBatch() {
        if (batch != null) {
            batch.close();
            batch = null;
        }
    }
}
