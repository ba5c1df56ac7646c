package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.jspecify.annotations.Nullable;

/** The JSON that commands, action bodies and results are written in. */
final class WireJson {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private WireJson() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new HotStoreException(
                    ErrorCode.INTERNAL, "cannot write a Flight message as JSON: " + value, e);
        }
    }

    static JsonNode parse(byte @Nullable [] json) {
        try {
            JsonNode node = json == null ? null : MAPPER.readTree(json);
            if (node != null && node.isObject()) {
                return node;
            }
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a Flight command must be a JSON object: " + e.getMessage(),
                    e);
        }
        throw new HotStoreException(
                ErrorCode.INVALID_ARGUMENT, "a Flight command must be a JSON object");
    }

    static <T> T value(byte[] json, Class<T> type) {
        try {
            return MAPPER.readValue(json, type);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a Flight message is not a valid "
                            + type.getSimpleName()
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** A field that holds an object of a type. */
    static <T> T value(JsonNode node, String name, Class<T> type) {
        return value(bytes(field(node, name)), type);
    }

    static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    static JsonNode field(JsonNode node, String name) {
        JsonNode field = node.get(name);
        if (field == null || field.isNull()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "field '" + name + "' is missing in the Flight command " + node);
        }
        return field;
    }

    static String text(JsonNode node, String name) {
        return field(node, name).asText();
    }

    static UUID uuid(JsonNode node, String name) {
        String text = text(node, name);
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "field '" + name + "' must be a UUID in the Flight command " + node,
                    e);
        }
    }

    static long number(JsonNode node, String name) {
        JsonNode field = field(node, name);
        if (!field.isIntegralNumber()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "field '" + name + "' must be a whole number in the Flight command " + node);
        }
        return field.asLong();
    }

    static int integer(JsonNode node, String name) {
        long number = number(node, name);
        if (number != (int) number) {
            throw invalid(node, name, "must be a 32-bit number");
        }
        return (int) number;
    }

    private static HotStoreException invalid(JsonNode node, String name, String what) {
        return new HotStoreException(
                ErrorCode.INVALID_ARGUMENT,
                "field '" + name + "' " + what + " in the Flight command " + node);
    }

    static List<String> texts(JsonNode node, String name) {
        JsonNode array = field(node, name);
        if (!array.isArray()) {
            throw invalid(node, name, "must be an array of texts");
        }
        List<String> texts = new ArrayList<>();
        array.forEach(item -> texts.add(item.asText()));
        return texts;
    }

    static ArrayNode array(Collection<String> texts) {
        ArrayNode array = MAPPER.createArrayNode();
        texts.forEach(array::add);
        return array;
    }

    static ObjectNode offsets(Map<Integer, Long> offsets) {
        ObjectNode node = object();
        new TreeMap<>(offsets).forEach((bucket, offset) -> node.put(bucket.toString(), offset));
        return node;
    }

    static Map<Integer, Long> offsets(JsonNode node, String name) {
        Map<Integer, Long> offsets = new TreeMap<>();
        field(node, name)
                .fields()
                .forEachRemaining(
                        entry -> {
                            if (!entry.getKey().matches("-?\\d{1,9}")
                                    || !entry.getValue().isIntegralNumber()) {
                                throw invalid(node, name, "must map bucket numbers to offsets");
                            }
                            offsets.put(Integer.valueOf(entry.getKey()), entry.getValue().asLong());
                        });
        return offsets;
    }

    static ObjectNode spec(HotTableSpec spec) {
        ObjectNode node =
                TableAddress.of(spec.path(), spec.tableId())
                        .command()
                        .put("schemaVersion", spec.schemaVersion())
                        .put("rowType", spec.rowType().asSerializableString())
                        .put("bucketCount", spec.bucketCount());
        node.set("primaryKey", array(spec.primaryKey()));
        node.set("partitionKeys", array(spec.partitionKeys()));
        node.set("bucketKeys", array(spec.bucketKeys()));
        node.set("options", MAPPER.valueToTree(spec.options()));
        return node;
    }

    static HotTableSpec spec(JsonNode node) {
        Map<String, String> options = new TreeMap<>();
        field(node, "options")
                .fields()
                .forEachRemaining(entry -> options.put(entry.getKey(), entry.getValue().asText()));
        return new HotTableSpec(
                new ObjectPath(text(node, "database"), text(node, "table")),
                text(node, "tableId"),
                (int) number(node, "schemaVersion"),
                (RowType)
                        LogicalTypeParser.parse(
                                text(node, "rowType"), WireJson.class.getClassLoader()),
                texts(node, "primaryKey"),
                texts(node, "partitionKeys"),
                texts(node, "bucketKeys"),
                (int) number(node, "bucketCount"),
                options);
    }
}
