package io.thermocline.source.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thermocline.hotstore.HotTableSpec;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

class LookupKeysTest {

    @Test
    void takesTheWholeKeyInAnyOrder() {
        LookupKeys keys = LookupKeys.of(spec(), List.of("line", "day", "customer", "value"));
        assertThat(keys.wholeKey()).isTrue();
        assertThat(keys.prefixLength()).isEqualTo(3);
        assertThat(keys.filterColumns()).containsExactly("value");
    }

    @Test
    void takesTheLongestPrefixAndFiltersByTheRest() {
        LookupKeys keys = LookupKeys.of(spec(), List.of("line", "day"));
        assertThat(keys.wholeKey()).isFalse();
        assertThat(keys.prefixLength()).isEqualTo(1);
        assertThat(keys.filterColumns()).containsExactly("line");
    }

    @Test
    void namesTheUsablePrefixesWhereNoneIsCovered() {
        assertThatThrownBy(() -> LookupKeys.of(spec(), List.of("line", "value")))
                .isInstanceOf(ValidationException.class)
                .hasMessage(
                        "Cannot look up rows of table db.t by [line, value]: the equality"
                                + " conditions of a lookup join must cover a prefix of its key, one"
                                + " of [[day], [day, customer], [day, customer, line]] (further"
                                + " columns only filter). Both sides must have the same type.");
    }

    @Test
    void refusesLogTables() {
        HotTableSpec keyed = spec();
        HotTableSpec log =
                new HotTableSpec(
                        keyed.path(),
                        keyed.tableId(),
                        0,
                        keyed.rowType(),
                        List.of(),
                        List.of(),
                        List.of(),
                        1,
                        Map.of());
        assertThatThrownBy(() -> LookupKeys.of(log, List.of("value")))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("log table db.t by [value]: it has no primary key");
    }

    private static HotTableSpec spec() {
        RowType rowType =
                (RowType)
                        DataTypes.ROW(
                                        DataTypes.FIELD("value", DataTypes.STRING()),
                                        DataTypes.FIELD("line", DataTypes.INT().notNull()),
                                        DataTypes.FIELD("customer", DataTypes.BIGINT().notNull()),
                                        DataTypes.FIELD("day", DataTypes.DATE().notNull()))
                                .getLogicalType();
        return new HotTableSpec(
                new ObjectPath("db", "t"),
                "00000000-0000-0000-0000-000000000001",
                0,
                rowType,
                List.of("line", "customer", "day"),
                List.of("day"),
                List.of("customer"),
                4,
                Map.of());
    }
}
