package io.thermocline.hotstore.arrow;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/** The {@link ColumnWriter} of every type. */
final class ColumnWriters {

    private ColumnWriters() {}

    /**
     * A writer of values of {@code type} into {@code vector}.
     *
     * @param path the column, for messages
     */
    static ColumnWriter of(LogicalType type, FieldVector vector, String path) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> new BooleanWriter((BitVector) vector);
            case TINYINT -> new ByteWriter((TinyIntVector) vector);
            case SMALLINT -> new ShortWriter((SmallIntVector) vector);
            case INTEGER -> new IntWriter((IntVector) vector);
            case BIGINT -> new LongWriter((BigIntVector) vector);
            case FLOAT -> new FloatWriter((Float4Vector) vector);
            case DOUBLE -> new DoubleWriter((Float8Vector) vector);
            case DECIMAL -> new DecimalWriter((DecimalType) type, vector, path);
            case CHAR, VARCHAR -> new BytesWriters.Strings(vector);
            case BINARY, VARBINARY -> new BytesWriters.Binaries(vector);
            case DATE -> new DateWriter((DateDayVector) vector);
            case TIME_WITHOUT_TIME_ZONE -> new TimeWriter((TimeMilliVector) vector);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    timestamp(LogicalTypeChecks.getPrecision(type), vector);
            case VARIANT -> new VariantWriter((StructVector) vector, path);
            case ARRAY ->
                    new NestedWriters.Arrays(
                            (ListVector) vector,
                            of(
                                    ((ArrayType) type).getElementType(),
                                    ((ListVector) vector).getDataVector(),
                                    path + ".element"));
            case MAP -> map((MapType) type, (MapVector) vector, path);
            case ROW -> row(type, (StructVector) vector, path);
            default -> throw ArrowTypes.unsupported(type, path);
        };
    }

    private static ColumnWriter timestamp(int precision, FieldVector vector) {
        if (precision <= ArrowTypes.MAX_MILLIS_PRECISION) {
            return new MillisWriter((TimeStampVector) vector, precision);
        }
        return precision <= ArrowTypes.MAX_MICROS_PRECISION
                ? new MicrosWriter((TimeStampVector) vector, precision)
                : new NanosWriter((StructVector) vector, precision);
    }

    private static ColumnWriter map(MapType type, MapVector vector, String path) {
        StructVector entries = (StructVector) vector.getDataVector();
        List<FieldVector> fields = entries.getChildrenFromFields();
        return new NestedWriters.Maps(
                vector,
                of(type.getKeyType(), fields.get(0), path + ".key"),
                of(type.getValueType(), fields.get(1), path + ".value"),
                path);
    }

    private static ColumnWriter row(LogicalType type, StructVector vector, String path) {
        List<String> names = LogicalTypeChecks.getFieldNames(type);
        List<FieldVector> children = vector.getChildrenFromFields();
        List<ColumnWriter> fields = new ArrayList<>(children.size());
        for (int field = 0; field < children.size(); field++) {
            LogicalType fieldType = type.getChildren().get(field);
            fields.add(of(fieldType, children.get(field), path + "." + names.get(field)));
        }
        return new NestedWriters.Rows(vector, fields);
    }

    /** Writers of vectors with one slot of fixed width per value. */
    abstract static class FixedWidthWriter<V extends BaseFixedWidthVector> extends ColumnWriter {

        final V vector;

        FixedWidthWriter(V vector) {
            this.vector = vector;
        }

        @Override
        final void writeNull(int index) {
            vector.setNull(index);
        }

        @Override
        final long fixedBytes() {
            return Math.max(1, vector.getTypeWidth());
        }
    }

    private static final class BooleanWriter extends FixedWidthWriter<BitVector> {

        BooleanWriter(BitVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getBoolean(pos) ? 1 : 0);
        }
    }

    private static final class ByteWriter extends FixedWidthWriter<TinyIntVector> {

        ByteWriter(TinyIntVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getByte(pos));
        }
    }

    private static final class ShortWriter extends FixedWidthWriter<SmallIntVector> {

        ShortWriter(SmallIntVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getShort(pos));
        }
    }

    private static final class IntWriter extends FixedWidthWriter<IntVector> {

        IntWriter(IntVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getInt(pos));
        }
    }

    private static final class LongWriter extends FixedWidthWriter<BigIntVector> {

        LongWriter(BigIntVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getLong(pos));
        }
    }

    private static final class FloatWriter extends FixedWidthWriter<Float4Vector> {

        FloatWriter(Float4Vector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getFloat(pos));
        }
    }

    private static final class DoubleWriter extends FixedWidthWriter<Float8Vector> {

        DoubleWriter(Float8Vector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getDouble(pos));
        }
    }

    private static final class DateWriter extends FixedWidthWriter<DateDayVector> {

        DateWriter(DateDayVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getInt(pos));
        }
    }

    private static final class TimeWriter extends FixedWidthWriter<TimeMilliVector> {

        TimeWriter(TimeMilliVector vector) {
            super(vector);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getInt(pos));
        }
    }

    private static final class MillisWriter extends FixedWidthWriter<TimeStampVector> {

        private final int precision;

        MillisWriter(TimeStampVector vector, int precision) {
            super(vector);
            this.precision = precision;
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, source.getTimestamp(pos, precision).getMillisecond());
        }
    }

    private static final class MicrosWriter extends FixedWidthWriter<TimeStampVector> {

        private static final long MICROS_PER_MILLI = 1_000L;
        private static final int NANOS_PER_MICRO = 1_000;

        private final int precision;

        MicrosWriter(TimeStampVector vector, int precision) {
            super(vector);
            this.precision = precision;
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            vector.setSafe(index, micros(source.getTimestamp(pos, precision)));
        }

        private long micros(TimestampData value) {
            try {
                return Math.addExact(
                        Math.multiplyExact(value.getMillisecond(), MICROS_PER_MILLI),
                        value.getNanoOfMillisecond() / NANOS_PER_MICRO);
            } catch (ArithmeticException e) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "column '"
                                + vector.getName()
                                + "' cannot hold the timestamp "
                                + value.getMillisecond()
                                + " ms since 1970: it is outside of the years 1 to 9999",
                        e);
            }
        }
    }

    private static final class NanosWriter extends ColumnWriter {

        private final StructVector vector;
        private final TimeStampVector millis;
        private final IntVector nanos;
        private final int precision;

        NanosWriter(StructVector vector, int precision) {
            this.vector = vector;
            this.millis = (TimeStampVector) vector.getChildrenFromFields().get(0);
            this.nanos = (IntVector) vector.getChildrenFromFields().get(1);
            this.precision = precision;
        }

        @Override
        void writeNull(int index) {
            vector.setNull(index);
            // The children are not nullable: a slot under a null struct holds zeros.
            millis.setSafe(index, 0L);
            nanos.setSafe(index, 0);
        }

        @Override
        void writeValue(RowData source, int pos, int index) {
            TimestampData value = source.getTimestamp(pos, precision);
            NestedWriters.setDefined(vector, index);
            millis.setSafe(index, value.getMillisecond());
            nanos.setSafe(index, value.getNanoOfMillisecond());
        }

        @Override
        long fixedBytes() {
            return Long.BYTES + Integer.BYTES;
        }
    }
}
