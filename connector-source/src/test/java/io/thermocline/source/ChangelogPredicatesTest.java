package io.thermocline.source;

import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.AND;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.CAST;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.EQUALS;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.GREATER_THAN;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.IN;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.IS_NULL;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.LESS_THAN;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.NOT;
import static org.apache.flink.table.functions.BuiltInFunctionDefinitions.OR;
import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.filter.RowPredicate;
import io.thermocline.hotstore.filter.RowPredicate.Op;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinition;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

class ChangelogPredicatesTest {

    private static final DataType ROW =
            DataTypes.ROW(
                    DataTypes.FIELD("i", DataTypes.INT()),
                    DataTypes.FIELD("s", DataTypes.STRING()),
                    DataTypes.FIELD("d", DataTypes.DECIMAL(6, 2)),
                    DataTypes.FIELD("c", DataTypes.CHAR(3)),
                    DataTypes.FIELD("t", DataTypes.TIMESTAMP(3)),
                    DataTypes.FIELD("z", DataTypes.TIMESTAMP_LTZ(3)),
                    DataTypes.FIELD("day", DataTypes.DATE()),
                    DataTypes.FIELD("b", DataTypes.BOOLEAN()),
                    DataTypes.FIELD("f", DataTypes.DOUBLE()));

    @Test
    void convertsLiteralsIntoTheColumnsOwnType() {
        assertThat(convert(call(EQUALS, column("i"), literal(5L, DataTypes.BIGINT()))))
                .contains(new RowPredicate.Compare("i", Op.EQ, 5));
        assertThat(convert(call(EQUALS, column("s"), literal("x", DataTypes.CHAR(1)))))
                .contains(new RowPredicate.Compare("s", Op.EQ, StringData.fromString("x")));
        assertThat(
                        convert(
                                call(
                                        EQUALS,
                                        column("d"),
                                        literal(new BigDecimal("1.5"), DataTypes.DECIMAL(2, 1)))))
                .contains(
                        new RowPredicate.Compare(
                                "d",
                                Op.EQ,
                                DecimalData.fromBigDecimal(new BigDecimal("1.50"), 6, 2)));
        LocalDateTime time = LocalDateTime.of(2024, 2, 29, 23, 59, 59, 1_000_000);
        assertThat(convert(call(EQUALS, column("t"), literal(time, DataTypes.TIMESTAMP(3)))))
                .contains(
                        new RowPredicate.Compare(
                                "t", Op.EQ, TimestampData.fromLocalDateTime(time)));
        Instant instant = Instant.ofEpochMilli(-1);
        assertThat(convert(call(EQUALS, column("z"), literal(instant, DataTypes.TIMESTAMP_LTZ(3)))))
                .contains(new RowPredicate.Compare("z", Op.EQ, TimestampData.fromInstant(instant)));
        assertThat(
                        convert(
                                call(
                                        EQUALS,
                                        column("day"),
                                        literal(LocalDate.of(1969, 12, 31), DataTypes.DATE()))))
                .contains(new RowPredicate.Compare("day", Op.EQ, -1));
    }

    @Test
    void leavesOutWhatDoesNotFitExactly() {
        assertThat(
                        convert(
                                call(
                                        LESS_THAN,
                                        column("i"),
                                        literal(3_000_000_000L, DataTypes.BIGINT()))))
                .isEmpty();
        assertThat(
                        convert(
                                call(
                                        EQUALS,
                                        column("d"),
                                        literal(new BigDecimal("1.234"), DataTypes.DECIMAL(4, 3)))))
                .isEmpty();
        assertThat(
                        convert(
                                call(
                                        EQUALS,
                                        column("t"),
                                        literal(
                                                LocalDateTime.of(2024, 1, 1, 0, 0, 0, 1),
                                                DataTypes.TIMESTAMP(9)))))
                .isEmpty();
        // CHAR is padded when it is compared
        assertThat(convert(call(EQUALS, column("c"), literal("x", DataTypes.CHAR(1))))).isEmpty();
        assertThat(convert(call(EQUALS, column("f"), literal(Double.NaN, DataTypes.DOUBLE()))))
                .isEmpty();
        assertThat(convert(call(EQUALS, column("i"), nullLiteral()))).isEmpty();
        assertThat(convert(call(EQUALS, call(CAST, column("i")), literal(5, DataTypes.INT()))))
                .isEmpty();
        assertThat(convert(call(NOT, call(EQUALS, column("i"), literal(5, DataTypes.INT())))))
                .isEmpty();
    }

    @Test
    void mirrorsComparisonsWithTheLiteralOnTheLeft() {
        assertThat(convert(call(GREATER_THAN, literal(5, DataTypes.INT()), column("i"))))
                .contains(new RowPredicate.Compare("i", Op.LT, 5));
    }

    @Test
    void weakensAConjunctionButNotADisjunction() {
        ResolvedExpression usable = call(EQUALS, column("i"), literal(5, DataTypes.INT()));
        ResolvedExpression unusable = call(EQUALS, column("c"), literal("x", DataTypes.CHAR(1)));
        assertThat(convert(call(AND, usable, unusable)))
                .contains(new RowPredicate.Compare("i", Op.EQ, 5));
        assertThat(convert(call(OR, usable, unusable))).isEmpty();
        assertThat(convert(call(OR, usable, call(IS_NULL, column("s")))))
                .contains(
                        new RowPredicate.Or(
                                List.of(
                                        new RowPredicate.Compare("i", Op.EQ, 5),
                                        new RowPredicate.IsNull("s", false))));
    }

    @Test
    void convertsBooleanColumnsAndLists() {
        assertThat(convert(column("b"))).contains(new RowPredicate.Compare("b", Op.EQ, true));
        assertThat(convert(call(NOT, column("b"))))
                .contains(new RowPredicate.Compare("b", Op.EQ, false));
        assertThat(convert(call(IN, column("i"), literal(1, DataTypes.INT()), nullLiteral())))
                .contains(new RowPredicate.In("i", List.of(1)));
    }

    @Test
    void speaksOnlyOfAllowedColumns() {
        ChangelogPredicates keysOnly =
                new ChangelogPredicates((RowType) ROW.getLogicalType(), Set.of("i"));
        assertThat(
                        keysOnly.convert(
                                List.of(
                                        call(EQUALS, column("i"), literal(1, DataTypes.INT())),
                                        call(
                                                EQUALS,
                                                column("s"),
                                                literal("x", DataTypes.STRING())))))
                .contains(new RowPredicate.Compare("i", Op.EQ, 1));
    }

    private static Optional<RowPredicate> convert(ResolvedExpression predicate) {
        RowType rowType = (RowType) ROW.getLogicalType();
        return new ChangelogPredicates(rowType, Set.copyOf(rowType.getFieldNames()))
                .convert(List.of(predicate));
    }

    private static ResolvedExpression call(
            BuiltInFunctionDefinition function, ResolvedExpression... arguments) {
        return CallExpression.permanent(function, List.of(arguments), DataTypes.BOOLEAN());
    }

    private static FieldReferenceExpression column(String name) {
        int index = DataType.getFieldNames(ROW).indexOf(name);
        return new FieldReferenceExpression(
                name, DataType.getFieldDataTypes(ROW).get(index), 0, index);
    }

    private static ValueLiteralExpression literal(Object value, DataType type) {
        return new ValueLiteralExpression(value, type.notNull());
    }

    private static ValueLiteralExpression nullLiteral() {
        return new ValueLiteralExpression(null, DataTypes.INT());
    }
}
