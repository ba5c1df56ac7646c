package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import org.apache.flink.table.catalog.ObjectPath;

/** Names a table in a command: the server opens it on first use, so no handle has to be kept. */
record TableAddress(String database, String table, String tableId) {

    static TableAddress of(ObjectPath path, String tableId) {
        return new TableAddress(path.getDatabaseName(), path.getObjectName(), tableId);
    }

    static TableAddress read(JsonNode command) {
        return new TableAddress(
                name(command, "database"),
                name(command, "table"),
                WireJson.text(command, "tableId"));
    }

    private static String name(JsonNode command, String field) {
        String name = WireJson.text(command, field);
        if (name.isBlank()) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "field '" + field + "' of a Flight command is blank");
        }
        return name;
    }

    ObjectPath path() {
        return new ObjectPath(database, table);
    }

    /** A command about this table. */
    ObjectNode command() {
        return WireJson.object()
                .put("database", database)
                .put("table", table)
                .put("tableId", tableId);
    }

    @Override
    public String toString() {
        return database + "." + table + " (id " + tableId + ")";
    }
}
