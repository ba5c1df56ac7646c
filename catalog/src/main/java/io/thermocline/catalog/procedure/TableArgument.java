package io.thermocline.catalog.procedure;

import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeTable;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;

/** The table that a procedure is called for. */
final class TableArgument {

    private TableArgument() {}

    /**
     * Loads the table.
     *
     * @param verb what the procedure does to it, which is also the procedure's name
     * @param table {@code database.table}
     * @throws ValidationException if it has no hot tier, or the name is none of a table
     */
    static LakeTable load(LakeCatalog lake, String verb, String table) {
        ObjectPath path = parse(verb, table);
        LakeTable loaded = lake.table(path);
        if (loaded.definition().tableId().isEmpty()) {
            throw new ValidationException(
                    "cannot %s table %s: it is a plain lake table without a hot tier"
                            .formatted(verb, path.getFullName()));
        }
        return loaded;
    }

    private static ObjectPath parse(String verb, String table) {
        int dot = table == null ? -1 : table.indexOf('.');
        if (dot < 1 || dot == table.length() - 1) {
            throw new ValidationException(
                    "argument 'table' = '%s' of procedure sys.%s is not valid: it must be 'database.table'"
                            .formatted(table, verb));
        }
        ObjectPath path = new ObjectPath(table.substring(0, dot), table.substring(dot + 1));
        if (path.getObjectName().contains("$")) {
            throw new ValidationException(
                    "cannot %s %s: a name with '$' stands for a read-only view of another table"
                            .formatted(verb, table));
        }
        return path;
    }
}
