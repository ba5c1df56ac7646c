package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeDifference;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeSplit;
import io.thermocline.lake.LakeTableDefinition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.IncrementalAppendScan;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
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
        return splits(tasks(snapshotId, filter));
    }

    private List<FileScanTask> tasks(long snapshotId, Expression filter) {
        return tasks(
                snapshotId,
                () -> table.newScan().useSnapshot(snapshotId).filter(filter).planFiles());
    }

    private List<FileScanTask> tasks(
            long snapshotId, Supplier<CloseableIterable<FileScanTask>> plan) {
        List<FileScanTask> found = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks = plan.get()) {
            tasks.forEach(found::add);
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
        return found;
    }

    private List<LakeSplit> splits(Collection<FileScanTask> tasks) {
        Map<Integer, SplitBuilder> buckets = new TreeMap<>();
        for (FileScanTask task : tasks) {
            SplitBuilder builder = buckets.computeIfAbsent(bucket(task), SplitBuilder::new);
            task.split(targetSize).forEach(builder::add);
        }
        List<LakeSplit> splits = new ArrayList<>();
        buckets.values().forEach(builder -> splits.addAll(builder.finish()));
        return splits;
    }

    /** The data files that only one of them has, and those with other deletions. */
    LakeDifference difference(long from, long to) {
        Map<String, FileScanTask> before = byContent(from);
        Map<String, FileScanTask> after = byContent(to);
        Set<String> same = new HashSet<>(before.keySet());
        same.retainAll(after.keySet());
        before.keySet().removeAll(same);
        after.keySet().removeAll(same);
        return new LakeDifference(splits(before.values()), splits(after.values()));
    }

    private Map<String, FileScanTask> byContent(long snapshotId) {
        Map<String, FileScanTask> tasks = new TreeMap<>();
        for (FileScanTask task : tasks(snapshotId, Expressions.alwaysTrue())) {
            tasks.put(content(task), task);
        }
        return tasks;
    }

    private static String content(FileScanTask task) {
        return task.file().location()
                + task.deletes().stream()
                        .map(delete -> "\n" + delete.location() + " " + delete.contentOffset())
                        .sorted()
                        .collect(Collectors.joining());
    }

    /** The files that a snapshot appended, one split each, in an order that never changes. */
    List<LakeSplit> planAppended(Snapshot snapshot) {
        Map<String, LakeSplit> splits = new TreeMap<>();
        for (FileScanTask task : appendedTasks(snapshot)) {
            splits.put(
                    task.file().location(),
                    new LakeSplit(
                            bucket(task),
                            task.file().recordCount(),
                            SplitCodec.encode(List.of(task))));
        }
        return List.copyOf(splits.values());
    }

    private List<FileScanTask> appendedTasks(Snapshot snapshot) {
        IncrementalAppendScan scan =
                table.newIncrementalAppendScan().toSnapshot(snapshot.snapshotId());
        IncrementalAppendScan bounded =
                snapshot.parentId() == null || table.snapshot(snapshot.parentId()) == null
                        ? scan.fromSnapshotInclusive(snapshot.snapshotId())
                        : scan.fromSnapshotExclusive(snapshot.parentId());
        return tasks(snapshot.snapshotId(), bounded::planFiles);
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
