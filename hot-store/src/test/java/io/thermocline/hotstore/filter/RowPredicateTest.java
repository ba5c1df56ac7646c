package io.thermocline.hotstore.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.thermocline.hotstore.filter.RowPredicate.And;
import io.thermocline.hotstore.filter.RowPredicate.Compare;
import io.thermocline.hotstore.filter.RowPredicate.In;
import io.thermocline.hotstore.filter.RowPredicate.IsNull;
import io.thermocline.hotstore.filter.RowPredicate.Op;
import java.math.BigDecimal;
import java.util.List;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class RowPredicateTest {

    @Test
    void travelsWithLiteralsOfEveryClass() throws Exception {
        RowPredicate predicate =
                new And(
                        List.of(
                                new Compare("s", Op.EQ, StringData.fromString("ü漢")),
                                new Compare(
                                        "d",
                                        Op.LT,
                                        DecimalData.fromBigDecimal(new BigDecimal("-1.50"), 30, 2)),
                                new Compare("t", Op.GE, TimestampData.fromEpochMillis(-1, 999_999)),
                                new Compare("i", Op.NE, 7),
                                new In(
                                        "s",
                                        List.of(
                                                StringData.fromString(""),
                                                StringData.fromString("a"))),
                                new IsNull("x", true)));
        assertThat(InstantiationUtil.<RowPredicate>clone(predicate)).isEqualTo(predicate);
    }
}
