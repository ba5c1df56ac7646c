package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.source.DataIterator;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.PartitioningWriter;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.StructLikeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes deletes by position of deletes by key: finds the rows that a snapshot has of the keys, by
 * reading the key columns of the data files that can have them. Each of these data files gets one
 * delete file (a deletion vector from format version 3 on), which takes the place of the one that
 * it had.
 */
final class PositionDeletes {

    /**
     * Bytes of keys held in memory at a time. A round with more of them reads the key columns once
     * for each part of them, so that no round is too large.
     */
    static final int MAX_KEY_BYTES = 64 << 20;

    private static final int FIRST_WITH_VECTORS = 3;

    private final ObjectPath path;
    private final Table table;
    private final Snapshot snapshot;
    private final Schema keySchema;
    private final RowType keyType;
    private final Schema readSchema;
    private final int maxKeyBytes;
    private final BaseDeleteLoader loader;

    /** Data files with rows to delete. */
    private final Map<String, FileScanTask> hit = new HashMap<>();

    /**
     * @param table as it is now; its newest snapshot is the one whose rows are meant
     */
    PositionDeletes(ObjectPath path, Table table, int maxKeyBytes) {
        this.path = path;
        this.table = table;
        this.snapshot = table.currentSnapshot();
        this.keySchema = TableFiles.keySchema(table.schema());
        this.keyType = FlinkSchemaUtil.convert(keySchema);
        this.readSchema = withPosition(keySchema);
        this.maxKeyBytes = maxKeyBytes;
        FileIO io = EncryptingFileIO.combine(table.io(), table.encryption());
        this.loader = new BaseDeleteLoader(io::newInputFile);
    }

    private static Schema withPosition(Schema keySchema) {
        return new Schema(
                Stream.concat(
                                keySchema.columns().stream(),
                                Stream.<Types.NestedField>of(MetadataColumns.ROW_POSITION))
                        .toList());
    }

    /**
     * What deletes the rows of a snapshot.
     *
     * @param snapshotId the snapshot
     * @param written new files, one for each data file
     * @param replaced files whose place they take
     * @param emptied data files that have no rows left, and so are removed
     */
    record Found(
            long snapshotId,
            List<DeleteFile> written,
            List<DeleteFile> replaced,
            List<DataFile> emptied) {

        boolean isEmpty() {
            return written.isEmpty() && emptied.isEmpty();
        }

        /**
         * Adds it to a commit. It fails if there are other rows of the keys by then: if one of the
         * data files is gone or has other deletes, or rows were added.
         */
        void addTo(RowDelta delta) {
            written.forEach(delta::addDeletes);
            replaced.forEach(delta::removeDeletes);
            emptied.forEach(delta::removeRows);
            delta.validateFromSnapshot(snapshotId)
                    .validateDataFilesExist(
                            written.stream()
                                    .map(ContentFileUtil::referencedDataFileLocation)
                                    .toList())
                    .validateDeletedFiles()
                    .validateNoConflictingDataFiles();
        }
    }

    /** Finds the rows of keys, and writes the deletes. The files are of nobody yet. */
    Found of(List<DeleteFile> deletesByKey) {
        PartitioningWriter<PositionDelete<RowData>, DeleteWriteResult> writer =
                TableUtil.formatVersion(table) < FIRST_WITH_VECTORS
                        ? TableFiles.newPositionDeleteWriter(table, this::scopedDeletes)
                        : TableFiles.newVectorWriter(table, this::allDeletes);
        try {
            write(deletesByKey, writer);
            return found(writer.result());
        } catch (IOException | UncheckedIOException e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot find the rows to delete of lake table "
                            + path.getFullName()
                            + " in its snapshot "
                            + snapshot.snapshotId()
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private void write(
            List<DeleteFile> deletesByKey,
            PartitioningWriter<PositionDelete<RowData>, DeleteWriteResult> writer)
            throws IOException {
        try (writer) {
            find(deletesByKey, writer);
        } catch (IOException | RuntimeException e) {
            try {
                TableFiles.delete(table.io(), writer.result().deleteFiles());
            } catch (RuntimeException notClosed) {
                e.addSuppressed(notClosed);
            }
            throw e;
        }
    }

    /** A file whose rows are all deleted needs no deletes. */
    private Found found(DeleteWriteResult result) {
        List<DeleteFile> written = new ArrayList<>();
        List<DataFile> emptied = new ArrayList<>();
        List<DeleteFile> notNeeded = new ArrayList<>();
        for (DeleteFile delete : result.deleteFiles()) {
            DataFile file = hit.get(ContentFileUtil.referencedDataFileLocation(delete)).file();
            if (delete.recordCount() == file.recordCount()) {
                emptied.add(file);
                notNeeded.add(delete);
            } else {
                written.add(delete);
            }
        }
        Set<String> needed = new HashSet<>();
        written.forEach(delete -> needed.add(delete.location()));
        notNeeded.removeIf(delete -> needed.contains(delete.location()));
        TableFiles.delete(table.io(), notNeeded);
        return new Found(snapshot.snapshotId(), written, result.rewrittenDeleteFiles(), emptied);
    }

    private void find(
            List<DeleteFile> deletesByKey,
            PartitioningWriter<PositionDelete<RowData>, DeleteWriteResult> writer)
            throws IOException {
        Keys keys = new Keys();
        for (DeleteFile file : deletesByKey) {
            try (CloseableIterable<RowData> rows = keysOf(file)) {
                for (RowData key : rows) {
                    if (!keys.add(key, file.partition())) {
                        find(keys, writer);
                        keys = new Keys();
                        keys.add(key, file.partition());
                    }
                }
            }
        }
        find(keys, writer);
    }

    private CloseableIterable<RowData> keysOf(DeleteFile file) {
        return FormatModelRegistry.<RowData, RowType>readBuilder(
                        file.format(),
                        RowData.class,
                        EncryptingFileIO.combine(table.io(), table.encryption()).newInputFile(file))
                .project(keySchema)
                .build();
    }

    private void find(
            Keys keys, PartitioningWriter<PositionDelete<RowData>, DeleteWriteResult> writer)
            throws IOException {
        try (CloseableIterable<FileScanTask> tasks =
                table.newScan()
                        .useSnapshot(snapshot.snapshotId())
                        .filter(keys.bounds.expression())
                        .planFiles()) {
            for (FileScanTask task : tasks) {
                if (keys.mayBeIn(task)) {
                    find(keys, task, writer);
                }
            }
        }
    }

    private void find(
            Keys keys,
            FileScanTask task,
            PartitioningWriter<PositionDelete<RowData>, DeleteWriteResult> writer)
            throws IOException {
        String file = task.file().location();
        int position = keySchema.columns().size();
        PositionDelete<RowData> delete = PositionDelete.create();
        try (DataIterator<RowData> rows = SplitReading.open(table, List.of(task), readSchema)) {
            while (rows.hasNext()) {
                RowData row = rows.next();
                if (keys.set.contains(row)) {
                    hit.putIfAbsent(file, task);
                    writer.write(
                            delete.set(file, row.getLong(position)),
                            task.spec(),
                            task.file().partition());
                }
            }
        }
    }

    /** A vector replaces all that a data file had, of whatever kind. */
    private @Nullable PositionDeleteIndex allDeletes(CharSequence file) {
        return load(file, delete -> true);
    }

    /** Deletes of several data files stay as they are. */
    private @Nullable PositionDeleteIndex scopedDeletes(CharSequence file) {
        return load(file, ContentFileUtil::isFileScoped);
    }

    private @Nullable PositionDeleteIndex load(CharSequence file, Predicate<DeleteFile> wanted) {
        List<DeleteFile> previous =
                hit.get(file.toString()).deletes().stream()
                        .filter(delete -> delete.content() == FileContent.POSITION_DELETES)
                        .filter(wanted)
                        .toList();
        return previous.isEmpty() ? null : loader.loadPositionDeletes(previous, file);
    }

    /** As many keys as are looked for at a time. */
    private final class Keys {

        private final KeySet set = new KeySet(keyType, maxKeyBytes);
        private final KeyBounds bounds = new KeyBounds(keySchema, keyType);
        private final StructLikeSet partitions = StructLikeSet.create(table.spec().partitionType());

        private boolean add(RowData key, StructLike partition) {
            if (!set.add(key)) {
                return false;
            }
            bounds.add(key);
            partitions.add(partition);
            return true;
        }

        /** Of files of another partition spec nothing is known. */
        private boolean mayBeIn(FileScanTask task) {
            return task.spec().specId() != table.spec().specId()
                    || partitions.contains(task.file().partition());
        }
    }
}
