package io.thermocline.hotserver;

import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.local.TableResolver;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.unionread.LogicalTable;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;

/** The lake's tables that have a hot tier. Thread-safe. */
final class LakeTables implements TableResolver {

    private final LakeCatalog lake;

    LakeTables(LakeCatalog lake) {
        this.lake = lake;
    }

    /**
     * The definition of a table; empty if there is no such table, or it has no hot tier and is not
     * getting one.
     *
     * @throws HotStoreException {@code LAKE_FAILED} if the lake cannot say
     */
    @Override
    public Optional<HotTableSpec> resolve(ObjectPath path) {
        return definition(path).flatMap(LakeTables::hot).map(LogicalTable::specOf);
    }

    private static Optional<LakeTableDefinition> hot(LakeTableDefinition definition) {
        return definition.tableId().isPresent()
                ? Optional.of(definition)
                : definition.whileAttaching();
    }

    /**
     * {@inheritDoc} Looks at every table of the database; one of a kind that no hot tier can have
     * is passed over.
     *
     * @throws HotStoreException {@code LAKE_FAILED} if a table that may be the one cannot be read
     */
    @Override
    public Optional<HotTableSpec> resolveRenamed(ObjectPath path, String tableId) {
        HotStoreException unread = null;
        for (ObjectPath candidate : tables(path.getDatabaseName())) {
            try {
                Optional<LakeTableDefinition> found =
                        definition(candidate)
                                .filter(known -> known.tableId().equals(Optional.of(tableId)));
                if (found.isPresent()) {
                    return found.map(LogicalTable::specOf);
                }
            } catch (HotStoreException e) {
                if (!isUnsupported(e)) {
                    unread = e;
                }
            }
        }
        if (unread != null) {
            throw unread;
        }
        return Optional.empty();
    }

    private static boolean isUnsupported(HotStoreException failure) {
        return failure.getCause() instanceof LakeException lake
                && lake.reason() == Reason.UNSUPPORTED;
    }

    /** Ids of all tables that have a hot tier, or are getting one. */
    Set<String> tableIds() {
        Set<String> ids = new HashSet<>();
        try {
            for (String database : lake.flinkCatalog().listDatabases()) {
                hotTables(database)
                        .forEach(definition -> ids.add(definition.tableId().orElseThrow()));
            }
        } catch (HotStoreException e) {
            throw e;
        } catch (RuntimeException e) {
            throw listingFailed("databases", e);
        }
        return ids;
    }

    private Stream<LakeTableDefinition> hotTables(String database) {
        return tables(database).stream()
                .map(this::definition)
                .flatMap(Optional::stream)
                .map(LakeTables::hot)
                .flatMap(Optional::stream);
    }

    private List<ObjectPath> tables(String database) {
        try {
            return lake.flinkCatalog().listTables(database).stream()
                    .map(table -> new ObjectPath(database, table))
                    .toList();
        } catch (DatabaseNotExistException e) {
            return List.of();
        } catch (RuntimeException e) {
            // Iceberg's catalogs throw exceptions of their own
            throw listingFailed("tables of database " + database, e);
        }
    }

    private static HotStoreException listingFailed(String what, RuntimeException cause) {
        return LakeAccess.failed(
                "list the " + what,
                new LakeException(Reason.IO, String.valueOf(cause.getMessage()), cause));
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
