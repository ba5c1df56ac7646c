package io.thermocline.hotstore.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.local.file.StorageFiles;
import io.thermocline.hotstore.local.journal.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;

/**
 * The definition of a table as the store keeps it, in {@code table.json}.
 *
 * @param spec the newest definition
 * @param schemas columns of every schema version
 * @param createdAt entries of the journal before this place belong to an earlier table of the same
 *     id
 */
record TableFile(HotTableSpec spec, Map<Integer, RowType> schemas, Journal.Position createdAt) {

    static final String NAME = "table.json";

    private static final int FORMAT_VERSION = 1;

    void write(Path directory, StorageFiles files) throws IOException {
        ObjectNode json = JsonFile.JSON.createObjectNode();
        json.put(JsonFile.VERSION_FIELD, FORMAT_VERSION);
        json.put("tableId", spec.tableId());
        json.put("database", spec.path().getDatabaseName());
        json.put("table", spec.path().getObjectName());
        json.put("schemaVersion", spec.schemaVersion());
        ArrayNode versions = json.putArray("schemas");
        schemas.forEach(
                (version, rowType) -> {
                    ObjectNode schema = versions.addObject();
                    schema.put("version", version);
                    ArrayNode columns = schema.putArray("columns");
                    for (RowType.RowField field : rowType.getFields()) {
                        columns.addObject()
                                .put("name", field.getName())
                                .put("type", field.getType().asSerializableString());
                    }
                });
        putNames(json, "primaryKey", spec.primaryKey());
        putNames(json, "partitionKeys", spec.partitionKeys());
        putNames(json, "bucketKeys", spec.bucketKeys());
        json.put("bucketCount", spec.bucketCount());
        ObjectNode options = json.putObject("options");
        new TreeMap<>(spec.options()).forEach(options::put);
        json.putObject("createdAt")
                .put("journalFile", createdAt.fileSequence())
                .put("position", createdAt.position());
        JsonFile.write(directory.resolve(NAME), json, files);
    }

    private static void putNames(ObjectNode json, String field, List<String> names) {
        ArrayNode array = json.putArray(field);
        names.forEach(array::add);
    }

    /**
     * Reads the definition of the table in a directory.
     *
     * @throws HotStoreException {@code UNSUPPORTED_FORMAT_VERSION}, {@code CORRUPT_CHANGELOG}
     */
    static TableFile read(Path directory) {
        Path file = directory.resolve(NAME);
        String wayOut = "Restore it from a copy.";
        JsonNode json = JsonFile.read(file, FORMAT_VERSION, wayOut);
        try {
            return parse(json);
        } catch (IllegalArgumentException | ValidationException e) {
            throw JsonFile.damaged(file, e, wayOut);
        }
    }

    private static TableFile parse(JsonNode json) {
        Map<Integer, RowType> schemas = new LinkedHashMap<>();
        for (JsonNode schema : json.path("schemas")) {
            List<RowType.RowField> fields = new ArrayList<>();
            for (JsonNode column : schema.path("columns")) {
                LogicalType type =
                        LogicalTypeParser.parse(
                                column.path("type").asText(), TableFile.class.getClassLoader());
                fields.add(new RowType.RowField(column.path("name").asText(), type));
            }
            schemas.put(schema.path("version").asInt(), new RowType(false, fields));
        }
        int schemaVersion = json.path("schemaVersion").asInt(-1);
        if (!schemas.containsKey(schemaVersion)) {
            throw new IllegalArgumentException("schema version " + schemaVersion + " is missing");
        }
        Map<String, String> options = new LinkedHashMap<>();
        json.path("options")
                .fields()
                .forEachRemaining(
                        option -> options.put(option.getKey(), option.getValue().asText()));
        HotTableSpec spec =
                new HotTableSpec(
                        new ObjectPath(json.path("database").asText(), json.path("table").asText()),
                        json.path("tableId").asText(),
                        schemaVersion,
                        schemas.get(schemaVersion),
                        names(json.path("primaryKey")),
                        names(json.path("partitionKeys")),
                        names(json.path("bucketKeys")),
                        json.path("bucketCount").asInt(),
                        options);
        JsonNode createdAt = json.path("createdAt");
        return new TableFile(
                spec,
                schemas,
                new Journal.Position(
                        createdAt.path("journalFile").asLong(),
                        createdAt.path("position").asLong()));
    }

    private static List<String> names(JsonNode array) {
        List<String> names = new ArrayList<>();
        array.forEach(name -> names.add(name.asText()));
        return names;
    }

    /**
     * The definition after the lake's became {@code newer}: options and path may change; what fixes
     * the data on disk may not.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT} naming what differs
     */
    TableFile evolve(HotTableSpec newer) {
        checkSame("bucket count", spec.bucketCount(), newer.bucketCount());
        checkSame("primary key", spec.primaryKey(), newer.primaryKey());
        checkSame("partition keys", spec.partitionKeys(), newer.partitionKeys());
        checkSame("bucket keys", spec.bucketKeys(), newer.bucketKeys());
        checkSame(
                "columns",
                spec.rowType().getFields().stream().map(TableFile::describe).toList(),
                newer.rowType().getFields().stream().map(TableFile::describe).toList());
        HotTableSpec evolved =
                new HotTableSpec(
                        newer.path(),
                        spec.tableId(),
                        spec.schemaVersion(),
                        spec.rowType(),
                        spec.primaryKey(),
                        spec.partitionKeys(),
                        spec.bucketKeys(),
                        spec.bucketCount(),
                        newer.options());
        return new TableFile(evolved, schemas, createdAt);
    }

    private static String describe(RowType.RowField field) {
        return field.getName() + " " + field.getType().asSerializableString();
    }

    private void checkSame(String what, Object kept, Object asked) {
        if (!kept.equals(asked)) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "table "
                            + spec.path()
                            + " has the "
                            + what
                            + " "
                            + asked
                            + " in the lake, but its hot data was written with "
                            + kept
                            + ". Undo the change in the lake, or copy its rows to a new table and drop"
                            + " this one.");
        }
    }
}
