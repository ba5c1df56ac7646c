package io.thermocline.hotstore.filter;

import java.io.Serializable;
import java.util.List;

/**
 * A predicate over columns by name, in conjunctive use: it can be checked against the value range
 * of a frame group ("may a row match?"). Literals are Flink internal values (StringData,
 * DecimalData, TimestampData, Integer for DATE …) of exactly the column's type. A row matches only
 * if the predicate is TRUE: NULL and FALSE both do not match (SQL's WHERE).
 */
public sealed interface RowPredicate extends Serializable {

    /** Comparison operators. */
    enum Op {
        EQ,
        NE,
        LT,
        LE,
        GT,
        GE
    }

    /** {@code column op literal}; the literal is not null. */
    record Compare(String column, Op op, Object literal) implements RowPredicate {

        private Object writeReplace() {
            return new LiteralForm.OfCompare(column, op, LiteralForm.of(literal));
        }
    }

    /** {@code column IN (literals)}; none is null. */
    record In(String column, List<Object> literals) implements RowPredicate {

        public In {
            literals = List.copyOf(literals);
        }

        private Object writeReplace() {
            return new LiteralForm.OfIn(column, literals.stream().map(LiteralForm::of).toList());
        }
    }

    /** {@code column IS NULL}, or {@code IS NOT NULL} when negated. */
    record IsNull(String column, boolean negated) implements RowPredicate {}

    /** All of them. */
    record And(List<RowPredicate> children) implements RowPredicate {

        public And {
            children = List.copyOf(children);
        }
    }

    /** At least one of them. */
    record Or(List<RowPredicate> children) implements RowPredicate {

        public Or {
            children = List.copyOf(children);
        }
    }
}
