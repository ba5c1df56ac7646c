package io.thermocline.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class NestedNullCheckTest {

    private static final DataType NOT_NULL_INT = DataTypes.INT().notNull();

    @Test
    void nullElementIsRefused() {
        NestedNullCheck check = check(DataTypes.ARRAY(NOT_NULL_INT));
        check.check(GenericRowData.of(new GenericArrayData(new Object[] {1, 2})));
        check.check(GenericRowData.of((Object) null));
        assertRefused(
                check, new GenericArrayData(new Object[] {1, null}), "c[] is declared NOT NULL");
    }

    @Test
    void nullInADeepPlaceIsRefusedWithItsPath() {
        NestedNullCheck check =
                check(
                        DataTypes.MAP(
                                NOT_NULL_INT,
                                DataTypes.ROW(
                                                DataTypes.FIELD("a", DataTypes.INT()),
                                                DataTypes.FIELD("b", DataTypes.ARRAY(NOT_NULL_INT)))
                                        .notNull()));
        check.check(
                GenericRowData.of(
                        new GenericMapData(
                                Map.of(
                                        1,
                                        GenericRowData.of(
                                                null, new GenericArrayData(new Object[] {1}))))));
        assertRefused(
                check,
                new GenericMapData(
                        Map.of(1, GenericRowData.of(2, new GenericArrayData(new Object[] {null})))),
                "c.value.b[] is declared NOT NULL");
        Map<Object, Object> nullValue = new HashMap<>();
        nullValue.put(1, null);
        assertRefused(
                check, new GenericMapData(nullValue), "c.value is declared NOT NULL, but is NULL");
    }

    @Test
    void nullableTypesAndDeletesPass() {
        GenericArrayData withNull = new GenericArrayData(new Object[] {null});
        check(DataTypes.ARRAY(DataTypes.INT())).check(GenericRowData.of(withNull));
        assertThatCode(
                        () ->
                                check(DataTypes.ARRAY(NOT_NULL_INT))
                                        .check(GenericRowData.ofKind(RowKind.DELETE, withNull)))
                .doesNotThrowAnyException();
    }

    private static void assertRefused(NestedNullCheck check, Object value, String message) {
        assertThatThrownBy(() -> check.check(GenericRowData.of(value)))
                .isInstanceOfSatisfying(
                        HotStoreException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NULL_IN_NOT_NULL_COLUMN))
                .hasMessageContaining("cannot write a row to table db.t: " + message);
    }

    private static NestedNullCheck check(DataType column) {
        RowType rowType = (RowType) DataTypes.ROW(DataTypes.FIELD("c", column)).getLogicalType();
        return new NestedNullCheck(
                new HotTableSpec(
                        new ObjectPath("db", "t"),
                        "id",
                        0,
                        rowType,
                        List.of(),
                        List.of(),
                        List.of(),
                        1,
                        Map.of()));
    }
}
