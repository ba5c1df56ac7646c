package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeDifference;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeScan;
import io.thermocline.lake.LakeSplit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.flink.FlinkRowData;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataInputViewStreamWrapper;
import org.apache.paimon.io.DataOutputViewStreamWrapper;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.ScanMode;
import org.apache.paimon.table.source.snapshot.SnapshotReader;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypeRoot;
import org.jspecify.annotations.Nullable;

/** Plans and reads the splits of a snapshot. */
final class SplitReading {

    private final ObjectPath path;
    private final FileStoreTable table;

    SplitReading(ObjectPath path, FileStoreTable table) {
        this.path = path;
        this.table = table;
    }

    List<LakeSplit> plan(Snapshot snapshot, @Nullable Predicate filter) {
        return dataSplits(snapshot, filter).stream().map(this::lakeSplit).toList();
    }

    private List<DataSplit> dataSplits(Snapshot snapshot, @Nullable Predicate filter) {
        SnapshotReader reader =
                table.newSnapshotReader().withMode(ScanMode.ALL).withSnapshot(snapshot);
        if (filter != null) {
            reader.withFilter(filter);
        }
        if (hidesLevelZero(table)) {
            reader.withLevelFilter(level -> level > 0);
        }
        return reader.read().dataSplits();
    }

    private LakeSplit lakeSplit(DataSplit split) {
        return new LakeSplit(bucket(split), split.rowCount(), serialize(split));
    }

    /** The buckets whose files are not the same: rows of several files of a bucket are merged. */
    LakeDifference difference(Snapshot from, Snapshot to) {
        Map<Place, List<DataSplit>> before = byPlace(from);
        Map<Place, List<DataSplit>> after = byPlace(to);
        before.entrySet()
                .removeIf(
                        entry -> {
                            List<DataSplit> now = after.get(entry.getKey());
                            boolean same =
                                    now != null && files(now).equals(files(entry.getValue()));
                            if (same) {
                                after.remove(entry.getKey());
                            }
                            return same;
                        });
        return new LakeDifference(lakeSplits(before), lakeSplits(after));
    }

    private record Place(BinaryRow partition, int bucket) {}

    private Map<Place, List<DataSplit>> byPlace(Snapshot snapshot) {
        Map<Place, List<DataSplit>> splits = new HashMap<>();
        for (DataSplit split : dataSplits(snapshot, null)) {
            splits.computeIfAbsent(
                            new Place(split.partition(), split.bucket()),
                            place -> new ArrayList<>())
                    .add(split);
        }
        return splits;
    }

    private static Set<String> files(List<DataSplit> splits) {
        Set<String> files = new HashSet<>();
        for (DataSplit split : splits) {
            split.dataFiles().forEach(file -> files.add(file.fileName()));
            split.deletionFiles().ifPresent(deletions -> deletions.forEach(d -> files.add("" + d)));
        }
        return files;
    }

    private List<LakeSplit> lakeSplits(Map<Place, List<DataSplit>> splits) {
        return splits.values().stream().flatMap(List::stream).map(this::lakeSplit).toList();
    }

    /** The files that a snapshot added, one split each, in an order that never changes. */
    List<LakeSplit> planAppended(Snapshot snapshot) {
        Map<String, LakeSplit> splits = new TreeMap<>();
        for (DataSplit split :
                table.newSnapshotReader()
                        .withMode(ScanMode.DELTA)
                        .withSnapshot(snapshot)
                        .read()
                        .dataSplits()) {
            for (DataFileMeta file : split.dataFiles()) {
                DataSplit single =
                        DataSplit.builder()
                                .withSnapshot(snapshot.id())
                                .withPartition(split.partition())
                                .withBucket(split.bucket())
                                .withBucketPath(split.bucketPath())
                                .withTotalBuckets(split.totalBuckets())
                                .withDataFiles(List.of(file))
                                .isStreaming(false)
                                .rawConvertible(true)
                                .build();
                splits.put(split.bucketPath() + "/" + file.fileName(), lakeSplit(single));
            }
        }
        return List.copyOf(splits.values());
    }

    /** Whether readers see new files of a primary-key table only after they were compacted. */
    static boolean hidesLevelZero(FileStoreTable table) {
        return !table.primaryKeys().isEmpty() && table.coreOptions().deletionVectorsEnabled();
    }

    private int bucket(DataSplit split) {
        boolean aligned =
                table.bucketMode() == BucketMode.HASH_FIXED
                        && split.totalBuckets() != null
                        && split.totalBuckets() == table.coreOptions().bucket();
        return aligned ? split.bucket() : LakeSplit.UNKNOWN_BUCKET;
    }

    CloseableIterator<RowData> read(LakeSplit split, LakeScan scan, @Nullable Predicate filter) {
        boolean empty = scan.projection().isEmpty();
        int[] columns = empty ? new int[] {cheapestColumn()} : columns(scan.projection());
        ReadBuilder builder = table.newReadBuilder().withProjection(columns);
        if (filter != null) {
            builder.withFilter(filter);
        }
        try {
            org.apache.paimon.utils.CloseableIterator<InternalRow> rows =
                    builder.newRead()
                            .executeFilter()
                            .createReader(deserialize(split.payload()))
                            .toCloseableIterator();
            return empty ? new EmptyRows(rows) : new Rows(rows);
        } catch (IOException | UncheckedIOException e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot read a split of lake snapshot "
                            + scan.snapshotId()
                            + " of table "
                            + path.getFullName()
                            + ": "
                            + e.getMessage()
                            + ". If a data file is missing, the snapshot has expired: start the read"
                            + " again.",
                    e);
        }
    }

    private int[] columns(List<String> names) {
        List<String> all = table.rowType().getFieldNames();
        int[] columns = new int[names.size()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = all.indexOf(names.get(i));
            if (columns[i] < 0) {
                throw new LakeException(
                        Reason.UNSUPPORTED,
                        "column '"
                                + names.get(i)
                                + "' does not exist in lake table "
                                + path.getFullName()
                                + ", which has "
                                + all
                                + ". Restart the job to see the present columns.");
            }
        }
        return columns;
    }

    /** Rows without columns are counted on a column that costs little to read. */
    private int cheapestColumn() {
        List<DataField> fields = table.rowType().getFields();
        for (int field = 0; field < fields.size(); field++) {
            if (!isNested(fields.get(field).type().getTypeRoot())) {
                return field;
            }
        }
        return 0;
    }

    private static boolean isNested(DataTypeRoot root) {
        return root == DataTypeRoot.ARRAY || root == DataTypeRoot.MAP || root == DataTypeRoot.ROW;
    }

    private static byte[] serialize(DataSplit split) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            split.serialize(new DataOutputViewStreamWrapper(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static DataSplit deserialize(byte[] payload) throws IOException {
        return DataSplit.deserialize(
                new DataInputViewStreamWrapper(new ByteArrayInputStream(payload)));
    }

    private static final class Rows implements CloseableIterator<RowData> {

        private final org.apache.paimon.utils.CloseableIterator<InternalRow> rows;
        private final StateRow row = new StateRow();

        private Rows(org.apache.paimon.utils.CloseableIterator<InternalRow> rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public RowData next() {
            return row.replace(rows.next());
        }

        @Override
        public void close() throws Exception {
            rows.close();
        }
    }

    private static final class EmptyRows implements CloseableIterator<RowData> {

        private final org.apache.paimon.utils.CloseableIterator<InternalRow> rows;
        private final RowData row = new GenericRowData(0);

        private EmptyRows(org.apache.paimon.utils.CloseableIterator<InternalRow> rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public RowData next() {
            rows.next();
            return row;
        }

        @Override
        public void close() throws Exception {
            rows.close();
        }
    }

    /** A row of the table's state: an insertion, whatever kind of change left it there. */
    private static final class StateRow extends FlinkRowData {

        private StateRow() {
            super(null);
        }

        @Override
        public RowKind getRowKind() {
            return RowKind.INSERT;
        }
    }
}
