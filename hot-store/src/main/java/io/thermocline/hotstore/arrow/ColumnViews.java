package io.thermocline.hotstore.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.columnar.ColumnarArrayData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.ArrayColumnVector;
import org.apache.flink.table.data.columnar.vector.BooleanColumnVector;
import org.apache.flink.table.data.columnar.vector.ByteColumnVector;
import org.apache.flink.table.data.columnar.vector.BytesColumnVector;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.DecimalColumnVector;
import org.apache.flink.table.data.columnar.vector.DoubleColumnVector;
import org.apache.flink.table.data.columnar.vector.FloatColumnVector;
import org.apache.flink.table.data.columnar.vector.IntColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;
import org.apache.flink.table.data.columnar.vector.MapColumnVector;
import org.apache.flink.table.data.columnar.vector.RowColumnVector;
import org.apache.flink.table.data.columnar.vector.ShortColumnVector;
import org.apache.flink.table.data.columnar.vector.TimestampColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.types.variant.BinaryVariant;

/** Arrow vectors as Flink column vectors. Values are read in place. */
final class ColumnViews {

    private static final int DECIMAL_BYTES = 16;
    private static final long MICROS_PER_MILLI = 1_000L;
    private static final int NANOS_PER_MICRO = 1_000;

    private ColumnViews() {}

    /** A view of a vector that holds values of {@code type}. */
    static ColumnVector of(LogicalType type, FieldVector vector) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> new BooleanView(vector);
            case TINYINT -> new ByteView(vector);
            case SMALLINT -> new ShortView(vector);
            case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE -> new IntView(vector);
            case BIGINT -> new LongView(vector);
            case FLOAT -> new FloatView(vector);
            case DOUBLE -> new DoubleView(vector);
            case DECIMAL -> new DecimalView(vector);
            case CHAR, VARCHAR, BINARY, VARBINARY -> new BytesView(vector);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    timestamp(LogicalTypeChecks.getPrecision(type), vector);
            case VARIANT -> new VariantView((StructVector) vector);
            case ARRAY -> new ArrayView((ListVector) vector, ((ArrayType) type).getElementType());
            case MAP -> new MapView((MapVector) vector, (MapType) type);
            case ROW -> new RowView((StructVector) vector, type.getChildren());
            default -> throw ArrowTypes.unsupported(type, vector.getName());
        };
    }

    private static ColumnVector timestamp(int precision, FieldVector vector) {
        if (precision <= ArrowTypes.MAX_MILLIS_PRECISION) {
            return new MillisView(vector);
        }
        return precision <= ArrowTypes.MAX_MICROS_PRECISION
                ? new MicrosView(vector)
                : new NanosView((StructVector) vector);
    }

    private abstract static class View implements ColumnVector {

        private final ArrowBuf validity;

        View(FieldVector vector) {
            this.validity = vector.getValidityBuffer();
        }

        @Override
        public final boolean isNullAt(int i) {
            return (validity.getByte(i >> 3) & (1 << (i & 7))) == 0;
        }
    }

    private abstract static class FixedWidthView extends View {

        final ArrowBuf data;

        FixedWidthView(FieldVector vector) {
            super(vector);
            this.data = vector.getDataBuffer();
        }
    }

    private static final class BooleanView extends FixedWidthView implements BooleanColumnVector {

        BooleanView(FieldVector vector) {
            super(vector);
        }

        @Override
        public boolean getBoolean(int i) {
            return (data.getByte(i >> 3) & (1 << (i & 7))) != 0;
        }
    }

    private static final class ByteView extends FixedWidthView implements ByteColumnVector {

        ByteView(FieldVector vector) {
            super(vector);
        }

        @Override
        public byte getByte(int i) {
            return data.getByte(i);
        }
    }

    private static final class ShortView extends FixedWidthView implements ShortColumnVector {

        ShortView(FieldVector vector) {
            super(vector);
        }

        @Override
        public short getShort(int i) {
            return data.getShort((long) i * Short.BYTES);
        }
    }

    private static final class IntView extends FixedWidthView implements IntColumnVector {

        IntView(FieldVector vector) {
            super(vector);
        }

        @Override
        public int getInt(int i) {
            return data.getInt((long) i * Integer.BYTES);
        }
    }

    private static final class LongView extends FixedWidthView implements LongColumnVector {

        LongView(FieldVector vector) {
            super(vector);
        }

        @Override
        public long getLong(int i) {
            return data.getLong((long) i * Long.BYTES);
        }
    }

    private static final class FloatView extends FixedWidthView implements FloatColumnVector {

        FloatView(FieldVector vector) {
            super(vector);
        }

        @Override
        public float getFloat(int i) {
            return data.getFloat((long) i * Float.BYTES);
        }
    }

    private static final class DoubleView extends FixedWidthView implements DoubleColumnVector {

        DoubleView(FieldVector vector) {
            super(vector);
        }

        @Override
        public double getDouble(int i) {
            return data.getDouble((long) i * Double.BYTES);
        }
    }

    private static final class DecimalView extends FixedWidthView implements DecimalColumnVector {

        DecimalView(FieldVector vector) {
            super(vector);
        }

        @Override
        public DecimalData getDecimal(int i, int precision, int scale) {
            long start = (long) i * DECIMAL_BYTES;
            if (DecimalData.isCompact(precision)) {
                return DecimalData.fromUnscaledLong(data.getLong(start), precision, scale);
            }
            byte[] bigEndian = new byte[DECIMAL_BYTES];
            for (int b = 0; b < DECIMAL_BYTES; b++) {
                bigEndian[DECIMAL_BYTES - 1 - b] = data.getByte(start + b);
            }
            return DecimalData.fromUnscaledBytes(bigEndian, precision, scale);
        }
    }

    private static final class BytesView extends View implements BytesColumnVector {

        private final ArrowBuf offsets;
        private final ArrowBuf data;

        BytesView(FieldVector vector) {
            super(vector);
            this.offsets = vector.getOffsetBuffer();
            this.data = vector.getDataBuffer();
        }

        @Override
        public Bytes getBytes(int i) {
            int start = offsets.getInt((long) i * Integer.BYTES);
            byte[] bytes = new byte[offsets.getInt((i + 1L) * Integer.BYTES) - start];
            data.getBytes(start, bytes);
            return new Bytes(bytes, 0, bytes.length);
        }
    }

    private static final class MillisView extends FixedWidthView implements TimestampColumnVector {

        MillisView(FieldVector vector) {
            super(vector);
        }

        @Override
        public TimestampData getTimestamp(int i, int precision) {
            return TimestampData.fromEpochMillis(data.getLong((long) i * Long.BYTES));
        }
    }

    private static final class MicrosView extends FixedWidthView implements TimestampColumnVector {

        MicrosView(FieldVector vector) {
            super(vector);
        }

        @Override
        public TimestampData getTimestamp(int i, int precision) {
            long micros = data.getLong((long) i * Long.BYTES);
            return TimestampData.fromEpochMillis(
                    Math.floorDiv(micros, MICROS_PER_MILLI),
                    (int) Math.floorMod(micros, MICROS_PER_MILLI) * NANOS_PER_MICRO);
        }
    }

    private static final class NanosView extends View implements TimestampColumnVector {

        private final ArrowBuf millis;
        private final ArrowBuf nanos;

        NanosView(StructVector vector) {
            super(vector);
            this.millis = vector.getChildrenFromFields().get(0).getDataBuffer();
            this.nanos = vector.getChildrenFromFields().get(1).getDataBuffer();
        }

        @Override
        public TimestampData getTimestamp(int i, int precision) {
            return TimestampData.fromEpochMillis(
                    millis.getLong((long) i * Long.BYTES), nanos.getInt((long) i * Integer.BYTES));
        }
    }

    private static final class ArrayView extends View implements ArrayColumnVector {

        private final ArrowBuf offsets;
        private final ColumnVector elements;

        ArrayView(ListVector vector, LogicalType elementType) {
            super(vector);
            this.offsets = vector.getOffsetBuffer();
            this.elements = of(elementType, vector.getDataVector());
        }

        @Override
        public ArrayData getArray(int i) {
            int start = offsets.getInt((long) i * Integer.BYTES);
            int end = offsets.getInt((i + 1L) * Integer.BYTES);
            return slice(elements, start, end - start);
        }
    }

    /** Values of an array or a map. Flink's columnar array has no access to VARIANT elements. */
    private static ArrayData slice(ColumnVector elements, int start, int size) {
        return elements instanceof VariantView variants
                ? variants.copyOfRange(start, size)
                : new ColumnarArrayData(elements, start, size);
    }

    private static final class MapView extends View implements MapColumnVector {

        private final ArrowBuf offsets;
        private final ColumnVector keys;
        private final ColumnVector values;

        MapView(MapVector vector, MapType type) {
            super(vector);
            this.offsets = vector.getOffsetBuffer();
            List<FieldVector> entries =
                    ((StructVector) vector.getDataVector()).getChildrenFromFields();
            this.keys = of(type.getKeyType(), entries.get(0));
            this.values = of(type.getValueType(), entries.get(1));
        }

        @Override
        public MapData getMap(int i) {
            int start = offsets.getInt((long) i * Integer.BYTES);
            int end = offsets.getInt((i + 1L) * Integer.BYTES);
            ArrayData keyArray = slice(keys, start, end - start);
            return new Entries(keyArray, slice(values, start, end - start));
        }
    }

    private record Entries(ArrayData keyArray, ArrayData valueArray) implements MapData {

        @Override
        public int size() {
            return keyArray.size();
        }
    }

    /** VARIANT, as Flink reads it from column vectors: a row of value and metadata. */
    private static final class VariantView extends View implements RowColumnVector {

        private final VectorizedColumnBatch valueAndMetadata;

        VariantView(StructVector vector) {
            super(vector);
            this.valueAndMetadata =
                    new VectorizedColumnBatch(
                            new ColumnVector[] {
                                new BytesView(vector.getChildrenFromFields().get(1)),
                                new BytesView(vector.getChildrenFromFields().get(0))
                            });
        }

        @Override
        public ColumnarRowData getRow(int i) {
            return new ColumnarRowData(valueAndMetadata, i);
        }

        ArrayData copyOfRange(int start, int size) {
            Object[] values = new Object[size];
            for (int i = 0; i < size; i++) {
                if (!isNullAt(start + i)) {
                    ColumnarRowData row = getRow(start + i);
                    values[i] = new BinaryVariant(row.getBinary(0), row.getBinary(1));
                }
            }
            return new GenericArrayData(values);
        }
    }

    private static final class RowView extends View implements RowColumnVector {

        private final VectorizedColumnBatch fields;

        RowView(StructVector vector, List<LogicalType> fieldTypes) {
            super(vector);
            List<FieldVector> children = vector.getChildrenFromFields();
            ColumnVector[] views = new ColumnVector[fieldTypes.size()];
            for (int field = 0; field < views.length; field++) {
                views[field] = of(fieldTypes.get(field), children.get(field));
            }
            this.fields = new VectorizedColumnBatch(views);
        }

        @Override
        public ColumnarRowData getRow(int i) {
            return new ColumnarRowData(fields, i);
        }
    }
}
