package io.thermocline.hotstore.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.VariantType;
import org.apache.flink.table.types.logical.YearMonthIntervalType;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.variant.Variant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowBatchTest {

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

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void rowsOfAllTypesComeBackAsTheyWere(long seed) {
        RowType type = RandomRows.allTypes();
        RandomRows random = new RandomRows(seed);
        try (RowBatchBuilder builder = new RowBatchBuilder(type, allocator)) {
            for (int rows : new int[] {300, 1, 0, 5000, 17}) {
                List<RowData> expected = random.rows(type, rows);
                expected.forEach(builder::append);
                assertThat(builder.rowCount()).isEqualTo(rows);
                try (RowBatch batch = builder.finish()) {
                    assertThat(batch.rowCount()).isEqualTo(rows);
                    assertThat(RowValues.of(batch)).isEqualTo(RowValues.of(expected, type));
                }
                assertThat(builder.rowCount()).isZero();
                assertThat(builder.sizeBytes()).isZero();
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13})
    void rowsOfABatchAreCopiedWithAnotherKind(long seed) {
        RowType type = RandomRows.allTypes();
        List<RowData> rows = new RandomRows(seed).rows(type, 200);
        try (RowBatch source = RowBatches.of(type, rows, allocator);
                RowBatchBuilder copied = new RowBatchBuilder(type, allocator);
                RowBatchBuilder appended = new RowBatchBuilder(type, allocator)) {
            for (int row = 199; row >= 0; row--) {
                rows.get(row).setRowKind(RowKind.UPDATE_BEFORE);
                copied.append(source, row, RowKind.UPDATE_BEFORE);
                appended.append(rows.get(row));
            }
            assertThat(copied.sizeBytes()).isEqualTo(appended.sizeBytes());
            try (RowBatch actual = copied.finish();
                    RowBatch expected = appended.finish()) {
                assertThat(RowValues.of(actual)).isEqualTo(RowValues.of(expected));
            }
        }
    }

    @Test
    void flinkSerializersTakeTheRows() {
        RowType type = RandomRows.allTypes();
        List<RowData> expected = new RandomRows(6).rows(type, 200);
        RowDataSerializer serializer = new RowDataSerializer(type);
        try (RowBatch batch = RowBatches.of(type, expected, allocator)) {
            for (int row = 0; row < batch.rowCount(); row++) {
                List<Object> values = RowValues.of(expected.get(row), type);
                RowData binary = serializer.toBinaryRow(batch.row(row)).copy();
                assertThat(RowValues.of(binary, type)).isEqualTo(values);
                RowData copy = serializer.copy(batch.row(row));
                assertThat(RowValues.of(copy, type)).isEqualTo(values);
            }
        }
    }

    @Test
    void binaryRowsAreTakenAsTheyAre() {
        RowType type = RandomRows.allTypes();
        RowDataSerializer serializer = new RowDataSerializer(type);
        List<RowData> rows = new RandomRows(7).rows(type, 100);
        try (RowBatchBuilder builder = new RowBatchBuilder(type, allocator)) {
            for (RowData row : rows) {
                // toBinaryRow reuses one object: the builder must copy.
                builder.append(serializer.toBinaryRow(row));
            }
            try (RowBatch batch = builder.finish()) {
                assertThat(RowValues.of(batch)).isEqualTo(RowValues.of(rows, type));
            }
        }
    }

    @Test
    void selectSliceAndTransferKeepTheRows() {
        RowType type = RandomRows.allTypes();
        List<RowData> rows = new RandomRows(8).rows(type, 100);
        List<String> names = List.of("c40", "c3", "c12", "c46");
        try (BufferAllocator other = ArrowMemory.newAllocator("other")) {
            RowBatch all = RowBatches.of(type, rows, allocator);
            RowBatch sliced = all.slice(13, 77);
            RowBatch selected = sliced.select(names);
            all.close();
            sliced.close();
            RowBatch moved = selected.transferTo(other);
            selected.close();
            assertThat(allocator.getAllocatedMemory()).isZero();
            assertThat(moved.rowType().getFieldNames()).isEqualTo(names);
            for (int row = 0; row < 64; row++) {
                List<Object> values = RowValues.of(rows.get(13 + row), type);
                assertThat(RowValues.of(moved.row(row), moved.rowType()))
                        .containsExactly(
                                values.get(0),
                                values.get(41),
                                values.get(4),
                                values.get(13),
                                values.get(47));
            }
            moved.close();
            moved.close();
        }
    }

    @Test
    void aSelectionOfNoColumnKeepsRowKinds() {
        RowType type = RowType.of(new IntType());
        List<RowData> rows =
                List.of(GenericRowData.ofKind(RowKind.DELETE, 1), GenericRowData.of(2));
        try (RowBatch batch = RowBatches.of(type, rows, allocator);
                RowBatch none = batch.select(List.of())) {
            assertThat(none.rowCount()).isEqualTo(2);
            assertThat(none.row(0).getRowKind()).isEqualTo(RowKind.DELETE);
            assertThat(none.row(1).getArity()).isZero();
            assertThat(none.isInsertOnly()).isFalse();
        }
    }

    @Test
    void timestampsBeyondTheNanosecondRangeSurvive() {
        RowType type = RowType.of(new TimestampType(9), new TimestampType(3));
        TimestampData first = TimestampData.fromEpochMillis(-62_135_596_800_000L, 1);
        TimestampData last = TimestampData.fromEpochMillis(253_402_300_799_999L, 999_999);
        TimestampData never = TimestampData.fromEpochMillis(Long.MIN_VALUE);
        List<RowData> rows =
                List.of(GenericRowData.of(first, never), GenericRowData.of(last, null));
        try (RowBatch batch = RowBatches.of(type, rows, allocator)) {
            assertThat(batch.row(0).getTimestamp(0, 9)).isEqualTo(first);
            assertThat(batch.row(0).getTimestamp(1, 3)).isEqualTo(never);
            assertThat(batch.row(1).getTimestamp(0, 9)).isEqualTo(last);
            assertThat(batch.row(1).isNullAt(1)).isTrue();
        }
    }

    @Test
    void aTimestampOutsideOfSqlIsRefused() {
        RowType type = RowType.of(new LogicalType[] {new TimestampType(6)}, new String[] {"at"});
        RowData row = GenericRowData.of(TimestampData.fromEpochMillis(Long.MIN_VALUE));
        try (RowBatchBuilder builder = new RowBatchBuilder(type, allocator)) {
            assertThatThrownBy(() -> builder.append(row))
                    .hasMessageContaining(
                            "column 'at' cannot hold the timestamp -9223372036854775808");
        }
    }

    @Test
    void aRefusedRowLeavesNoTrace() {
        LogicalType mapType = new MapType(new IntType(), new IntType());
        RowType type =
                RowType.of(
                        new LogicalType[] {
                            VarCharType.STRING_TYPE, new ArrayType(new IntType()), mapType
                        },
                        new String[] {"s", "a", "m"});
        Map<Object, Object> nullKey = new HashMap<>();
        nullKey.put(null, 1);
        RowData refused =
                GenericRowData.of(StringData.fromString("gone"), null, new GenericMapData(nullKey));
        GenericRowData accepted = GenericRowData.of(null, null, null);
        try (RowBatchBuilder builder = new RowBatchBuilder(type, allocator)) {
            builder.append(accepted);
            assertThatThrownBy(() -> builder.append(refused))
                    .isInstanceOf(HotStoreException.class)
                    .hasMessageContaining("a map in column 'm' has a NULL key");
            builder.append(accepted);
            builder.append(GenericRowData.of(StringData.fromString("kept"), null, null));
            try (RowBatch batch = builder.finish()) {
                assertThat(batch.rowCount()).isEqualTo(3);
                assertThat(batch.row(1).isNullAt(0)).isTrue();
                assertThat(batch.row(2).getString(0)).hasToString("kept");
            }
        }
    }

    @Test
    void nullInANotNullColumnIsRefusedExceptInDeletes() {
        RowType type =
                RowType.of(
                        new LogicalType[] {new IntType(false), new BigIntType(false)},
                        new String[] {"id", "amount"});
        GenericRowData row = GenericRowData.of(1, null);
        try (RowBatchBuilder builder = new RowBatchBuilder(type, allocator)) {
            assertThatThrownBy(() -> builder.append(row))
                    .isInstanceOfSatisfying(
                            HotStoreException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.NULL_IN_NOT_NULL_COLUMN))
                    .hasMessageContaining("column 'amount' is declared NOT NULL");
            row.setRowKind(RowKind.DELETE);
            builder.append(row);
            try (RowBatch batch = builder.finish()) {
                assertThat(batch.rowCount()).isOne();
                assertThat(batch.row(0).isNullAt(1)).isTrue();
            }
        }
    }

    @Test
    void aDecimalThatDoesNotFitIsRefused() {
        RowType type = RowType.of(new LogicalType[] {new DecimalType(4, 2)}, new String[] {"d"});
        DecimalData wide = DecimalData.fromUnscaledLong(123_456, 6, 2);
        DecimalData sameValue = DecimalData.fromUnscaledLong(125_000, 10, 4);
        try (RowBatchBuilder builder = new RowBatchBuilder(type, allocator)) {
            assertThatThrownBy(() -> builder.append(GenericRowData.of(wide)))
                    .hasMessageContaining("column 'd' is DECIMAL(4, 2) and cannot hold 1234.56");
            builder.append(GenericRowData.of(sameValue));
            try (RowBatch batch = builder.finish()) {
                assertThat(batch.row(0).getDecimal(0, 4, 2)).hasToString("12.50");
            }
        }
    }

    @Test
    void unsupportedTypesAreNamed() {
        LogicalType multiset = new MultisetType(new IntType());
        assertThatThrownBy(
                        () ->
                                ArrowTypes.validate(
                                        RowType.of(
                                                new LogicalType[] {
                                                    new IntType(),
                                                    RowType.of(new ArrayType(multiset))
                                                },
                                                new String[] {"id", "payload"})))
                .hasMessage(
                        "UNSUPPORTED_TYPE: column 'payload.f0.element' has type MULTISET<INT>, which"
                                + " the hot store cannot hold. Cast it to a supported type, or leave"
                                + " the column out.");
        LogicalType interval =
                new YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution.YEAR);
        assertThatThrownBy(() -> ArrowTypes.validate(RowType.of(interval)))
                .hasMessageContaining("column 'f0' has type INTERVAL YEAR");
    }

    @Test
    void aVariantInTheKeyOfAMapIsRefused() {
        LogicalType map = new MapType(RowType.of(new IntType(), new VariantType()), new IntType());
        assertThatThrownBy(
                        () ->
                                ArrowTypes.validate(
                                        RowType.of(new LogicalType[] {map}, new String[] {"m"})))
                .hasMessage(
                        "UNSUPPORTED_TYPE: column 'm' has type MAP<ROW<`f0` INT, `f1` VARIANT>, INT>,"
                                + " with VARIANT in the key: values of VARIANT cannot be compared."
                                + " Use STRING with JSON text in the key.");
    }

    @Test
    void aVariantOfNullIsNotNull() {
        RowType type = RowType.of(new VariantType());
        Variant variantNull = Variant.newBuilder().ofNull();
        List<RowData> rows =
                List.of(GenericRowData.of(variantNull), GenericRowData.of((Object) null));
        try (RowBatch batch = RowBatches.of(type, rows, allocator)) {
            assertThat(batch.row(0).isNullAt(0)).isFalse();
            assertThat(batch.row(0).getVariant(0).isNull()).isTrue();
            assertThat(batch.row(0).getVariant(0)).isEqualTo(variantNull);
            assertThat(batch.row(1).isNullAt(0)).isTrue();
        }
    }

    @Test
    void vectorsOfAnotherTypeAreNotWrapped() {
        IntVector vector = new IntVector("id", allocator);
        vector.setSafe(0, 7);
        VectorSchemaRoot root = VectorSchemaRoot.of(vector);
        root.setRowCount(1);
        RowType type = RowType.of(new LogicalType[] {new BigIntType()}, new String[] {"id"});
        assertThatThrownBy(() -> RowBatches.wrap(type, root, null))
                .hasMessageContaining("column 'id' needs the Arrow type");
    }

    @Test
    void rowKindsMustFitTheRows() {
        RowType type = RowType.of(new IntType());
        RowBatch batch = RowBatches.of(type, List.of(GenericRowData.of(1)), allocator);
        assertThatThrownBy(() -> RowBatches.wrap(type, batch.vectors(), new byte[] {4}))
                .hasMessageContaining("row 0 has the unknown row kind number 4");
        RowBatch second = RowBatches.of(type, List.of(GenericRowData.of(1)), allocator);
        assertThatThrownBy(() -> RowBatches.wrap(type, second.vectors(), new byte[2]))
                .hasMessageContaining("2 row kinds for a batch of 1 rows");
    }
}
