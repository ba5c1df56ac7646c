package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.filter.RowPredicate;
import io.thermocline.hotstore.filter.RowPredicate.And;
import io.thermocline.hotstore.filter.RowPredicate.Compare;
import io.thermocline.hotstore.filter.RowPredicate.In;
import io.thermocline.hotstore.filter.RowPredicate.IsNull;
import io.thermocline.hotstore.filter.RowPredicate.Op;
import io.thermocline.hotstore.filter.RowPredicate.Or;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

/**
 * Predicates as JSON: {@code {"op": "EQ", "column": c, "value": literal}}, {@code {"op": "IN", …,
 * "values": […]}}, {@code {"op": "IS_NULL" | "IS_NOT_NULL", …}}, {@code {"op": "AND" | "OR",
 * "children": […]}}. A literal is an object of its kind and value, such as {@code {"int": 5}}.
 */
final class PredicateJson {

    private PredicateJson() {}

    static ObjectNode write(RowPredicate predicate) {
        if (predicate instanceof Compare compare) {
            ObjectNode node = column(compare.op().name(), compare.column());
            node.set("value", literal(compare.literal()));
            return node;
        }
        if (predicate instanceof In in) {
            ObjectNode node = column("IN", in.column());
            ArrayNode values = node.putArray("values");
            in.literals().forEach(value -> values.add(literal(value)));
            return node;
        }
        if (predicate instanceof IsNull isNull) {
            return column(isNull.negated() ? "IS_NOT_NULL" : "IS_NULL", isNull.column());
        }
        boolean and = predicate instanceof And;
        ObjectNode node = WireJson.object().put("op", and ? "AND" : "OR");
        ArrayNode children = node.putArray("children");
        (and ? ((And) predicate).children() : ((Or) predicate).children())
                .forEach(child -> children.add(write(child)));
        return node;
    }

    static RowPredicate read(JsonNode node) {
        String op = WireJson.text(node, "op");
        return switch (op) {
            case "AND" -> new And(children(node));
            case "OR" -> new Or(children(node));
            case "IS_NULL" -> new IsNull(WireJson.text(node, "column"), false);
            case "IS_NOT_NULL" -> new IsNull(WireJson.text(node, "column"), true);
            case "IN" -> {
                List<Object> values = new ArrayList<>();
                WireJson.field(node, "values").forEach(value -> values.add(literal(value)));
                yield new In(WireJson.text(node, "column"), values);
            }
            case "EQ", "NE", "LT", "LE", "GT", "GE" ->
                    new Compare(
                            WireJson.text(node, "column"),
                            Op.valueOf(op),
                            literal(WireJson.field(node, "value")));
            default -> throw invalid("unknown predicate operator '" + op + "'");
        };
    }

    private static List<RowPredicate> children(JsonNode node) {
        List<RowPredicate> children = new ArrayList<>();
        WireJson.field(node, "children").forEach(child -> children.add(read(child)));
        return children;
    }

    private static ObjectNode column(String op, String column) {
        return WireJson.object().put("op", op).put("column", column);
    }

    private static ObjectNode literal(Object value) {
        ObjectNode node = WireJson.object();
        if (value instanceof Boolean v) {
            return node.put("boolean", v);
        } else if (value instanceof Byte v) {
            return node.put("tinyint", v);
        } else if (value instanceof Short v) {
            return node.put("smallint", v);
        } else if (value instanceof Integer v) {
            return node.put("int", v);
        } else if (value instanceof Long v) {
            return node.put("bigint", v);
        } else if (value instanceof Float v) {
            // as bits: JSON has neither NaN nor infinity
            return node.put("float", Float.floatToRawIntBits(v));
        } else if (value instanceof Double v) {
            return node.put("double", Double.doubleToRawLongBits(v));
        } else if (value instanceof StringData v) {
            return node.put("string", v.toString());
        } else if (value instanceof byte[] v) {
            return node.put("bytes", v);
        } else if (value instanceof TimestampData v) {
            node.putArray("timestamp").add(v.getMillisecond()).add(v.getNanoOfMillisecond());
            return node;
        } else if (value instanceof DecimalData v) {
            node.putArray("decimal").add(v.toUnscaledBytes()).add(v.precision()).add(v.scale());
            return node;
        }
        throw invalid("a predicate cannot hold a literal of " + value.getClass().getName());
    }

    private static Object literal(JsonNode node) {
        if (!node.isObject() || node.size() != 1) {
            throw invalid("a literal must be an object of one field, but is " + node);
        }
        String kind = node.fieldNames().next();
        JsonNode value = node.get(kind);
        try {
            return switch (kind) {
                case "boolean" -> value.asBoolean();
                case "tinyint" -> (byte) value.asInt();
                case "smallint" -> (short) value.asInt();
                case "int" -> value.asInt();
                case "bigint" -> value.asLong();
                case "float" -> Float.intBitsToFloat(value.asInt());
                case "double" -> Double.longBitsToDouble(value.asLong());
                case "string" -> StringData.fromString(value.asText());
                case "bytes" -> value.binaryValue();
                case "timestamp" ->
                        TimestampData.fromEpochMillis(
                                value.path(0).asLong(), value.path(1).asInt());
                case "decimal" ->
                        DecimalData.fromUnscaledBytes(
                                value.path(0).binaryValue(),
                                value.path(1).asInt(),
                                value.path(2).asInt());
                default -> throw invalid("unknown kind of literal '" + kind + "'");
            };
        } catch (IOException e) {
            throw invalid("literal " + node + " is not valid base64");
        }
    }

    private static HotStoreException invalid(String message) {
        return new HotStoreException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
