package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeCommittable;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.flink.FlinkRowWrapper;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.CommitMessageSerializer;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Writes files without compacting: a compaction in the same commit would become a second snapshot,
 * and one more way for the commit to fail half-way.
 */
final class PaimonLakeWriter implements LakeWriter {

    /**
     * Memory for sorting rows before they are written, unless the table's options say otherwise.
     */
    private static final String WRITE_BUFFER = "64 mb";

    /** Writers commit as the same user; only the commit tells rounds apart. */
    private static final long IDENTIFIER = 0;

    private final ObjectPath path;
    private final FileStoreTable table;
    private final boolean hasPrimaryKey;
    private final boolean hasFixedBuckets;
    private final @Nullable DynamicBuckets dynamicBuckets;
    private final IOManager ioManager;
    private final TableWriteImpl<?> write;

    private boolean finished;
    private boolean closed;

    PaimonLakeWriter(ObjectPath path, FileStoreTable table, String temporaryDirectory) {
        this.path = path;
        Map<String, String> options = new HashMap<>();
        options.put(CoreOptions.WRITE_ONLY.key(), "true");
        if (!table.options().containsKey(CoreOptions.WRITE_BUFFER_SIZE.key())) {
            options.put(CoreOptions.WRITE_BUFFER_SIZE.key(), WRITE_BUFFER);
        }
        this.table = table.copy(options);
        this.hasPrimaryKey = !table.primaryKeys().isEmpty();
        this.hasFixedBuckets = table.bucketMode() == BucketMode.HASH_FIXED;
        SnapshotCreation.checkAtomic(path, table);
        this.ioManager = IOManager.create(temporaryDirectory);
        String user = UUID.randomUUID().toString();
        this.write = this.table.newWrite(user).withIOManager(ioManager);
        this.dynamicBuckets =
                table.bucketMode() == BucketMode.HASH_DYNAMIC
                        ? new DynamicBuckets(path, table)
                        : null;
    }

    @Override
    public void write(int bucket, RowData rowData) {
        TieringRow row = new TieringRow(rowData, kind(rowData));
        try {
            write.write(row, lakeBucket(bucket, row));
            if (dynamicBuckets != null) {
                for (int other : dynamicBuckets.otherBuckets(row)) {
                    write.write(new TieringRow(rowData, RowKind.DELETE), other);
                }
            }
        } catch (Exception e) {
            throw failure("write a row of bucket " + bucket + " into", e);
        }
    }

    private int lakeBucket(int bucket, InternalRow row) {
        if (dynamicBuckets != null) {
            return dynamicBuckets.bucket(row);
        }
        // Where the lake keeps no buckets, all files are in the one that Paimon calls 0.
        return hasFixedBuckets ? bucket : 0;
    }

    @Override
    public List<LakeCommittable> finish() {
        try {
            List<CommitMessage> messages = write.prepareCommit(true, IDENTIFIER);
            finished = true;
            if (dynamicBuckets != null) {
                messages = dynamicBuckets.corrected(messages);
            }
            CommitMessageSerializer serializer = new CommitMessageSerializer();
            List<LakeCommittable> committables = new ArrayList<>();
            for (CommitMessage message : messages) {
                DataIncrement written = ((CommitMessageImpl) message).newFilesIncrement();
                List<DataFileMeta> files = written.newFiles();
                if (!written.isEmpty()) {
                    committables.add(
                            new LakeCommittable(
                                    serializer.getVersion(),
                                    serializer.serialize(message),
                                    files.size(),
                                    files.stream().mapToLong(DataFileMeta::fileSize).sum()));
                }
            }
            return committables;
        } catch (Exception e) {
            throw failure("close the files of", e);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Exception failure = null;
        if (!finished) {
            try {
                // Append-only writers keep unfinished files on close, so finish and delete them.
                TieringCommit.deleteFiles(table, write.prepareCommit(true, IDENTIFIER));
            } catch (Exception e) {
                failure = e;
            }
        }
        try (IOManager closedLast = ioManager) {
            write.close();
        } catch (Exception e) {
            if (failure == null) {
                failure = e;
            } else {
                failure.addSuppressed(e);
            }
        }
        if (failure != null) {
            throw failure("close the writer of", failure);
        }
    }

    private LakeException failure(String what, Exception e) {
        if (e instanceof LakeException lakeException) {
            return lakeException;
        }
        return new LakeException(
                Reason.IO,
                "cannot "
                        + what
                        + " lake table "
                        + path.getFullName()
                        + ": "
                        + e.getMessage()
                        + (e instanceof IOException
                                ? ". Check the space and permissions of the warehouse."
                                : ""),
                e);
    }

    private RowKind kind(RowData row) {
        return switch (row.getRowKind()) {
            case INSERT, UPDATE_AFTER -> RowKind.INSERT;
            case DELETE -> {
                if (!hasPrimaryKey) {
                    throw refused(row);
                }
                yield RowKind.DELETE;
            }
            case UPDATE_BEFORE -> throw refused(row);
        };
    }

    private IllegalArgumentException refused(RowData row) {
        return new IllegalArgumentException(
                "a row of kind "
                        + row.getRowKind()
                        + " cannot be written to "
                        + (hasPrimaryKey ? "primary-key" : "log")
                        + " table "
                        + path.getFullName());
    }

    /** A row of the changelog as Paimon's writer wants it: to be put, or to be deleted. */
    private static final class TieringRow extends FlinkRowWrapper {

        private RowKind kind;

        private TieringRow(RowData row, RowKind kind) {
            super(row);
            this.kind = kind;
        }

        @Override
        public RowKind getRowKind() {
            return kind;
        }

        @Override
        public void setRowKind(RowKind kind) {
            this.kind = kind;
        }
    }
}
