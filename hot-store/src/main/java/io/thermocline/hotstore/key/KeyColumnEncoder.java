package io.thermocline.hotstore.key;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.math.BigInteger;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * Encodes the values of one column so that unsigned byte order is value order and no encoding is a
 * prefix of another (see {@code docs/format.md}, "Key encoding"). Thread-safe.
 */
public abstract sealed class KeyColumnEncoder {

    private static final int MAX_MILLIS_PRECISION = 3;
    private static final int MAX_MICROS_PRECISION = 6;

    private KeyColumnEncoder() {}

    /** Whether values of this type have an order and an encoding. */
    public static boolean supports(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    FLOAT,
                    DOUBLE,
                    DECIMAL,
                    CHAR,
                    VARCHAR,
                    BINARY,
                    VARBINARY,
                    DATE,
                    TIME_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    true;
            default -> false;
        };
    }

    /**
     * The encoder of a type.
     *
     * @param column its column, for messages
     * @throws HotStoreException {@code UNSUPPORTED_TYPE} naming column and type
     */
    public static KeyColumnEncoder of(LogicalType type, String column) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> new Booleans();
            case TINYINT -> new Bytes();
            case SMALLINT -> new Shorts();
            case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE -> new Ints();
            case BIGINT -> new Longs();
            case FLOAT -> new Floats();
            case DOUBLE -> new Doubles();
            case DECIMAL -> new Decimals((DecimalType) type);
            case CHAR, VARCHAR -> new Strings();
            case BINARY, VARBINARY -> new Binaries();
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    new Timestamps(LogicalTypeChecks.getPrecision(type));
            default ->
                    throw new HotStoreException(
                            ErrorCode.UNSUPPORTED_TYPE,
                            "column '"
                                    + column
                                    + "' has type "
                                    + type.asSummaryString()
                                    + ", which has no order and cannot be part of a key. Use a"
                                    + " column of another type in the key.");
        };
    }

    /** Appends the encoding of field {@code pos}, which is not null. */
    abstract void encode(RowData row, int pos, KeyOutput output);

    /** Bytes that the encoding of most values takes. */
    abstract int expectedBytes();

    /** The encoding of a value in Flink's internal form, which is not null. */
    public final byte[] encodeValue(Object value) {
        return encodeField(GenericRowData.of(value), 0);
    }

    /** The encoding of field {@code pos} of a row, which is not null. */
    public final byte[] encodeField(RowData row, int pos) {
        KeyOutput output = new KeyOutput(expectedBytes());
        encode(row, pos, output);
        return output.toBytes();
    }

    /** Index after the encoding that starts at {@code start}. */
    int skip(byte[] bytes, int start) {
        return start + expectedBytes();
    }

    private static final class Booleans extends KeyColumnEncoder {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            output.writeByte(row.getBoolean(pos) ? 1 : 0);
        }

        @Override
        int expectedBytes() {
            return 1;
        }
    }

    private static final class Bytes extends KeyColumnEncoder {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            output.writeByte(row.getByte(pos) ^ Byte.MIN_VALUE);
        }

        @Override
        int expectedBytes() {
            return Byte.BYTES;
        }
    }

    private static final class Shorts extends KeyColumnEncoder {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            output.writeShort(row.getShort(pos) ^ Short.MIN_VALUE);
        }

        @Override
        int expectedBytes() {
            return Short.BYTES;
        }
    }

    private static final class Ints extends KeyColumnEncoder {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            output.writeInt(row.getInt(pos) ^ Integer.MIN_VALUE);
        }

        @Override
        int expectedBytes() {
            return Integer.BYTES;
        }
    }

    private static final class Longs extends KeyColumnEncoder {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            output.writeLong(row.getLong(pos) ^ Long.MIN_VALUE);
        }

        @Override
        int expectedBytes() {
            return Long.BYTES;
        }
    }

    // Adding 0.0 turns -0.0 into 0.0; floatToIntBits gives one NaN, above infinity. A negative
    // number
    // has all its bits inverted, another one its sign bit: that is numeric order.

    private static final class Floats extends KeyColumnEncoder {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            int bits = Float.floatToIntBits(row.getFloat(pos) + 0.0f);
            output.writeInt(bits ^ ((bits >> (Integer.SIZE - 1)) | Integer.MIN_VALUE));
        }

        @Override
        int expectedBytes() {
            return Float.BYTES;
        }
    }

    private static final class Doubles extends KeyColumnEncoder {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            long bits = Double.doubleToLongBits(row.getDouble(pos) + 0.0);
            output.writeLong(bits ^ ((bits >> (Long.SIZE - 1)) | Long.MIN_VALUE));
        }

        @Override
        int expectedBytes() {
            return Double.BYTES;
        }
    }

    private static final class Decimals extends KeyColumnEncoder {

        private final int precision;
        private final int scale;

        Decimals(DecimalType type) {
            this.precision = type.getPrecision();
            this.scale = type.getScale();
        }

        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            DecimalData value = row.getDecimal(pos, precision, scale);
            if (DecimalData.isCompact(precision)) {
                output.writeLong(unscaledLong(value) ^ Long.MIN_VALUE);
                return;
            }
            BigInteger unscaled = value.toBigDecimal().setScale(scale).unscaledValue();
            output.writeLong(unscaled.shiftRight(Long.SIZE).longValueExact() ^ Long.MIN_VALUE);
            output.writeLong(unscaled.longValue());
        }

        private long unscaledLong(DecimalData value) {
            return value.scale() == scale && value.isCompact()
                    ? value.toUnscaledLong()
                    : value.toBigDecimal().setScale(scale).unscaledValue().longValueExact();
        }

        @Override
        int expectedBytes() {
            return DecimalData.isCompact(precision) ? Long.BYTES : 2 * Long.BYTES;
        }
    }

    private static final class Timestamps extends KeyColumnEncoder {

        private static final int NANOS_PER_MICRO = 1_000;

        private final int precision;

        Timestamps(int precision) {
            this.precision = precision;
        }

        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            TimestampData value = row.getTimestamp(pos, precision);
            output.writeLong(value.getMillisecond() ^ Long.MIN_VALUE);
            if (precision > MAX_MILLIS_PRECISION) {
                int nanos = value.getNanoOfMillisecond();
                // What the changelog's vectors keep at this precision.
                output.writeInt(
                        precision <= MAX_MICROS_PRECISION
                                ? nanos - nanos % NANOS_PER_MICRO
                                : nanos);
            }
        }

        @Override
        int expectedBytes() {
            return precision > MAX_MILLIS_PRECISION ? Long.BYTES + Integer.BYTES : Long.BYTES;
        }
    }

    private abstract static sealed class SelfDelimiting extends KeyColumnEncoder {

        private static final int EXPECTED_BYTES = 24;

        @Override
        final int expectedBytes() {
            return EXPECTED_BYTES;
        }

        @Override
        final int skip(byte[] bytes, int start) {
            int index = start;
            while (bytes[index] != 0 || bytes[index + 1] != 0) {
                index += bytes[index] == 0 ? 2 : 1;
            }
            return index + 2;
        }
    }

    private static final class Strings extends SelfDelimiting {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            output.writeEscaped(row.getString(pos).toBytes());
        }
    }

    private static final class Binaries extends SelfDelimiting {
        @Override
        void encode(RowData row, int pos, KeyOutput output) {
            output.writeEscaped(row.getBinary(pos));
        }
    }
}
