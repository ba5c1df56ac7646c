package io.thermocline.lake.conformance;

import java.util.List;
import org.apache.flink.table.expressions.Expression;
import org.apache.flink.table.expressions.ExpressionVisitor;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.SqlFactory;
import org.apache.flink.table.types.DataType;

/** An expression with its SQL text, as the planner has it. */
record SqlExpression(ResolvedExpression expression, String sql) implements ResolvedExpression {

    @Override
    public DataType getOutputDataType() {
        return expression.getOutputDataType();
    }

    @Override
    public List<ResolvedExpression> getResolvedChildren() {
        return expression.getResolvedChildren();
    }

    @Override
    public String asSummaryString() {
        return sql;
    }

    @Override
    public String asSerializableString(SqlFactory sqlFactory) {
        return sql;
    }

    @Override
    public List<Expression> getChildren() {
        return expression.getChildren();
    }

    @Override
    public <R> R accept(ExpressionVisitor<R> visitor) {
        return visitor.visit(this);
    }
}
