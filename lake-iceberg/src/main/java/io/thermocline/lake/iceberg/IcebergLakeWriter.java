package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeCommittable;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.LakeWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.RowDataWrapper;
import org.apache.iceberg.io.RollingDataWriter;
import org.apache.iceberg.io.RollingEqualityDeleteWriter;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * Writes data files, and files with deletes by key. A delete takes effect on rows of earlier
 * commits only, so that a row and the delete of its predecessor can be in the same commit.
 */
final class IcebergLakeWriter implements LakeWriter {

    /** Each open partition holds a row group in memory. */
    private static final int MAX_OPEN_PARTITIONS = 64;

    private final LakeTableDefinition definition;
    private final Table table;
    private final PartitionSpec spec;
    private final TableFiles files;
    private final UnaryOperator<Object> intoLake;
    private final RowDataWrapper partitionView;
    private final PartitionKey partitionKey;
    private final @Nullable ProjectedRowData keyOfRow;
    private final RoundFiles written = new RoundFiles();

    /** Open partitions, the one that was used last at the end. */
    private final Map<PartitionKey, OpenPartition> open = new LinkedHashMap<>(16, 0.75f, true);

    private boolean finished;

    IcebergLakeWriter(Table table, LakeTableDefinition definition) {
        this.definition = definition;
        this.table = table;
        this.spec = table.spec();
        Schema schema = table.schema();
        RowType rowType = (RowType) ValueConversion.written(definition.rowType());
        this.files = TableFiles.of(table, rowType);
        this.intoLake =
                ValueConversion.intoLake(definition.rowType()).orElse(UnaryOperator.identity());
        this.partitionView = new RowDataWrapper(rowType, schema.asStruct());
        this.partitionKey = new PartitionKey(spec, schema);
        this.keyOfRow = definition.primaryKey().isEmpty() ? null : keyProjection(schema, rowType);
    }

    private static ProjectedRowData keyProjection(Schema schema, RowType rowType) {
        return ProjectedRowData.from(
                TableFiles.keySchema(schema).columns().stream()
                        .map(Types.NestedField::name)
                        .mapToInt(rowType::getFieldIndex)
                        .toArray());
    }

    @Override
    public void write(int bucket, RowData row) {
        write(row, true);
    }

    @Override
    public void writeNew(int bucket, RowData row) {
        write(row, false);
    }

    private void write(RowData row, boolean mayExist) {
        boolean put = isPut(row);
        RowData held = (RowData) intoLake.apply(row);
        try {
            OpenPartition partition = partitionOf(held);
            if (keyOfRow != null && mayExist) {
                partition.delete(keyOfRow.replaceRow(held));
            }
            if (put) {
                partition.put(held);
            }
        } catch (IOException | RuntimeException e) {
            throw failure("write a row into", e);
        }
    }

    private boolean isPut(RowData row) {
        RowKind kind = row.getRowKind();
        if (kind == RowKind.UPDATE_BEFORE || (kind == RowKind.DELETE && keyOfRow == null)) {
            throw new IllegalArgumentException(
                    "a row of kind "
                            + kind
                            + " cannot be written to "
                            + (keyOfRow == null ? "log" : "primary-key")
                            + " table "
                            + definition.path().getFullName());
        }
        return kind != RowKind.DELETE;
    }

    private OpenPartition partitionOf(RowData held) throws IOException {
        partitionKey.partition(partitionView.wrap(held));
        OpenPartition partition = open.get(partitionKey);
        if (partition == null) {
            if (open.size() == MAX_OPEN_PARTITIONS) {
                closeEldest();
            }
            PartitionKey copy = partitionKey.copy();
            partition = new OpenPartition(copy);
            open.put(copy, partition);
        }
        return partition;
    }

    private void closeEldest() throws IOException {
        Iterator<OpenPartition> eldest = open.values().iterator();
        OpenPartition partition = eldest.next();
        eldest.remove();
        partition.close();
    }

    @Override
    public List<LakeCommittable> finish() {
        try {
            closeAll();
        } catch (IOException | RuntimeException e) {
            throw failure("close the files of", e);
        }
        finished = true;
        return written.isEmpty() ? List.of() : List.of(written.toCommittable());
    }

    private void closeAll() throws IOException {
        while (!open.isEmpty()) {
            closeEldest();
        }
    }

    @Override
    public void close() {
        if (finished) {
            return;
        }
        finished = true;
        try {
            closeAll();
        } catch (IOException | RuntimeException e) {
            throw failure("close the writer of", e);
        } finally {
            TableFiles.delete(table.io(), written.all());
        }
    }

    private LakeException failure(String what, Exception e) {
        boolean io = e instanceof IOException || e instanceof UncheckedIOException;
        return new LakeException(
                Reason.IO,
                "cannot "
                        + what
                        + " lake table "
                        + definition.path().getFullName()
                        + ": "
                        + e.getMessage()
                        + (io ? ". Check the space and permissions of the warehouse." : ""),
                e);
    }

    /** The writers of a partition, each opened with its first row. */
    private final class OpenPartition {

        private final @Nullable PartitionKey partition;
        private @Nullable RollingDataWriter<RowData> data;
        private @Nullable RollingEqualityDeleteWriter<RowData> deletes;

        private OpenPartition(PartitionKey partition) {
            this.partition = spec.isUnpartitioned() ? null : partition;
        }

        private void put(RowData row) throws IOException {
            if (data == null) {
                data = files.newDataWriter(spec, partition);
            }
            data.write(row);
        }

        private void delete(RowData key) throws IOException {
            if (deletes == null) {
                deletes = files.newDeleteWriter(spec, partition);
            }
            deletes.write(key);
        }

        private void close() throws IOException {
            if (data != null) {
                data.close();
                written.data().addAll(data.result().dataFiles());
            }
            if (deletes != null) {
                deletes.close();
                written.deletes().addAll(deletes.result().deleteFiles());
            }
        }
    }
}
