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
import java.util.Set;
import org.apache.iceberg.Accessor;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/** The rows that a file really has, to hold against what manifests say about it. */
final class FileRows {

    private final Schema schema;
    private final List<Record> rows;
    private final InternalRecordWrapper internal;
    private final Map<Set<Integer>, Set<List<Object>>> valuesOf = new HashMap<>();

    private FileRows(Schema schema, List<Record> rows) {
        this.schema = schema;
        this.rows = rows;
        this.internal = new InternalRecordWrapper(schema.asStruct());
    }

    /** Reads all rows of a file, whether or not they are deleted. */
    static FileRows read(Table table, ContentFile<?> file, Schema schema) {
        Map<Integer, Object> fromMetadata = new HashMap<>();
        if (file.firstRowId() != null) {
            fromMetadata.put(MetadataColumns.ROW_ID.fieldId(), file.firstRowId());
            fromMetadata.put(
                    MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER.fieldId(),
                    file.fileSequenceNumber());
        }
        try (CloseableIterable<Record> records =
                FormatModelRegistry.<Record, Object>readBuilder(
                                file.format(),
                                Record.class,
                                table.io().newInputFile(file.location()))
                        .project(schema)
                        .idToConstant(fromMetadata)
                        .build()) {
            List<Record> rows = new ArrayList<>();
            records.forEach(record -> rows.add(record.copy()));
            return new FileRows(schema, rows);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Record> rows() {
        return rows;
    }

    /** A row as Iceberg compares and transforms it; valid until the next call. */
    StructLike internal(Record row) {
        return internal.wrap(row);
    }

    /** Values of columns, comparable with {@code equals}. */
    List<Object> values(Record row, Set<Integer> fieldIds) {
        StructLike view = internal(row);
        List<Object> values = new ArrayList<>();
        for (int id : fieldIds.stream().sorted().toList()) {
            Object value = schema.accessorForField(id).get(view);
            values.add(value instanceof CharSequence text ? text.toString() : value);
        }
        return values;
    }

    Set<List<Object>> allValues(Set<Integer> fieldIds) {
        return valuesOf.computeIfAbsent(
                fieldIds,
                ids -> {
                    Set<List<Object>> all = new HashSet<>();
                    rows.forEach(row -> all.add(values(row, ids)));
                    return all;
                });
    }

    /** Compares counts and bounds of every column that is not repeated. */
    void checkMetrics(ContentFile<?> file) {
        for (Types.NestedField field : TypeUtil.indexById(schema.asStruct()).values()) {
            Accessor<StructLike> accessor = schema.accessorForField(field.fieldId());
            if (accessor != null
                    && field.type().isPrimitiveType()
                    && !MetadataColumns.isMetadataColumn(field.fieldId())) {
                checkMetrics(file, field, accessor);
            }
        }
    }

    private void checkMetrics(
            ContentFile<?> file, Types.NestedField field, Accessor<StructLike> accessor) {
        List<Object> values = new ArrayList<>();
        int nans = 0;
        for (Record row : rows) {
            Object value = accessor.get(internal(row));
            if (isNan(value)) {
                nans++;
            } else if (value != null) {
                values.add(value);
            }
        }
        int id = field.fieldId();
        String column = "column '%s' of %s".formatted(schema.findColumnName(id), file.location());
        assertThat(file.valueCounts()).as(column).containsEntry(id, (long) rows.size());
        assertThat(file.nullValueCounts())
                .as(column)
                .containsEntry(id, (long) rows.size() - nans - values.size());
        if (field.type().typeId() == Type.TypeID.FLOAT
                || field.type().typeId() == Type.TypeID.DOUBLE) {
            assertThat(file.nanValueCounts()).as(column).containsEntry(id, (long) nans);
        }
        checkBounds(column, field, values, file);
    }

    private static boolean isNan(Object value) {
        return (value instanceof Float number && number.isNaN())
                || (value instanceof Double other && other.isNaN());
    }

    private static void checkBounds(
            String column, Types.NestedField field, List<Object> values, ContentFile<?> file) {
        Map<Integer, ByteBuffer> lower = file.lowerBounds();
        Map<Integer, ByteBuffer> upper = file.upperBounds();
        int id = field.fieldId();
        if (values.isEmpty()) {
            assertThat(lower).as(column).doesNotContainKey(id);
            assertThat(upper).as(column).doesNotContainKey(id);
            return;
        }
        Comparator<Object> order = Comparators.forType(field.type().asPrimitiveType());
        Object min = values.stream().min(order).orElseThrow();
        Object max = values.stream().max(order).orElseThrow();
        assertThat(lower).as(column).containsKey(id);
        assertThat(upper).as(column).containsKey(id);
        Object low = Conversions.fromByteBuffer(field.type(), lower.get(id));
        Object high = Conversions.fromByteBuffer(field.type(), upper.get(id));
        boolean truncated =
                field.type().typeId() == Type.TypeID.STRING
                        || field.type().typeId() == Type.TypeID.BINARY;
        if (truncated) {
            assertThat(order.compare(low, min)).as(column).isNotPositive();
            assertThat(order.compare(high, max)).as(column).isNotNegative();
        } else {
            assertThat(order.compare(low, min)).as("%s: %s, %s", column, low, min).isZero();
            assertThat(order.compare(high, max)).as("%s: %s, %s", column, high, max).isZero();
        }
    }
}
