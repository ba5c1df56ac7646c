package io.thermocline.hotstore.local.bucket;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RowBatch;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/** Refuses NULL where the table says NOT NULL, at any depth. Thread-safe. */
final class NotNullCheck {

    private final HotTableSpec spec;
    private final int[] columns;
    private final List<NestedColumn> nested = new ArrayList<>();

    private record NestedColumn(int position, Check check, RowData.FieldGetter getter) {}

    /** Checks what is inside a value that is not null; returns the path to a NULL, or null. */
    private interface Check {
        @Nullable String findNull(Object value);
    }

    NotNullCheck(HotTableSpec spec) {
        this.spec = spec;
        RowType rowType = spec.rowType();
        List<Integer> notNull = new ArrayList<>();
        for (int column = 0; column < rowType.getFieldCount(); column++) {
            LogicalType type = rowType.getTypeAt(column);
            if (!type.isNullable()) {
                notNull.add(column);
            }
            Check check = checkOf(type);
            if (check != null) {
                nested.add(
                        new NestedColumn(column, check, RowData.createFieldGetter(type, column)));
            }
        }
        columns = notNull.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Checks every row that is not a delete.
     *
     * @throws HotStoreException {@code NULL_IN_NOT_NULL_COLUMN} naming table and column
     */
    void check(RowBatch rows) {
        for (int column : columns) {
            if (rows.vectors().getVector(column).getNullCount() > 0) {
                checkColumn(rows, column);
            }
        }
        for (NestedColumn column : nested) {
            checkNested(rows, column);
        }
    }

    private void checkColumn(RowBatch rows, int column) {
        for (int row = 0; row < rows.rowCount(); row++) {
            if (isChecked(rows.rowKind(row)) && rows.vectors().getVector(column).isNull(row)) {
                throw refused(spec.rowType().getFieldNames().get(column));
            }
        }
    }

    private void checkNested(RowBatch rows, NestedColumn column) {
        for (int i = 0; i < rows.rowCount(); i++) {
            if (!isChecked(rows.rowKind(i))) {
                continue;
            }
            Object value = column.getter().getFieldOrNull(rows.row(i));
            String path = value == null ? null : column.check().findNull(value);
            if (path != null) {
                throw refused(spec.rowType().getFieldNames().get(column.position()) + path);
            }
        }
    }

    private static boolean isChecked(RowKind kind) {
        return kind == RowKind.INSERT || kind == RowKind.UPDATE_AFTER;
    }

    private HotStoreException refused(String column) {
        return new HotStoreException(
                ErrorCode.NULL_IN_NOT_NULL_COLUMN,
                "a row for table "
                        + spec.path()
                        + " has NULL in "
                        + column
                        + ", which is NOT NULL. Nothing of the batch was written. Filter such rows"
                        + " out, or declare the column nullable.");
    }

    private static @Nullable Check checkOf(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case ARRAY -> arrayCheck((ArrayType) type);
            case MAP -> mapCheck((MapType) type);
            case ROW -> rowCheck((RowType) type);
            default -> null;
        };
    }

    private static @Nullable Check arrayCheck(ArrayType type) {
        Check elements = elementsCheck(type.getElementType(), "[element]");
        return elements == null ? null : value -> elements.findNull(value);
    }

    private static @Nullable Check elementsCheck(LogicalType type, String label) {
        Check inner = checkOf(type);
        if (type.isNullable() && inner == null) {
            return null;
        }
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
        return value -> {
            ArrayData array = (ArrayData) value;
            for (int i = 0; i < array.size(); i++) {
                if (array.isNullAt(i)) {
                    if (!type.isNullable()) {
                        return label;
                    }
                } else if (inner != null) {
                    String path = inner.findNull(getter.getElementOrNull(array, i));
                    if (path != null) {
                        return label + path;
                    }
                }
            }
            return null;
        };
    }

    private static @Nullable Check mapCheck(MapType type) {
        Check keys = elementsCheck(type.getKeyType(), "[key]");
        Check values = elementsCheck(type.getValueType(), "[value]");
        if (keys == null && values == null) {
            return null;
        }
        return value -> {
            MapData map = (MapData) value;
            String path = keys == null ? null : keys.findNull(map.keyArray());
            return path != null || values == null ? path : values.findNull(map.valueArray());
        };
    }

    private static @Nullable Check rowCheck(RowType type) {
        List<Check> fields = new ArrayList<>();
        boolean needed = false;
        for (int i = 0; i < type.getFieldCount(); i++) {
            Check check = fieldCheck(type, i);
            needed |= check != null;
            fields.add(check);
        }
        if (!needed) {
            return null;
        }
        return value -> {
            for (Check check : fields) {
                String path = check == null ? null : check.findNull(value);
                if (path != null) {
                    return path;
                }
            }
            return null;
        };
    }

    private static @Nullable Check fieldCheck(RowType type, int field) {
        LogicalType fieldType = type.getTypeAt(field);
        Check inner = checkOf(fieldType);
        if (fieldType.isNullable() && inner == null) {
            return null;
        }
        String label = "." + type.getFieldNames().get(field);
        RowData.FieldGetter getter = RowData.createFieldGetter(fieldType, field);
        return value -> {
            RowData row = (RowData) value;
            if (row.isNullAt(field)) {
                return fieldType.isNullable() ? null : label;
            }
            String path = inner == null ? null : inner.findNull(getter.getFieldOrNull(row));
            return path == null ? null : label + path;
        };
    }
}
