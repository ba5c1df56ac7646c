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

    KeyIndexRows(ReadContext context, ReadStep.KeyIndex step) {
        this.scan = attach(context, step).scan(step.bucket(), context.scan().projection());
    }

    private static KeyIndexSnapshot attach(ReadContext context, ReadStep.KeyIndex step) {
        try {
            return context.hotTable().attachKeyIndexSnapshot(step.snapshotId());
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.SNAPSHOT_NOT_FOUND) {
                throw e;
            }
            throw new HotStoreException(
                    ErrorCode.SNAPSHOT_NOT_FOUND,
                    "cannot go on reading the state of table "
                            + context.table().spec().path()
                            + " bucket "
                            + step.bucket()
                            + ": the key-index snapshot "
                            + step.snapshotId()
                            + " ended with the hot store that made it, or was not used for too long."
                            + " Start the query again without the old state",
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
