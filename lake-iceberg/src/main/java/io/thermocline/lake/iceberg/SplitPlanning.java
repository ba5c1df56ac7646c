package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTableDefinition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.PropertyUtil;

/**
 * Plans the splits of a snapshot: large files are cut, small ones of a bucket go together, as the
 * table's {@code read.split.*} properties say.
 */
final class SplitPlanning {

    private final Table table;
    private final LakeTableDefinition definition;
    private final long targetSize;
    private final long openFileCost;

    SplitPlanning(Table table, LakeTableDefinition definition) {
        this.table = table;
        this.definition = definition;
        this.targetSize =
                PropertyUtil.propertyAsLong(
                        table.properties(),
                        TableProperties.SPLIT_SIZE,
                        TableProperties.SPLIT_SIZE_DEFAULT);
        this.openFileCost =
                PropertyUtil.propertyAsLong(
                        table.properties(),
                        TableProperties.SPLIT_OPEN_FILE_COST,
                        TableProperties.SPLIT_OPEN_FILE_COST_DEFAULT);
    }

    List<LakeSplit> plan(long snapshotId, Expression filter) {
        Map<Integer, SplitBuilder> buckets = new TreeMap<>();
        try (CloseableIterable<FileScanTask> tasks =
                table.newScan().useSnapshot(snapshotId).filter(filter).planFiles()) {
            for (FileScanTask task : tasks) {
                SplitBuilder builder = buckets.computeIfAbsent(bucket(task), SplitBuilder::new);
                task.split(targetSize).forEach(builder::add);
            }
        } catch (IOException e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot plan the splits of lake snapshot "
                            + snapshotId
                            + " of table "
                            + definition.path().getFullName()
                            + ": "
                            + e.getMessage()
                            + ". Start the read again.",
                    e);
        }
        List<LakeSplit> splits = new ArrayList<>();
        buckets.values().forEach(builder -> splits.addAll(builder.finish()));
        return splits;
    }

    private int bucket(FileScanTask task) {
        if (definition.bucketKeys().isEmpty()) {
            return LakeSplit.UNKNOWN_BUCKET;
        }
        if (definition.bucketCount() == 1) {
            return 0;
        }
        OptionalInt position =
                TableDefinitions.bucketPosition(task.spec(), table.schema(), definition);
        if (position.isEmpty()) {
            return LakeSplit.UNKNOWN_BUCKET;
        }
        Integer bucket = task.file().partition().get(position.getAsInt(), Integer.class);
        return bucket == null ? IcebergBucketFunction.BUCKET_OF_NULL : bucket;
    }

    /** Collects the files of one bucket. */
    private final class SplitBuilder {

        private final int bucket;
        private final List<LakeSplit> splits = new ArrayList<>();
        private final List<FileScanTask> tasks = new ArrayList<>();
        private long weight;
        private long rows;

        private SplitBuilder(int bucket) {
            this.bucket = bucket;
        }

        private void add(FileScanTask task) {
            long deletes = task.deletes().stream().mapToLong(ContentFile::fileSizeInBytes).sum();
            long weightOfTask = Math.max(task.length() + deletes, openFileCost);
            if (!tasks.isEmpty() && weight + weightOfTask > targetSize) {
                flush();
            }
            tasks.add(task);
            weight += weightOfTask;
            rows += Math.max(1, task.estimatedRowsCount());
        }

        private void flush() {
            splits.add(new LakeSplit(bucket, rows, SplitCodec.encode(tasks)));
            tasks.clear();
            weight = 0;
            rows = 0;
        }

        private List<LakeSplit> finish() {
            if (!tasks.isEmpty()) {
                flush();
            }
            return splits;
        }
    }
}
