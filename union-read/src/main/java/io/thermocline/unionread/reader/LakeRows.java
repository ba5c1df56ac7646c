package io.thermocline.unionread.reader;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.lake.BucketFunction;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeScan;
import io.thermocline.unionread.plan.ReadStep;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** Rows of a lake split, without those that the hot tail supersedes, or that belong elsewhere. */
final class LakeRows implements BoundedStepReader.Rows {

    private final ReadStep.Lake step;
    private final ColumnSelection columns;
    private final KeyEncoder keyEncoder;
    private final TailKeySets.@Nullable Handle superseded;
    private final @Nullable BucketFunction bucketFunction;
    private final ProjectedRowData bucketKey;
    private final CloseableIterator<RowData> rows;

    LakeRows(ReadContext context, ReadStep.Lake step) {
        HotTableSpec spec = context.table().spec();
        this.step = step;
        this.columns =
                ColumnSelection.of(spec.rowType(), context.scan().projection(), spec.primaryKey());
        this.keyEncoder =
                spec.hasPrimaryKey() ? KeyEncoder.forRows(spec, columns.readColumns()) : null;
        this.bucketFunction =
                step.bucket() == ReadStep.ANY_BUCKET
                        ? null
                        : context.table().lake().bucketFunction();
        this.bucketKey =
                ProjectedRowData.from(
                        spec.bucketKeys().stream()
                                .mapToInt(columns.readColumns()::indexOf)
                                .toArray());
        this.superseded =
                step.supersededBy().isEmpty()
                        ? null
                        : context.keySets().acquire(step.supersededBy());
        LakeScan scan = context.scan().lakeScan(spec, step.snapshotId());
        this.rows = open(context, scan);
    }

    private CloseableIterator<RowData> open(ReadContext context, LakeScan scan) {
        try {
            return context.table().lake().read(step.split(), scan);
        } catch (RuntimeException e) {
            if (superseded != null) {
                superseded.close();
            }
            throw e;
        }
    }

    @Override
    public @Nullable RowData next() {
        if (!rows.hasNext()) {
            return null;
        }
        RowData row = rows.next();
        if (superseded != null && superseded.keys().contains(keyEncoder.encode(row))) {
            return LEFT_OUT;
        }
        if (bucketFunction != null
                && bucketFunction.bucket(bucketKey.replaceRow(row)) != step.bucket()) {
            return LEFT_OUT;
        }
        return columns.select(row);
    }

    @Override
    public void close() {
        try {
            rows.close();
        } catch (Exception e) {
            throw new LakeException(
                    LakeException.Reason.IO,
                    "cannot close a split of lake snapshot " + step.snapshotId(),
                    e);
        } finally {
            if (superseded != null) {
                superseded.close();
            }
        }
    }
}
