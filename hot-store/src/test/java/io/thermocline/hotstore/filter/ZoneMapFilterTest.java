package io.thermocline.hotstore.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.arrow.ArrowMemory;
import io.thermocline.hotstore.arrow.RandomRows;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.arrow.RowBatches;
import io.thermocline.hotstore.filter.RowPredicate.And;
import io.thermocline.hotstore.filter.RowPredicate.Compare;
import io.thermocline.hotstore.filter.RowPredicate.In;
import io.thermocline.hotstore.filter.RowPredicate.IsNull;
import io.thermocline.hotstore.filter.RowPredicate.Op;
import io.thermocline.hotstore.filter.RowPredicate.Or;
import io.thermocline.hotstore.format.Compression;
import io.thermocline.hotstore.format.EncodedGroup;
import io.thermocline.hotstore.format.FrameGroupEncoder;
import io.thermocline.hotstore.format.FrameGroupHeader;
import io.thermocline.hotstore.format.FrameSource;
import io.thermocline.hotstore.format.GroupOrigin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ZoneMapFilterTest {

    private static final long SEED = 4_711;
    private static final String LONG_TEXT = "a text that is longer than thirty-two bytes: ";

    private BufferAllocator allocator;

    @BeforeEach
    void openAllocator() {
        allocator = ArrowMemory.newAllocator("test");
    }

    @AfterEach
    void noMemoryIsLeaked() {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    private ZoneMap zoneMap(RowType type, List<String> partitionKeys, List<RowData> rows) {
        FrameGroupEncoder encoder =
                new FrameGroupEncoder(type, partitionKeys, Compression.NONE, allocator);
        try (RowBatch batch = RowBatches.of(type, rows, allocator);
                EncodedGroup group =
                        encoder.encode(new GroupOrigin(new UUID(0, 1), 0, 0, null), batch)) {
            group.seal(0, 0);
            return FrameGroupHeader.read(FrameSource.of(group.bytes(), "memory"), 0).zoneMap();
        }
    }

    private static RowType type(LogicalType type) {
        return RowType.of(new LogicalType[] {type}, new String[] {"c"});
    }

    private boolean mayMatch(RowPredicate predicate, LogicalType type, Object... values) {
        RowType rowType = type(type);
        List<RowData> rows = new ArrayList<>();
        for (Object value : values) {
            rows.add(GenericRowData.of(value));
        }
        return ZoneMapFilter.of(predicate, rowType, rowType, List.of())
                .mayMatch(zoneMap(rowType, List.of(), rows));
    }

    static Stream<LogicalType> comparableTypes() {
        return RandomRows.keyTypes().stream();
    }

    @ParameterizedTest(name = "{0}, seed " + SEED)
    @MethodSource("comparableTypes")
    void noGroupWithAMatchingRowIsSkippedAndSomeOthersAre(LogicalType type) {
        RandomRows values = new RandomRows(SEED);
        Random random = new Random(SEED);
        RowType rowType = type(type);
        int skipped = 0;
        for (int attempt = 0; attempt < 400; attempt++) {
            List<RowData> rows = values.rows(rowType, random.nextInt(4));
            RowPredicate predicate = predicate(type, values, random, 2);
            RowMatcher matcher = RowMatcher.of(predicate, rowType);
            boolean anyMatches = rows.stream().anyMatch(matcher::matches);
            List<String> partitionKeys = random.nextBoolean() ? List.of("c") : List.of();
            boolean mayMatch =
                    ZoneMapFilter.of(predicate, rowType, rowType, partitionKeys)
                            .mayMatch(zoneMap(rowType, partitionKeys, rows));
            if (anyMatches) {
                assertThat(mayMatch).as("%s on %s", predicate, rows).isTrue();
            }
            skipped += mayMatch ? 0 : 1;
        }
        assertThat(skipped).isGreaterThan(20);
    }

    private static RowPredicate predicate(
            LogicalType type, RandomRows values, Random random, int depth) {
        int kind = random.nextInt(depth > 0 ? 6 : 4);
        return switch (kind) {
            case 0, 1 ->
                    new Compare(
                            "c",
                            Op.values()[random.nextInt(Op.values().length)],
                            values.value(type.copy(false)));
            case 2 ->
                    new In(
                            "c",
                            List.of(
                                    values.value(type.copy(false)),
                                    values.value(type.copy(false))));
            case 3 -> new IsNull("c", random.nextBoolean());
            case 4 -> new And(children(type, values, random, depth));
            default -> new Or(children(type, values, random, depth));
        };
    }

    private static List<RowPredicate> children(
            LogicalType type, RandomRows values, Random random, int depth) {
        return List.of(
                predicate(type, values, random, depth - 1),
                predicate(type, values, random, depth - 1));
    }

    @Test
    void rangesDecideComparisons() {
        LogicalType type = new IntType();
        assertThat(mayMatch(new Compare("c", Op.EQ, 5), type, 1, null, 9)).isTrue();
        assertThat(mayMatch(new Compare("c", Op.EQ, 0), type, 1, null, 9)).isFalse();
        assertThat(mayMatch(new Compare("c", Op.LT, 1), type, 1, 9)).isFalse();
        assertThat(mayMatch(new Compare("c", Op.LE, 1), type, 1, 9)).isTrue();
        assertThat(mayMatch(new Compare("c", Op.GT, 9), type, 1, 9)).isFalse();
        assertThat(mayMatch(new Compare("c", Op.GE, 9), type, 1, 9)).isTrue();
        assertThat(mayMatch(new Compare("c", Op.NE, 3), type, 3, 3, null)).isFalse();
        assertThat(mayMatch(new Compare("c", Op.NE, 3), type, 3, 4)).isTrue();
        assertThat(mayMatch(new In("c", List.of(-1, 10)), type, 1, 9)).isFalse();
        assertThat(mayMatch(new In("c", List.of()), type, 1, 9)).isFalse();
        assertThat(mayMatch(new Compare("c", Op.EQ, 3), type, (Object) null)).isFalse();
    }

    @Test
    void nullCountsDecideIsNull() {
        assertThat(mayMatch(new IsNull("c", false), new IntType(), 1, 2)).isFalse();
        assertThat(mayMatch(new IsNull("c", false), new IntType(), 1, null)).isTrue();
        assertThat(mayMatch(new IsNull("c", true), new IntType(), null, null)).isFalse();
        assertThat(mayMatch(new IsNull("c", true), new IntType(), null, 1)).isTrue();
        assertThat(mayMatch(new IsNull("c", true), new IntType())).isFalse();
    }

    @Test
    void shortenedBoundsStayOnTheSafeSide() {
        StringData low = StringData.fromString(LONG_TEXT + "b");
        StringData high = StringData.fromString(LONG_TEXT + "y");
        for (String literal : List.of(LONG_TEXT + "b", LONG_TEXT + "y", LONG_TEXT + "m")) {
            assertThat(
                            mayMatch(
                                    new Compare("c", Op.EQ, StringData.fromString(literal)),
                                    VarCharType.STRING_TYPE,
                                    low,
                                    high))
                    .isTrue();
        }
        assertThat(mayMatch(new Compare("c", Op.NE, low), VarCharType.STRING_TYPE, low, low))
                .isTrue();
        assertThat(
                        mayMatch(
                                new Compare("c", Op.GT, StringData.fromString("b")),
                                VarCharType.STRING_TYPE,
                                low,
                                high))
                .isFalse();
        StringData highest = StringData.fromBytes(filled((byte) 0xFF, 100));
        assertThat(
                        mayMatch(
                                new Compare("c", Op.GE, highest),
                                VarCharType.STRING_TYPE,
                                low,
                                highest))
                .isTrue();
    }

    private static byte[] filled(byte value, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, value);
        return bytes;
    }

    @Test
    void nanDiffersFromItself() {
        assertThat(
                        mayMatch(
                                new Compare("c", Op.NE, Double.NaN),
                                new DoubleType(),
                                Double.NaN,
                                Double.NaN))
                .isTrue();
        RowMatcher matcher =
                RowMatcher.of(new Compare("c", Op.NE, Double.NaN), type(new DoubleType()));
        assertThat(matcher.matches(GenericRowData.of(Double.NaN))).isTrue();
        assertThat(
                        RowMatcher.of(new Compare("c", Op.EQ, -0.0), type(new DoubleType()))
                                .matches(GenericRowData.of(0.0)))
                .isTrue();
    }

    @Test
    void partitionsAreCheckedOneByOne() {
        RowType rowType =
                RowType.of(
                        new LogicalType[] {new IntType(), VarCharType.STRING_TYPE},
                        new String[] {"v", "day"});
        List<RowData> rows =
                List.of(
                        GenericRowData.of(1, StringData.fromString("a")),
                        GenericRowData.of(2, StringData.fromString("c")),
                        GenericRowData.of(3, null));
        ZoneMap zoneMap = zoneMap(rowType, List.of("day"), rows);
        assertThat(zoneMap.partitions()).hasSize(3);
        RowPredicate between = new Compare("day", Op.EQ, StringData.fromString("b"));
        assertThat(ZoneMapFilter.of(between, rowType, rowType, List.of("day")).mayMatch(zoneMap))
                .isFalse();
        RowPredicate present =
                new And(
                        List.of(
                                new Compare("day", Op.EQ, StringData.fromString("c")),
                                new Compare("v", Op.GT, 2)));
        assertThat(ZoneMapFilter.of(present, rowType, rowType, List.of("day")).mayMatch(zoneMap))
                .isTrue();
        RowPredicate nulls =
                new And(
                        List.of(
                                new IsNull("day", false),
                                new Compare("day", Op.NE, StringData.fromString("a"))));
        assertThat(ZoneMapFilter.of(nulls, rowType, rowType, List.of("day")).mayMatch(zoneMap))
                .isFalse();
    }

    @Test
    void manyPartitionsAreNotListed() {
        RowType rowType = type(new IntType());
        List<RowData> rows = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            rows.add(GenericRowData.of(i));
        }
        assertThat(zoneMap(rowType, List.of("c"), rows).partitions()).isNull();
        assertThat(zoneMap(rowType, List.of("c"), rows.subList(1, 17)).partitions()).hasSize(16);
    }

    @Test
    void aColumnThatWasAddedLaterIsNullInOlderGroups() {
        RowType table =
                RowType.of(
                        new LogicalType[] {new IntType(), new BigIntType()},
                        new String[] {"c", "added"});
        RowType group = type(new IntType());
        ZoneMap zoneMap = zoneMap(group, List.of(), List.of(GenericRowData.of(1)));
        assertThat(
                        ZoneMapFilter.of(new IsNull("added", false), table, group, List.of())
                                .mayMatch(zoneMap))
                .isTrue();
        assertThat(
                        ZoneMapFilter.of(new Compare("added", Op.NE, 1L), table, group, List.of())
                                .mayMatch(zoneMap))
                .isFalse();
    }

    @Test
    void wrongPredicatesAreNamed() {
        RowType rowType =
                RowType.of(
                        new LogicalType[] {new IntType(), new ArrayType(new IntType())},
                        new String[] {"id", "tags"});
        assertThatThrownBy(() -> RowMatcher.of(new IsNull("x", false), rowType))
                .hasMessageContaining("a filter names column 'x', which is not one of [id, tags]");
        assertThatThrownBy(() -> RowMatcher.of(new Compare("id", Op.EQ, 1L), rowType))
                .hasMessageContaining(
                        "a filter on column 'id' of type INT needs a literal of class")
                .hasMessageContaining("java.lang.Integer, not java.lang.Long");
        assertThatThrownBy(
                        () ->
                                RowMatcher.of(
                                        new Compare(
                                                "tags", Op.EQ, new GenericArrayData(new int[0])),
                                        rowType))
                .hasMessageContaining("compares column 'tags' of type ARRAY<INT>");
    }
}
