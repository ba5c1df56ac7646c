package io.thermocline.hotstore.filter;

import java.io.Serializable;
import java.math.BigDecimal;
import java.util.List;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

/** Serialized form of literals: Flink's internal text, decimals and timestamps have none. */
sealed interface LiteralForm extends Serializable {

    /** The literal again. */
    Object literal();

    static LiteralForm of(Object literal) {
        if (literal instanceof StringData text) {
            return new Text(text.toBytes());
        }
        if (literal instanceof DecimalData decimal) {
            return new Decimal(decimal.toBigDecimal(), decimal.precision());
        }
        if (literal instanceof TimestampData timestamp) {
            return new Timestamp(timestamp.getMillisecond(), timestamp.getNanoOfMillisecond());
        }
        return new Plain((Serializable) literal);
    }

    record Text(byte[] utf8) implements LiteralForm {
        @Override
        public Object literal() {
            return StringData.fromBytes(utf8);
        }
    }

    record Decimal(BigDecimal value, int precision) implements LiteralForm {
        @Override
        public Object literal() {
            return DecimalData.fromBigDecimal(value, precision, value.scale());
        }
    }

    record Timestamp(long millis, int nanoOfMilli) implements LiteralForm {
        @Override
        public Object literal() {
            return TimestampData.fromEpochMillis(millis, nanoOfMilli);
        }
    }

    record Plain(Serializable literal) implements LiteralForm {}

    /** Serialized form of {@link RowPredicate.Compare}. */
    record OfCompare(String column, RowPredicate.Op op, LiteralForm literal)
            implements Serializable {

        private Object readResolve() {
            return new RowPredicate.Compare(column, op, literal.literal());
        }
    }

    /** Serialized form of {@link RowPredicate.In}. */
    record OfIn(String column, List<LiteralForm> literals) implements Serializable {

        private Object readResolve() {
            return new RowPredicate.In(
                    column, literals.stream().map(LiteralForm::literal).toList());
        }
    }
}
