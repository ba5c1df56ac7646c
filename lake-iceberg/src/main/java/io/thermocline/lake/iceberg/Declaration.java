package io.thermocline.lake.iceberg;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTableDefinition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What Iceberg has no place for: kept as JSON in the table property {@link #PROPERTY}.
 *
 * @param version of this form
 * @param types declared types by field id, where Iceberg would give another one
 * @param primaryKey primary-key columns in their order, which identifier fields do not have
 * @param bucketKeys bucket-key columns
 * @param bucketCount number of buckets
 * @param computedColumns columns that are expressions
 * @param watermarks watermark declarations
 */
record Declaration(
        int version,
        Map<Integer, String> types,
        List<String> primaryKey,
        List<String> bucketKeys,
        int bucketCount,
        List<ComputedColumn> computedColumns,
        List<Watermark> watermarks) {

    static final String PROPERTY = LakeTableDefinition.OPTION_PREFIX + "declaration";

    static final int VERSION = 1;

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    /**
     * A computed column.
     *
     * @param position among all columns
     * @param name its name
     * @param expression SQL
     * @param comment null if it has none
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ComputedColumn(int position, String name, String expression, @Nullable String comment) {}

    /**
     * A watermark.
     *
     * @param column the time column
     * @param expression SQL
     */
    record Watermark(String column, String expression) {}

    Declaration {
        types = Map.copyOf(types);
        primaryKey = List.copyOf(primaryKey);
        bucketKeys = List.copyOf(bucketKeys);
        computedColumns = List.copyOf(computedColumns);
        watermarks = List.copyOf(watermarks);
    }

    String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a declaration is plain data", e);
        }
    }

    /**
     * The declaration of a table; empty if it has none.
     *
     * @throws LakeException {@code UNSUPPORTED} if it cannot be read
     */
    static Optional<Declaration> of(String table, Map<String, String> properties) {
        String json = properties.get(PROPERTY);
        if (json == null) {
            return Optional.empty();
        }
        try {
            Declaration declaration = JSON.readValue(json, Declaration.class);
            if (declaration.version() == VERSION) {
                return Optional.of(declaration);
            }
            throw unreadable(table, json, "its version is " + declaration.version(), null);
        } catch (JsonProcessingException e) {
            throw unreadable(table, json, e.getOriginalMessage(), e);
        }
    }

    private static LakeException unreadable(
            String table, String json, String why, @Nullable Exception cause) {
        return new LakeException(
                Reason.UNSUPPORTED,
                "cannot read property '"
                        + PROPERTY
                        + "' = '"
                        + json
                        + "' of lake table "
                        + table
                        + ": "
                        + why
                        + "; this program reads version "
                        + VERSION
                        + ". Use the version of the program that created the table.",
                cause);
    }
}
