package io.thermocline.lake.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.SortOrderComparators;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.StructLikeWrapper;

/**
 * What Iceberg's table specification asks of a table's newest snapshot, held against metadata,
 * manifests and files as Iceberg itself reads them. Remembers the files that it has read.
 */
final class SpecRules {

    private final Map<String, FileRows> read = new HashMap<>();
    private final Map<String, ContentFile<?>> checked = new HashMap<>();

    private Table table;
    private Snapshot snapshot;
    private PositionRules positions;
    private List<DataFile> data;
    private List<DeleteFile> deletes;

    /** Checks everything about the newest snapshot. */
    void check(Table table, Set<String> identifiers) {
        this.table = table;
        this.snapshot = table.currentSnapshot();
        this.positions = new PositionRules(table);
        this.data = new ArrayList<>();
        this.deletes = new ArrayList<>();
        checkIdentifiers(identifiers);
        snapshot.allManifests(table.io()).forEach(this::checkManifest);
        checkSequenceNumbers();
        checkSummary();
        data.forEach(this::checkDataFile);
        deletes.forEach(this::checkDeleteFile);
        PositionRules.checkOneOfEachFile(deletes);
        checkPlan();
        if (TableUtil.supportsRowLineage(table)) {
            checkRowIds();
        }
    }

    private void checkIdentifiers(Set<String> identifiers) {
        Schema schema = table.schema();
        assertThat(schema.identifierFieldNames()).isEqualTo(identifiers);
        for (int id : schema.identifierFieldIds()) {
            Types.NestedField field = schema.findField(id);
            assertThat(field.isRequired()).as(field.name()).isTrue();
            assertThat(schema.columns()).contains(field);
            assertThat(field.type().isPrimitiveType()).as(field.name()).isTrue();
            assertThat(field.type().typeId())
                    .isNotIn(Type.TypeID.FLOAT, Type.TypeID.DOUBLE, Type.TypeID.VARIANT);
        }
    }

    private void checkManifest(ManifestFile manifest) {
        if (manifest.content() == ManifestContent.DATA) {
            List<DataFile> live = live(ManifestFiles.read(manifest, table.io(), table.specs()));
            checkManifest(manifest, live);
            data.addAll(live);
        } else {
            List<DeleteFile> live =
                    live(ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs()));
            checkManifest(manifest, live);
            deletes.addAll(live);
        }
    }

    private static <F extends ContentFile<F>> List<F> live(ManifestReader<F> manifest) {
        try (manifest) {
            List<F> live = new ArrayList<>();
            for (F file : manifest) {
                live.add(file.copy());
            }
            return live;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void checkManifest(ManifestFile manifest, List<? extends ContentFile<?>> live) {
        assertThat(manifest.addedFilesCount() + manifest.existingFilesCount())
                .isEqualTo(live.size());
        assertThat(manifest.addedRowsCount() + manifest.existingRowsCount())
                .isEqualTo(live.stream().mapToLong(ContentFile::recordCount).sum());
        assertThat(manifest.sequenceNumber()).isLessThanOrEqualTo(snapshot.sequenceNumber());
        assertThat(live).allMatch(file -> file.specId() == manifest.partitionSpecId());
        if (!live.isEmpty()) {
            assertThat(manifest.minSequenceNumber())
                    .isEqualTo(
                            live.stream()
                                    .mapToLong(ContentFile::dataSequenceNumber)
                                    .min()
                                    .orElseThrow());
            checkPartitionSummaries(manifest, live);
        }
    }

    private void checkPartitionSummaries(
            ManifestFile manifest, List<? extends ContentFile<?>> live) {
        Types.StructType type = table.specs().get(manifest.partitionSpecId()).partitionType();
        for (int i = 0; i < type.fields().size(); i++) {
            Type.PrimitiveType fieldType = type.fields().get(i).type().asPrimitiveType();
            Comparator<Object> order = Comparators.forType(fieldType);
            ManifestFile.PartitionFieldSummary summary = manifest.partitions().get(i);
            for (ContentFile<?> file : live) {
                Object value = file.partition().get(i, Object.class);
                if (value == null) {
                    assertThat(summary.containsNull()).isTrue();
                } else {
                    assertThat(order.compare(bound(fieldType, summary.lowerBound()), value))
                            .isNotPositive();
                    assertThat(order.compare(bound(fieldType, summary.upperBound()), value))
                            .isNotNegative();
                }
            }
        }
    }

    private static Object bound(Type type, ByteBuffer bound) {
        return Conversions.fromByteBuffer(type, bound);
    }

    private void checkSequenceNumbers() {
        TableMetadata metadata = ((HasTableOperations) table).operations().current();
        assertThat(metadata.lastSequenceNumber()).isEqualTo(snapshot.sequenceNumber());
        Snapshot parent = snapshot.parentId() == null ? null : table.snapshot(snapshot.parentId());
        if (parent != null) {
            assertThat(snapshot.sequenceNumber()).isGreaterThan(parent.sequenceNumber());
        }
        List<ContentFile<?>> live = new ArrayList<>(data);
        live.addAll(deletes);
        for (ContentFile<?> file : live) {
            assertThat(file.dataSequenceNumber())
                    .isPositive()
                    .isLessThanOrEqualTo(file.fileSequenceNumber());
            assertThat(file.fileSequenceNumber()).isLessThanOrEqualTo(snapshot.sequenceNumber());
        }
        SnapshotChanges changes = SnapshotChanges.builderFor(table).build();
        boolean replace = snapshot.operation().equals(DataOperations.REPLACE);
        List<ContentFile<?>> added = new ArrayList<>();
        changes.addedDataFiles().forEach(added::add);
        changes.addedDeleteFiles().forEach(added::add);
        for (ContentFile<?> file : added) {
            assertThat(file.fileSequenceNumber()).isEqualTo(snapshot.sequenceNumber());
            if (!replace) {
                assertThat(file.dataSequenceNumber()).isEqualTo(snapshot.sequenceNumber());
            }
        }
        if (replace) {
            assertThat(changes.addedDeleteFiles()).isEmpty();
            assertThat(changes.removedDataFiles()).isNotEmpty();
        } else {
            checkRemoved(changes, parent);
        }
        if (snapshot.operation().equals(DataOperations.APPEND)) {
            assertThat(changes.addedDeleteFiles()).isEmpty();
        }
    }

    /**
     * Without being rewritten, a data file goes when all its rows are deleted, and deletes by
     * position when others take their place.
     */
    private void checkRemoved(SnapshotChanges changes, Snapshot parent) {
        Set<String> settled = new HashSet<>();
        for (DataFile removed : changes.removedDataFiles()) {
            settled.add(removed.location());
        }
        for (DeleteFile added : changes.addedDeleteFiles()) {
            settled.add(ContentFileUtil.referencedDataFileLocation(added));
        }
        Set<String> removed = new HashSet<>();
        changes.removedDeleteFiles().forEach(delete -> removed.add(idOf(delete)));
        if (removed.isEmpty()) {
            return;
        }
        // what is removed has lost its bounds
        for (ManifestFile manifest : parent.deleteManifests(table.io())) {
            for (DeleteFile before :
                    live(ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs()))) {
                if (removed.remove(idOf(before))) {
                    assertThat(before.content()).isEqualTo(FileContent.POSITION_DELETES);
                    assertThat(settled)
                            .contains(ContentFileUtil.referencedDataFileLocation(before));
                }
            }
        }
        assertThat(removed).isEmpty();
    }

    private static long rows(List<DeleteFile> deletes, FileContent content) {
        return deletes.stream()
                .filter(delete -> delete.content() == content)
                .mapToLong(ContentFile::recordCount)
                .sum();
    }

    private void checkSummary() {
        long bytes =
                data.stream().mapToLong(ContentFile::fileSizeInBytes).sum()
                        + deletes.stream().mapToLong(SpecRules::size).sum();
        assertThat(snapshot.summary())
                .containsEntry("total-data-files", String.valueOf(data.size()))
                .containsEntry("total-delete-files", String.valueOf(deletes.size()))
                .containsEntry(
                        "total-records",
                        String.valueOf(data.stream().mapToLong(ContentFile::recordCount).sum()))
                .containsEntry(
                        "total-equality-deletes",
                        String.valueOf(rows(deletes, FileContent.EQUALITY_DELETES)))
                .containsEntry(
                        "total-position-deletes",
                        String.valueOf(rows(deletes, FileContent.POSITION_DELETES)))
                .containsEntry("total-files-size", String.valueOf(bytes));
    }

    /** Checks a file once; afterwards the manifests must say the same of it. */
    private boolean isNew(ContentFile<?> file) {
        ContentFile<?> before = checked.putIfAbsent(idOf(file), file);
        if (before != null) {
            assertThat(file.recordCount()).isEqualTo(before.recordCount());
            assertThat(file.dataSequenceNumber()).isEqualTo(before.dataSequenceNumber());
            assertThat(file.fileSequenceNumber()).isEqualTo(before.fileSequenceNumber());
            assertThat(file.firstRowId()).isEqualTo(before.firstRowId());
            assertThat(file.nullValueCounts()).isEqualTo(before.nullValueCounts());
            assertThat(file.lowerBounds()).isEqualTo(before.lowerBounds());
            assertThat(file.upperBounds()).isEqualTo(before.upperBounds());
        }
        return before == null;
    }

    private void checkDataFile(DataFile file) {
        if (!isNew(file)) {
            return;
        }
        FileRows rows = rowsOf(file);
        assertThat(file.content()).isEqualTo(FileContent.DATA);
        assertThat(file.equalityFieldIds()).isNull();
        checkFile(file, rows);
        InternalRecordWrapper view = new InternalRecordWrapper(table.schema().asStruct());
        rows.rows().forEach(row -> checkPlace(file, view.wrap(row)));
    }

    /** Deletion vectors share a file. */
    private static String idOf(ContentFile<?> file) {
        return file instanceof DeleteFile delete
                ? file.location() + "@" + delete.contentOffset()
                : file.location();
    }

    private static long size(DeleteFile file) {
        return ContentFileUtil.isDV(file) ? file.contentSizeInBytes() : file.fileSizeInBytes();
    }

    private void checkDeleteFile(DeleteFile file) {
        if (!isNew(file)) {
            return;
        }
        if (file.content() == FileContent.POSITION_DELETES) {
            DataFile deletedFrom =
                    data.stream()
                            .filter(other -> PositionRules.isOf(file, other))
                            .findFirst()
                            .orElseThrow();
            positions.check(file, deletedFrom);
            return;
        }
        FileRows rows = rowsOf(file);
        assertThat(file.content()).isEqualTo(FileContent.EQUALITY_DELETES);
        assertThat(Set.copyOf(file.equalityFieldIds()))
                .isEqualTo(table.schema().identifierFieldIds());
        if (file.format() == FileFormat.PARQUET) {
            assertThat(file.valueCounts().keySet()).isEqualTo(table.schema().identifierFieldIds());
        }
        checkFile(file, rows);
        InternalRecordWrapper view = new InternalRecordWrapper(table.schema().asStruct());
        GenericRecord full = GenericRecord.create(table.schema());
        for (Record key : rows.rows()) {
            key.struct()
                    .fields()
                    .forEach(field -> full.setField(field.name(), key.getField(field.name())));
            checkPlace(file, view.wrap(full));
        }
    }

    private void checkFile(ContentFile<?> file, FileRows rows) {
        assertThat(rows.rows()).as("a file without rows").isNotEmpty();
        assertThat(file.fileSizeInBytes())
                .isEqualTo(table.io().newInputFile(file.location()).getLength());
        assertThat(file.recordCount()).isEqualTo(rows.rows().size());
        if (file.format() == FileFormat.PARQUET) {
            // Iceberg's writers of other formats know less.
            assertThat(file.splitOffsets()).isNotEmpty().isSorted();
            rows.checkMetrics(file);
        }
        Integer order = file.sortOrderId();
        if (order != null && table.sortOrders().get(order).isSorted()) {
            List<StructLike> views = new ArrayList<>();
            rows.rows()
                    .forEach(
                            row ->
                                    views.add(
                                            new InternalRecordWrapper(table.schema().asStruct())
                                                    .wrap(row)));
            assertThat(views)
                    .isSortedAccordingTo(
                            SortOrderComparators.forSchema(
                                    table.schema(), table.sortOrders().get(order)));
        }
    }

    /** A row's partition is that of its file. */
    private void checkPlace(ContentFile<?> file, StructLike row) {
        PartitionSpec spec = table.specs().get(file.specId());
        PartitionKey place = new PartitionKey(spec, table.schema());
        place.partition(row);
        StructLikeWrapper wrapper = StructLikeWrapper.forType(spec.partitionType());
        assertThat(wrapper.copyFor(place)).isEqualTo(wrapper.copyFor(file.partition()));
    }

    private FileRows rowsOf(ContentFile<?> file) {
        return read.computeIfAbsent(
                file.location(),
                location ->
                        FileRows.read(
                                table,
                                file,
                                switch (file.content()) {
                                    case DATA -> dataSchema();
                                    case EQUALITY_DELETES ->
                                            TypeUtil.select(
                                                    table.schema(),
                                                    Set.copyOf(file.equalityFieldIds()));
                                    default -> throw new IllegalArgumentException(location);
                                }));
    }

    private Schema dataSchema() {
        return TableUtil.supportsRowLineage(table)
                ? MetadataColumns.schemaWithRowLineage(table.schema())
                : table.schema();
    }

    /**
     * Only deletes of later snapshots, of the same spec and partition, apply to a file; those by
     * position also to files of the same snapshot, and to one alone.
     */
    private boolean appliesTo(DeleteFile delete, DataFile file) {
        if (delete.content() == FileContent.POSITION_DELETES) {
            return delete.dataSequenceNumber() >= file.dataSequenceNumber()
                    && PositionRules.isOf(delete, file);
        }
        PartitionSpec spec = table.specs().get(delete.specId());
        StructLikeWrapper wrapper = StructLikeWrapper.forType(spec.partitionType());
        return delete.dataSequenceNumber() > file.dataSequenceNumber()
                && (spec.isUnpartitioned()
                        || (delete.specId() == file.specId()
                                && wrapper.copyFor(delete.partition())
                                        .equals(wrapper.copyFor(file.partition()))));
    }

    private boolean deletesRowOf(DeleteFile delete, DataFile file) {
        if (delete.content() == FileContent.POSITION_DELETES) {
            return true;
        }
        Set<Integer> ids = Set.copyOf(delete.equalityFieldIds());
        Set<List<Object>> keys = rowsOf(delete).allValues(ids);
        return rowsOf(file).allValues(ids).stream().anyMatch(keys::contains);
    }

    /** What a scan plans are the deletes that apply; those that meet no row may be left out. */
    private void checkPlan() {
        int planned = 0;
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                planned++;
                Set<String> found = new HashSet<>();
                for (DeleteFile delete : task.deletes()) {
                    assertThat(appliesTo(delete, task.file())).isTrue();
                    found.add(idOf(delete));
                }
                for (DeleteFile delete : deletes) {
                    if (appliesTo(delete, task.file()) && deletesRowOf(delete, task.file())) {
                        assertThat(found).contains(idOf(delete));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(planned).isEqualTo(data.size());
    }

    /** The table's rows: those of data files that no delete applies to. */
    List<Record> rows() {
        List<Record> rows = new ArrayList<>();
        for (DataFile file : data) {
            FileRows content = rowsOf(file);
            List<DeleteFile> applied =
                    deletes.stream().filter(delete -> appliesTo(delete, file)).toList();
            Set<Integer> ids = table.schema().identifierFieldIds();
            Set<List<Object>> keys = new HashSet<>();
            Set<Long> gone = new HashSet<>();
            for (DeleteFile delete : applied) {
                if (delete.content() == FileContent.POSITION_DELETES) {
                    positions.of(delete).forEach(gone::add);
                } else {
                    keys.addAll(rowsOf(delete).allValues(ids));
                }
            }
            long position = 0;
            for (Record row : content.rows()) {
                if (!gone.contains(position++)
                        && (keys.isEmpty() || !keys.contains(content.values(row, ids)))) {
                    rows.add(row);
                }
            }
        }
        return rows;
    }

    private void checkRowIds() {
        long next = ((HasTableOperations) table).operations().current().nextRowId();
        Set<Object> ids = new HashSet<>();
        for (DataFile file : data) {
            assertThat(file.firstRowId()).isNotNull();
        }
        for (Record row : rows()) {
            Object id = row.getField(MetadataColumns.ROW_ID.name());
            assertThat((Long) id).isNotNegative().isLessThan(next);
            assertThat(ids.add(id)).as("row id %s is there once", id).isTrue();
            Object updated = row.getField(MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER.name());
            assertThat((Long) updated).isPositive().isLessThanOrEqualTo(snapshot.sequenceNumber());
        }
        assertThat(Objects.requireNonNull(snapshot.firstRowId()) + snapshot.addedRows())
                .isLessThanOrEqualTo(next);
    }
}
