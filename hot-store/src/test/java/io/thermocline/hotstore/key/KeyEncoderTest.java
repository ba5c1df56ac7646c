package io.thermocline.hotstore.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.arrow.RandomRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyEncoderTest {

    private static final long SEED = 20_260_101;

    private static final RowType ROW =
            RowType.of(
                    new LogicalType[] {
                        new BigIntType(), VarCharType.STRING_TYPE, new DateType(), new IntType()
                    },
                    new String[] {"amount", "name", "day", "id"});

    private static HotTableSpec spec(
            List<String> primaryKey, List<String> partitionKeys, List<String> bucketKeys) {
        return new HotTableSpec(
                new ObjectPath("db", "t"),
                "00000000-0000-0000-0000-000000000001",
                0,
                ROW,
                primaryKey,
                partitionKeys,
                bucketKeys,
                1,
                Map.of());
    }

    private static HotTableSpec spec() {
        return spec(List.of("id", "name", "day"), List.of("day"), List.of("name"));
    }

    static Stream<LogicalType> keyTypes() {
        return RandomRows.keyTypes().stream().map(type -> type.copy(false));
    }

    @ParameterizedTest(name = "{0}, seed " + SEED)
    @MethodSource("keyTypes")
    void byteOrderIsValueOrder(LogicalType type) {
        RandomRows random = new RandomRows(SEED);
        KeyColumnEncoder encoder = KeyColumnEncoder.of(type, "c");
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            values.add(random.value(type));
        }
        for (Object a : values) {
            byte[] encodedA = encoder.encodeValue(a);
            assertThat(encoder.skip(encodedA, 0)).isEqualTo(encodedA.length);
            for (Object b : values) {
                int order = Arrays.compareUnsigned(encodedA, encoder.encodeValue(b));
                assertThat(Integer.signum(order))
                        .as("%s <=> %s", a, b)
                        .isEqualTo(Integer.signum(compare(a, b)));
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static int compare(Object a, Object b) {
        if (a instanceof byte[] bytes) {
            return Arrays.compareUnsigned(bytes, (byte[]) b);
        }
        if (a instanceof Double number) {
            return Double.compare(number + 0.0, (Double) b + 0.0);
        }
        if (a instanceof Float number) {
            return Float.compare(number + 0.0f, (Float) b + 0.0f);
        }
        if (a instanceof BinaryStringData text) {
            return text.compareTo((BinaryStringData) b);
        }
        return ((Comparable) a).compareTo(b);
    }

    @ParameterizedTest(name = "{0}, seed " + SEED)
    @MethodSource("keyTypes")
    void aColumnEndsItself(LogicalType type) {
        RandomRows random = new RandomRows(SEED + 1);
        RowType pair = RowType.of(new LogicalType[] {type, type}, new String[] {"first", "second"});
        HotTableSpec spec =
                new HotTableSpec(
                        new ObjectPath("db", "t"),
                        "00000000-0000-0000-0000-000000000001",
                        0,
                        pair,
                        List.of("first", "second"),
                        List.of(),
                        List.of("first"),
                        1,
                        Map.of());
        KeyEncoder encoder = KeyEncoder.forRows(spec, List.of("first", "second"));
        KeyEncoder prefix = KeyEncoder.forPrefix(spec, List.of("first"), 1);
        List<RowData> rows = random.rows(pair, 100);
        for (RowData a : rows) {
            for (RowData b : rows) {
                Object firstA = ((GenericRowData) a).getField(0);
                Object firstB = ((GenericRowData) b).getField(0);
                byte[] prefixOfA = prefix.encode(GenericRowData.of(firstA));
                byte[] keyB = encoder.encode(b);
                boolean isPrefix =
                        keyB.length >= prefixOfA.length
                                && Arrays.equals(prefixOfA, Arrays.copyOf(keyB, prefixOfA.length));
                assertThat(isPrefix).isEqualTo(compare(firstA, firstB) == 0);
            }
        }
    }

    @Test
    void keyOrderIsPartitionThenBucketKeyThenTheRest() {
        assertThat(KeyEncoder.keyOrder(spec())).containsExactly("day", "name", "id");
        assertThat(
                        KeyEncoder.keyOrder(
                                spec(List.of("id", "name"), List.of("id"), List.of("id", "name"))))
                .containsExactly("id", "name");
        assertThatThrownBy(
                        () -> KeyEncoder.keyOrder(spec(List.of(), List.of("day"), List.of("id"))))
                .hasMessage(
                        "INVALID_ARGUMENT: db.t is a log table: it has no primary key and no key"
                                + " index");
        assertThatThrownBy(
                        () -> KeyEncoder.keyOrder(spec(List.of("id"), List.of("day"), List.of())))
                .hasMessageContaining("[day] of db.t are not part of its primary key [id]");
    }

    @Test
    void rowsMayHaveTheirColumnsInAnyOrder() {
        GenericRowData full = GenericRowData.of(5L, StringData.fromString("x"), 19_000, 42);
        GenericRowData keyOnly = GenericRowData.of(42, 19_000, StringData.fromString("x"));
        byte[] expected = KeyEncoder.forRows(spec(), ROW.getFieldNames()).encode(full);
        assertThat(KeyEncoder.forRows(spec(), List.of("id", "day", "name")).encode(keyOnly))
                .isEqualTo(expected)
                .startsWith(
                        KeyEncoder.forPrefix(spec(), List.of("day"), 1)
                                .encode(GenericRowData.of(19_000)));
    }

    @Test
    void negativeZeroIsZeroAndThereIsOneNaN() {
        KeyColumnEncoder doubles = KeyColumnEncoder.of(new DoubleType(), "d");
        assertThat(doubles.encodeValue(-0.0)).isEqualTo(doubles.encodeValue(0.0));
        assertThat(doubles.encodeValue(Double.longBitsToDouble(0xFFF8_0000_0000_0001L)))
                .isEqualTo(doubles.encodeValue(Double.NaN));
        KeyColumnEncoder floats = KeyColumnEncoder.of(new FloatType(), "f");
        assertThat(floats.encodeValue(-0.0f)).isEqualTo(floats.encodeValue(0.0f));
        assertThat(floats.encodeValue(Float.intBitsToFloat(0xFFC0_0001)))
                .isEqualTo(floats.encodeValue(Float.NaN));
    }

    @Test
    void nullInAKeyColumnIsNamed() {
        KeyEncoder encoder = KeyEncoder.forRows(spec(), ROW.getFieldNames());
        assertThatThrownBy(() -> encoder.encode(GenericRowData.of(5L, null, 19_000, 42)))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NULL_IN_KEY))
                .hasMessageContaining("key column 'name' is NULL");
    }

    @Test
    void wrongColumnsAreNamed() {
        assertThatThrownBy(() -> KeyEncoder.forRows(spec(), List.of("id", "name")))
                .hasMessageContaining("key column 'day' of db.t is missing from the columns [id,");
        assertThatThrownBy(() -> KeyEncoder.forPrefix(spec(), List.of("day"), 4))
                .hasMessageContaining("a key prefix of 4 columns was asked for");
        assertThatThrownBy(() -> KeyColumnEncoder.of(new ArrayType(new IntType()), "tags"))
                .hasMessageContaining("column 'tags' has type ARRAY<INT>");
    }

    @Test
    void partitionsSplitIntoTheirColumns() {
        RowType type =
                RowType.of(
                        new LogicalType[] {
                            VarCharType.STRING_TYPE, new TimestampType(9), VarCharType.STRING_TYPE
                        },
                        new String[] {"a", "b", "c"});
        PartitionEncoder encoder = new PartitionEncoder(type, List.of("c", "b", "a"));
        for (RowData row : new RandomRows(SEED + 2).rows(type, 200)) {
            byte[][] values = encoder.split(encoder.encode(row));
            assertThat(values.length).isEqualTo(3);
            for (int i = 0; i < 3; i++) {
                int column = 2 - i;
                byte[] expected =
                        row.isNullAt(column)
                                ? null
                                : KeyColumnEncoder.of(type.getTypeAt(column), "c")
                                        .encodeField(row, column);
                assertThat(values[i]).isEqualTo(expected);
            }
        }
    }
}
