package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.List;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;

/** Writers of ARRAY, MAP and ROW. */
final class NestedWriters {

    private static final GenericArrayData NO_ELEMENTS = new GenericArrayData(new Object[0]);

    private NestedWriters() {}

    /** Marks a struct as not null, growing it where needed. */
    static void setDefined(StructVector vector, int index) {
        while (index >= vector.getValueCapacity()) {
            vector.reAlloc();
        }
        vector.setIndexDefined(index);
    }

    /** Marks a struct as null, growing it where needed. Its children are left alone. */
    static void setNull(StructVector vector, int index) {
        while (index >= vector.getValueCapacity()) {
            vector.reAlloc();
        }
        vector.setNull(index);
    }

    /** ARRAY. */
    static final class Arrays extends ColumnWriter {

        private final ListVector vector;
        private final ColumnWriter element;
        private final ArrayElements elements = new ArrayElements(NO_ELEMENTS);
        private long elementsWritten;

        Arrays(ListVector vector, ColumnWriter element) {
            this.vector = vector;
            this.element = element;
        }

        @Override
        void writeNull(int index) {
            vector.setNull(index);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            ArrayData array = source.getArray(pos);
            int size = array.size();
            elements.set(array);
            int start = vector.startNewValue(index);
            for (int i = 0; i < size; i++) {
                element.write(elements, i, start + i);
            }
            vector.endValue(index, size);
            elementsWritten += size;
        }

        @Override
        long fixedBytes() {
            return Integer.BYTES;
        }

        @Override
        long variableBytes() {
            return elementsWritten * element.fixedBytes() + element.variableBytes();
        }
    }

    /** MAP. */
    static final class Maps extends ColumnWriter {

        private final MapVector vector;
        private final StructVector entries;
        private final ColumnWriter key;
        private final ColumnWriter value;
        private final String path;
        private final ArrayElements keys = new ArrayElements(NO_ELEMENTS);
        private final ArrayElements values = new ArrayElements(NO_ELEMENTS);
        private long entriesWritten;

        Maps(MapVector vector, ColumnWriter key, ColumnWriter value, String path) {
            this.vector = vector;
            this.entries = (StructVector) vector.getDataVector();
            this.key = key;
            this.value = value;
            this.path = path;
        }

        @Override
        void writeNull(int index) {
            vector.setNull(index);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            MapData map = source.getMap(pos);
            int size = map.size();
            ArrayData keyArray = map.keyArray();
            keys.set(keyArray);
            values.set(map.valueArray());
            int start = vector.startNewValue(index);
            for (int i = 0; i < size; i++) {
                if (keyArray.isNullAt(i)) {
                    throw new HotStoreException(
                            ErrorCode.INVALID_ARGUMENT,
                            "a map in column '"
                                    + path
                                    + "' has a NULL key, which cannot be stored. Filter such entries"
                                    + " out or give the key a value.");
                }
                setDefined(entries, start + i);
                key.write(keys, i, start + i);
                value.write(values, i, start + i);
            }
            vector.endValue(index, size);
            entriesWritten += size;
        }

        @Override
        long fixedBytes() {
            return Integer.BYTES;
        }

        @Override
        long variableBytes() {
            return entriesWritten * (key.fixedBytes() + value.fixedBytes())
                    + key.variableBytes()
                    + value.variableBytes();
        }
    }

    /** ROW. */
    static final class Rows extends ColumnWriter {

        private final StructVector vector;
        private final ColumnWriter[] fields;
        private final long fixedBytes;

        Rows(StructVector vector, List<ColumnWriter> fields) {
            this.vector = vector;
            this.fields = fields.toArray(new ColumnWriter[0]);
            this.fixedBytes = fields.stream().mapToLong(ColumnWriter::fixedBytes).sum();
        }

        @Override
        void writeNull(int index) {
            NestedWriters.setNull(vector, index);
            for (ColumnWriter field : fields) {
                field.writeNull(index);
            }
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            RowData row = source.getRow(pos, fields.length);
            setDefined(vector, index);
            for (int field = 0; field < fields.length; field++) {
                fields[field].write(row, field, index);
            }
        }

        @Override
        long fixedBytes() {
            return fixedBytes;
        }

        @Override
        long variableBytes() {
            long bytes = 0;
            for (ColumnWriter field : fields) {
                bytes += field.variableBytes();
            }
            return bytes;
        }
    }
}
