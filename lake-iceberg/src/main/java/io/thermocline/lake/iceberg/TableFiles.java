package io.thermocline.lake.iceberg;

import java.util.Collection;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.deletes.DeleteGranularity;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.sink.FlinkFileWriterFactory;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.FanoutPositionOnlyDeleteWriter;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileWriterFactory;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.io.PartitioningDVWriter;
import org.apache.iceberg.io.PartitioningWriter;
import org.apache.iceberg.io.RollingDataWriter;
import org.apache.iceberg.io.RollingEqualityDeleteWriter;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.util.PropertyUtil;
import org.apache.iceberg.util.Tasks;

/** Makes writers of a table's files, of the sizes and formats that its properties ask for. */
final class TableFiles {

    private final Table table;
    private final FileWriterFactory<RowData> writers;
    private final OutputFileFactory names;
    private final long dataFileSize;
    private final long deleteFileSize;

    private TableFiles(Table table, FileWriterFactory<RowData> writers) {
        this.table = table;
        this.writers = writers;
        this.names = names(table, format(table));
        this.dataFileSize = dataFileSize(table);
        this.deleteFileSize =
                PropertyUtil.propertyAsLong(
                        table.properties(),
                        TableProperties.DELETE_TARGET_FILE_SIZE_BYTES,
                        TableProperties.DELETE_TARGET_FILE_SIZE_BYTES_DEFAULT);
    }

    private static OutputFileFactory names(Table table, FileFormat format) {
        return OutputFileFactory.builderFor(table, 0, 0)
                .operationId(UUID.randomUUID().toString())
                .format(format)
                .build();
    }

    /**
     * Writers of rows of a type; of a primary-key table also of deletes by key.
     *
     * @param rowType the rows as they are given to the writers
     */
    static TableFiles of(Table table, RowType rowType) {
        return of(table, table.schema(), rowType);
    }

    private static TableFiles of(Table table, Schema schema, RowType rowType) {
        FlinkFileWriterFactory.Builder builder =
                new FlinkFileWriterFactory.Builder(table).dataSchema(schema).dataFlinkType(rowType);
        Set<Integer> identifiers = table.schema().identifierFieldIds();
        if (!identifiers.isEmpty()) {
            Schema keySchema = keySchema(table.schema());
            builder.equalityFieldIds(identifiers.stream().mapToInt(id -> id).toArray())
                    .equalityDeleteRowSchema(keySchema)
                    .equalityDeleteFlinkType(
                            new RowType(
                                    false,
                                    keySchema.columns().stream()
                                            .map(
                                                    column ->
                                                            rowType.getFields()
                                                                    .get(
                                                                            rowType.getFieldIndex(
                                                                                    column.name())))
                                            .toList()));
        }
        return new TableFiles(table, builder.build());
    }

    /** Writers of rows as they are read with {@link #rewrittenSchema}. */
    static TableFiles ofReadRows(Table table) {
        Schema schema = rewrittenSchema(table);
        return of(table, schema, FlinkSchemaUtil.convert(schema));
    }

    /**
     * The columns that a row takes along into another file: from format version 3 on also its row
     * id and the sequence number of its last change.
     */
    static Schema rewrittenSchema(Table table) {
        return TableUtil.supportsRowLineage(table)
                ? MetadataColumns.schemaWithRowLineage(table.schema())
                : table.schema();
    }

    /** The columns of a delete by key, in the order of the table's. */
    static Schema keySchema(Schema schema) {
        return TypeUtil.select(schema, schema.identifierFieldIds());
    }

    static long dataFileSize(Table table) {
        return PropertyUtil.propertyAsLong(
                table.properties(),
                TableProperties.WRITE_TARGET_FILE_SIZE_BYTES,
                TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT);
    }

    private static FileFormat format(Table table) {
        return FileFormat.fromString(
                table.properties()
                        .getOrDefault(
                                TableProperties.DEFAULT_FILE_FORMAT,
                                TableProperties.DEFAULT_FILE_FORMAT_DEFAULT));
    }

    RollingDataWriter<RowData> newDataWriter(PartitionSpec spec, StructLike partition) {
        return new RollingDataWriter<>(writers, names, table.io(), dataFileSize, spec, partition);
    }

    RollingEqualityDeleteWriter<RowData> newDeleteWriter(PartitionSpec spec, StructLike partition) {
        return new RollingEqualityDeleteWriter<>(
                writers, names, table.io(), deleteFileSize, spec, partition);
    }

    /**
     * A writer of deletes by position, one file for each data file. It is of Parquet whatever the
     * table's format is, because it is the bounds of its column of paths that say which data file
     * that is.
     *
     * @param previous deletes of a data file that its new ones take the place of
     */
    static PartitioningWriter<PositionDelete<RowData>, DeleteWriteResult> newPositionDeleteWriter(
            Table table, Function<CharSequence, PositionDeleteIndex> previous) {
        FileFormat format = FileFormat.PARQUET;
        return new FanoutPositionOnlyDeleteWriter<>(
                new FlinkFileWriterFactory.Builder(table)
                        .dataSchema(table.schema())
                        .deleteFileFormat(format)
                        .build(),
                names(table, format),
                table.io(),
                Long.MAX_VALUE,
                DeleteGranularity.FILE,
                previous);
    }

    /**
     * A writer of deletion vectors, which share a file.
     *
     * @param previous deletes of a data file that its new ones take the place of
     */
    static PartitioningWriter<PositionDelete<RowData>, DeleteWriteResult> newVectorWriter(
            Table table, Function<CharSequence, PositionDeleteIndex> previous) {
        return new PartitioningDVWriter<>(names(table, FileFormat.PUFFIN), previous);
    }

    /** Deletes files that no snapshot refers to; what cannot be deleted is left to be orphaned. */
    static void delete(FileIO io, Collection<? extends ContentFile<?>> files) {
        // deletion vectors share a file
        Tasks.foreach(files.stream().map(ContentFile::location).distinct().toList())
                .suppressFailureWhenFinished()
                .run(io::deleteFile);
    }
}
