package io.thermocline.sink.writer;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
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

/**
 * Refuses nulls inside arrays, maps and rows where the type says NOT NULL. Flink does not look
 * there by default, and a lake file with such a null could not be read again. Not thread-safe.
 */
final class NestedNullCheck {

    /** Checks a value that is not null. */
    private interface ValueCheck {
        void check(Object value);
    }

    private record FieldCheck(RowData.FieldGetter getter, ValueCheck check) {}

    private final String table;
    private final @Nullable ValueCheck rowCheck;

    NestedNullCheck(HotTableSpec spec) {
        this.table = spec.path().getFullName();
        List<FieldCheck> columns = new ArrayList<>();
        for (int i = 0; i < spec.rowType().getFieldCount(); i++) {
            LogicalType type = spec.rowType().getTypeAt(i);
            ValueCheck check = inside(type, spec.rowType().getFieldNames().get(i));
            if (check != null) {
                // Nulls of the column itself are the planner's and the batch builder's business.
                columns.add(new FieldCheck(getter(type, i), unlessNull(check)));
            }
        }
        this.rowCheck = columns.isEmpty() ? null : fieldsCheck(columns);
    }

    /**
     * Checks a row; deletes may carry anything beside the key.
     *
     * @throws HotStoreException {@code NULL_IN_NOT_NULL_COLUMN} naming table and place
     */
    void check(RowData row) {
        if (rowCheck != null && row.getRowKind() != RowKind.DELETE) {
            rowCheck.check(row);
        }
    }

    private @Nullable ValueCheck inside(LogicalType type, String path) {
        if (type instanceof ArrayType array) {
            return elementsCheck(array.getElementType(), path + "[]");
        }
        if (type instanceof MapType map) {
            ValueCheck keys = elementsCheck(map.getKeyType(), path + ".key");
            ValueCheck values = elementsCheck(map.getValueType(), path + ".value");
            return keys == null && values == null ? null : mapCheck(keys, values);
        }
        if (type instanceof RowType row) {
            List<FieldCheck> fields = new ArrayList<>();
            for (int i = 0; i < row.getFieldCount(); i++) {
                ValueCheck check =
                        orNull(row.getTypeAt(i), path + "." + row.getFieldNames().get(i));
                if (check != null) {
                    fields.add(new FieldCheck(getter(row.getTypeAt(i), i), check));
                }
            }
            return fields.isEmpty() ? null : fieldsCheck(fields);
        }
        return null;
    }

    /** Check of a nested value that may be null; null if there is nothing to check. */
    private @Nullable ValueCheck orNull(LogicalType type, String path) {
        ValueCheck inside = inside(type, path);
        if (type.isNullable()) {
            return inside == null ? null : unlessNull(inside);
        }
        return value -> {
            if (value == null) {
                throw new HotStoreException(
                        ErrorCode.NULL_IN_NOT_NULL_COLUMN,
                        ("cannot write a row to table %s: %s is declared NOT NULL, but is NULL;"
                                        + " filter such rows out or give it a value")
                                .formatted(table, path));
            }
            if (inside != null) {
                inside.check(value);
            }
        };
    }

    private @Nullable ValueCheck elementsCheck(LogicalType type, String path) {
        ValueCheck check = orNull(type, path);
        if (check == null) {
            return null;
        }
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type.copy(true));
        return value -> {
            ArrayData array = (ArrayData) value;
            for (int i = 0; i < array.size(); i++) {
                check.check(getter.getElementOrNull(array, i));
            }
        };
    }

    private static ValueCheck mapCheck(@Nullable ValueCheck keys, @Nullable ValueCheck values) {
        return value -> {
            MapData map = (MapData) value;
            if (keys != null) {
                keys.check(map.keyArray());
            }
            if (values != null) {
                values.check(map.valueArray());
            }
        };
    }

    private static ValueCheck fieldsCheck(List<FieldCheck> fields) {
        return value -> {
            for (FieldCheck field : fields) {
                field.check().check(field.getter().getFieldOrNull((RowData) value));
            }
        };
    }

    private static ValueCheck unlessNull(ValueCheck check) {
        return value -> {
            if (value != null) {
                check.check(value);
            }
        };
    }

    /** A getter that looks for null even where the type has none. */
    private static RowData.FieldGetter getter(LogicalType type, int position) {
        return RowData.createFieldGetter(type.copy(true), position);
    }
}
