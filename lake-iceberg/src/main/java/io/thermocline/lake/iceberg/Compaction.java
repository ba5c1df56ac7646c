package io.thermocline.lake.iceberg;

import io.thermocline.lake.DeleteStyle;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.flink.source.DataIterator;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.RollingDataWriter;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.StructLikeWrapper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rewrites small files, and files of which rows were deleted, partition by partition. The new files
 * get the sequence number of the snapshot that was read, so that deletes by key which are committed
 * in the meantime apply to them. Deletes by position of the files that it read make a compaction
 * fail, as another compaction of them does; then it is given up until the next run. A table's
 * tiering rounds and its maintenance take turns, so that neither keeps the other from its end.
 */
final class Compaction {

    private static final Logger LOG = LoggerFactory.getLogger(Compaction.class);

    /** A partition with fewer small files than this is left as it is. */
    private static final int MIN_SMALL_FILES = 5;

    /** A partition with at least so many files of deletes may be rewritten. */
    private static final int MIN_DELETE_FILES = 5;

    /** It is rewritten if the deletes are at least this part of its rows … */
    private static final double MIN_DELETED_RATIO = 0.1;

    /** … or if there are so many files of them that reading becomes slow. */
    private static final int MAX_DELETE_FILES = 50;

    /** A file below this part of the target size is small. */
    private static final double SMALL_RATIO = 0.75;

    /**
     * A file is rewritten if deletes by position of it alone are at least this part of its rows.
     */
    private static final double MIN_DELETED_OF_FILE = 0.3;

    /** A small file is left out if it is larger than so many times the smaller ones together. */
    private static final int MAX_SIZE_RATIO = 4;

    /**
     * Bytes rewritten in one run at most (a partition begun is finished), so that it stays short.
     */
    private static final long MAX_BYTES = 4L << 30;

    private final ObjectPath path;
    private final Table table;
    private final long smallSize;
    private final boolean deletesByPosition;

    Compaction(ObjectPath path, Table table) {
        this.path = path;
        this.table = table;
        this.smallSize = (long) (TableFiles.dataFileSize(table) * SMALL_RATIO);
        this.deletesByPosition = TieringCommit.styleOf(table) == DeleteStyle.POSITION;
    }

    void run() {
        Snapshot snapshot = table.currentSnapshot();
        Map<StructLikeWrapper, Partition> partitions = partitions(snapshot);
        if (deletesByPosition) {
            addDeleteFiles(snapshot, partitions);
        }
        List<Partition> due = partitions.values().stream().filter(Partition::isDue).toList();
        if (due.isEmpty()) {
            return;
        }
        if (!deletesByPosition) {
            addDeleteFiles(snapshot, partitions);
        }
        long bytes = 0;
        for (Partition partition : due) {
            if (bytes >= MAX_BYTES) {
                return;
            }
            List<FileScanTask> tasks = partition.toRewrite();
            if (tasks.isEmpty() && partition.deletesAppliedBy(tasks).isEmpty()) {
                continue;
            }
            bytes += tasks.stream().mapToLong(FileScanTask::length).sum();
            rewrite(snapshot, partition, tasks);
        }
    }

    private Map<StructLikeWrapper, Partition> partitions(Snapshot snapshot) {
        StructLikeWrapper key = StructLikeWrapper.forType(table.spec().partitionType());
        Map<StructLikeWrapper, Partition> partitions = new LinkedHashMap<>();
        try (CloseableIterable<FileScanTask> tasks =
                table.newScan().useSnapshot(snapshot.snapshotId()).planFiles()) {
            for (FileScanTask task : tasks) {
                if (task.spec().specId() == table.spec().specId()) {
                    StructLike partition = task.file().partition();
                    partitions
                            .computeIfAbsent(key.copyFor(partition), k -> new Partition(partition))
                            .add(task);
                }
            }
        } catch (IOException e) {
            throw failure("list the files of", e);
        }
        return partitions;
    }

    /** All deletes of a partition, whether or not they apply to one of its files any more. */
    private void addDeleteFiles(Snapshot snapshot, Map<StructLikeWrapper, Partition> partitions) {
        StructLikeWrapper key = StructLikeWrapper.forType(table.spec().partitionType());
        for (ManifestFile manifest : snapshot.deleteManifests(table.io())) {
            if (manifest.partitionSpecId() != table.spec().specId()) {
                continue;
            }
            try (ManifestReader<DeleteFile> deletes =
                    ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())) {
                for (DeleteFile delete : deletes) {
                    Partition partition = partitions.get(key.copyFor(delete.partition()));
                    if (partition != null) {
                        partition.addDelete(delete.copy());
                    }
                }
            } catch (IOException e) {
                throw failure("list the deletes of", e);
            }
        }
    }

    private void rewrite(Snapshot snapshot, Partition partition, List<FileScanTask> tasks) {
        List<DataFile> written = write(partition, tasks);
        RewriteFiles rewrite =
                table.newRewrite()
                        .validateFromSnapshot(snapshot.snapshotId())
                        .dataSequenceNumber(snapshot.sequenceNumber());
        tasks.forEach(task -> rewrite.deleteFile(task.file()));
        partition.deletesAppliedBy(tasks).forEach(rewrite::deleteFile);
        written.forEach(rewrite::addFile);
        try {
            rewrite.commit();
        } catch (CommitStateUnknownException e) {
            throw e;
        } catch (RuntimeException e) {
            TableFiles.delete(table.io(), written);
            LOG.warn(
                    "Compaction of {} files of lake table {} was not committed; the next run tries"
                            + " again",
                    tasks.size(),
                    path.getFullName(),
                    e);
        }
    }

    private List<DataFile> write(Partition partition, List<FileScanTask> tasks) {
        StructLike values = table.spec().isUnpartitioned() ? null : partition.values;
        RollingDataWriter<RowData> writer =
                TableFiles.ofReadRows(table).newDataWriter(table.spec(), values);
        try {
            try (writer;
                    DataIterator<RowData> rows =
                            SplitReading.open(table, tasks, TableFiles.rewrittenSchema(table))) {
                while (rows.hasNext()) {
                    writer.write(rows.next());
                }
            }
            return writer.result().dataFiles();
        } catch (IOException e) {
            throw failure("rewrite files of", e);
        }
    }

    private LakeException failure(String what, IOException e) {
        return new LakeException(
                Reason.IO,
                "cannot " + what + " lake table " + path.getFullName() + ": " + e.getMessage(),
                e);
    }

    private static boolean isByKey(DeleteFile delete) {
        return delete.content() == FileContent.EQUALITY_DELETES;
    }

    /** Deletion vectors share a file. */
    private static String idOf(DeleteFile delete) {
        return delete.location() + "@" + delete.contentOffset();
    }

    /** The files of a partition. */
    private final class Partition {

        private final StructLike values;
        private final List<FileScanTask> tasks = new ArrayList<>();
        private final Map<String, DeleteFile> deletes = new HashMap<>();

        private Partition(StructLike values) {
            this.values = values;
        }

        private void add(FileScanTask task) {
            tasks.add(task);
            task.deletes().forEach(this::addDelete);
        }

        private void addDelete(DeleteFile delete) {
            deletes.put(idOf(delete), delete);
        }

        private boolean isSmall(FileScanTask task) {
            return task.length() < smallSize;
        }

        private boolean isDue() {
            return !smallFiles().isEmpty()
                    || hasManyDeletes()
                    || tasks.stream().anyMatch(this::hasManyDeletesOfItsOwn);
        }

        /** Small files of about one size, so that a file is not rewritten for much smaller ones. */
        private Set<FileScanTask> smallFiles() {
            List<FileScanTask> bySize =
                    tasks.stream()
                            .filter(this::isSmall)
                            .sorted(Comparator.comparingLong(FileScanTask::length))
                            .toList();
            Set<FileScanTask> small = new HashSet<>();
            long bytes = 0;
            for (FileScanTask task : bySize) {
                if (!small.isEmpty() && task.length() > bytes * MAX_SIZE_RATIO) {
                    break;
                }
                small.add(task);
                bytes += task.length();
            }
            return small.size() < MIN_SMALL_FILES ? Set.of() : small;
        }

        /** Deletes that each may apply to any file. */
        private boolean hasManyDeletes() {
            List<DeleteFile> shared =
                    deletes.values().stream()
                            .filter(delete -> !ContentFileUtil.isFileScoped(delete))
                            .toList();
            if (deletesByPosition && shared.stream().anyMatch(Compaction::isByKey)) {
                // left from before: the table is to be without
                return true;
            }
            long rows = tasks.stream().mapToLong(task -> task.file().recordCount()).sum();
            long deleted = shared.stream().mapToLong(ContentFile::recordCount).sum();
            return shared.size() >= MAX_DELETE_FILES
                    || (shared.size() >= MIN_DELETE_FILES && deleted >= rows * MIN_DELETED_RATIO);
        }

        private boolean hasManyDeletesOfItsOwn(FileScanTask task) {
            long deleted =
                    task.deletes().stream()
                            .filter(ContentFileUtil::isFileScoped)
                            .mapToLong(ContentFile::recordCount)
                            .sum();
            return deleted > 0 && deleted >= task.file().recordCount() * MIN_DELETED_OF_FILE;
        }

        private List<FileScanTask> toRewrite() {
            Set<FileScanTask> small = smallFiles();
            boolean withShared = hasManyDeletes();
            return tasks.stream()
                    .filter(
                            task ->
                                    small.contains(task)
                                            || hasManyDeletesOfItsOwn(task)
                                            || (withShared && hasShared(task)))
                    .toList();
        }

        private boolean hasShared(FileScanTask task) {
            return task.deletes().stream().anyMatch(d -> !ContentFileUtil.isFileScoped(d));
        }

        /** The deletes that no file needs any more once some were rewritten. */
        private List<DeleteFile> deletesAppliedBy(List<FileScanTask> rewritten) {
            Set<String> needed = new HashSet<>();
            for (FileScanTask task : tasks) {
                if (!rewritten.contains(task)) {
                    task.deletes().forEach(delete -> needed.add(idOf(delete)));
                }
            }
            return deletes.values().stream()
                    .filter(delete -> !needed.contains(idOf(delete)))
                    .toList();
        }
    }
}
