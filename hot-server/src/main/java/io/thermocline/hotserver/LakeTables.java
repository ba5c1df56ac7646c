package io.thermocline.hotserver;

import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.unionread.LogicalTable;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;

/** The lake's tables that have a hot tier. Thread-safe. */
final class LakeTables {

    private final LakeCatalog lake;

    LakeTables(LakeCatalog lake) {
        this.lake = lake;
    }

    /**
     * The definition of a table; empty if there is no such table or it has no hot tier.
     *
     * @throws io.thermocline.hotstore.HotStoreException {@code LAKE_FAILED} if the lake cannot say
     */
    Optional<HotTableSpec> resolve(ObjectPath path) {
        return definition(path)
                .filter(definition -> definition.tableId().isPresent())
                .map(LogicalTable::specOf);
    }

    /** Ids of all tables that have a hot tier. */
    Set<String> tableIds() {
        Set<String> ids = new HashSet<>();
        Catalog catalog = lake.flinkCatalog();
        try {
            for (String database : catalog.listDatabases()) {
                for (String table : catalog.listTables(database)) {
                    definition(new ObjectPath(database, table))
                            .flatMap(LakeTableDefinition::tableId)
                            .ifPresent(ids::add);
                }
            }
        } catch (DatabaseNotExistException | CatalogException e) {
            throw LakeAccess.failed(
                    "list the warehouse's tables",
                    new LakeException(Reason.IO, String.valueOf(e.getMessage()), e));
        }
        return ids;
    }

    private Optional<LakeTableDefinition> definition(ObjectPath path) {
        try {
            LakeTable table = lake.table(path);
            return Optional.of(table.definition());
        } catch (LakeException e) {
            if (e.reason() == Reason.TABLE_NOT_FOUND) {
                return Optional.empty();
            }
            throw LakeAccess.failed("load table " + path, e);
        }
    }
}
