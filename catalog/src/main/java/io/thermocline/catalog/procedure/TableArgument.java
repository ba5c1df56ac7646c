package io.thermocline.catalog.procedure;

import io.thermocline.catalog.option.QualifiedName;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeTable;
import java.util.Optional;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.jspecify.annotations.Nullable;

/** The table that a procedure is called for. */
final class TableArgument {

    private TableArgument() {}

    /**
     * Loads the table.
     *
     * @param verb what the procedure does to it, which is also the procedure's name
     * @param table {@code database.table}, see {@link QualifiedName}
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

    private static ObjectPath parse(String verb, @Nullable String table) {
        ObjectPath path =
                Optional.ofNullable(table)
                        .flatMap(QualifiedName::parse)
                        .orElseThrow(
                                () ->
                                        new ValidationException(
                                                "argument 'table' = '%s' of procedure sys.%s is not valid: %s"
                                                        .formatted(
                                                                table, verb, QualifiedName.FORM)));
        if (path.getObjectName().contains("$")) {
            throw new ValidationException(
                    "cannot %s %s: a name with '$' stands for a read-only view of another table"
                            .formatted(verb, table));
        }
        return path;
    }
}
