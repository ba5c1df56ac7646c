package io.thermocline.catalog;

import io.thermocline.catalog.option.TableOptionRules;
import io.thermocline.catalog.procedure.SystemProcedures;
import io.thermocline.catalog.virtual.HotMetadataTable;
import io.thermocline.catalog.virtual.VirtualTableName;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.ShownTable;
import io.thermocline.unionread.attach.TableAttachment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.CatalogView;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedCatalogView;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.ProcedureNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.procedures.Procedure;

/**
 * A catalog of tables with a hot tier in front of a lake. The lake's catalog is the only metadata
 * store; this one translates: what belongs to the hot tier is kept there under a prefix and shown
 * without it.
 *
 * <p>Reading a definition needs the lake only, never the hot store. Thread-safe.
 */
final class ThermoclineCatalog extends PartitionedCatalog {

    private final Duration detachTimeout;
    private final HotDataRemoval hotData;

    ThermoclineCatalog(
            String name,
            String defaultDatabase,
            WarehouseConfig warehouse,
            Duration detachTimeout,
            ClassLoader classLoader) {
        super(name, defaultDatabase, warehouse, classLoader);
        this.detachTimeout = detachTimeout;
        this.hotData = new HotDataRemoval(warehouse.store());
    }

    @Override
    public Optional<Factory> getFactory() {
        return Optional.of(new ThermoclineTableFactory(this));
    }

    // ------------------------------------------------------------------ databases

    @Override
    public void dropDatabase(String name, boolean ignoreIfNotExists, boolean cascade)
            throws DatabaseNotExistException, DatabaseNotEmptyException {
        if (!databaseExists(name)) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new DatabaseNotExistException(getName(), name);
        }
        List<String> tableIds = cascade ? hotTableIds(name) : List.of();
        try {
            lakeFlinkCatalog().dropDatabase(name, ignoreIfNotExists, cascade);
        } catch (DatabaseNotExistException e) {
            throw new DatabaseNotExistException(getName(), name, e);
        } catch (DatabaseNotEmptyException e) {
            throw new DatabaseNotEmptyException(getName(), name, e);
        }
        hotData.remove(tableIds);
    }

    private List<String> hotTableIds(String database) throws DatabaseNotExistException {
        List<String> tableIds = new ArrayList<>();
        for (String table : listTables(database)) {
            try {
                HotTables.tableId(lakeTable(new ObjectPath(database, table)))
                        .ifPresent(tableIds::add);
            } catch (TableNotExistException e) {
                // Somebody else dropped it in the meantime, hot data included.
                continue;
            }
        }
        return tableIds;
    }

    // ------------------------------------------------------------------ tables and views

    @Override
    public List<String> listTables(String databaseName) throws DatabaseNotExistException {
        try {
            return lakeFlinkCatalog().listTables(databaseName);
        } catch (DatabaseNotExistException e) {
            throw new DatabaseNotExistException(getName(), databaseName, e);
        }
    }

    @Override
    public List<String> listViews(String databaseName) throws DatabaseNotExistException {
        checkDatabaseExists(databaseName);
        return lakeFlinkCatalog().listViews(databaseName);
    }

    @Override
    public CatalogBaseTable getTable(ObjectPath path) throws TableNotExistException {
        Optional<HotMetadataTable> metadata = hotMetadata(path);
        if (metadata.isPresent()) {
            return CatalogTable.newBuilder()
                    .schema(metadata.get().schema())
                    .options(Map.of())
                    .build();
        }
        if (VirtualTableName.isVirtual(path)) {
            checkLakeKnows(path);
            return lakeTableOnly(lakeTable(path));
        }
        if (path.getDatabaseName().equals(SystemProcedures.DATABASE)) {
            return lakeTable(path);
        }
        ShownTable shown = ofLake(path, lake()::shownTable);
        if (!(shown.table() instanceof CatalogTable table)) {
            return shown.table();
        }
        return shown.hot() == null
                ? HotTables.plainTable(table)
                : HotTables.hotTable(
                        table, shown.hot().definition(), optionRules()::isOptionOfHotTable);
    }

    private void checkLakeKnows(ObjectPath path) throws TableNotExistException {
        Optional<HotMetadataTable> named = HotMetadataTable.of(path);
        if (named.isPresent() && !lakeFlinkCatalog().tableExists(lakePath(path))) {
            String base = VirtualTableName.parse(path).orElseThrow().base().getFullName();
            throw new ValidationException(
                    ("table %s does not exist: %s is a plain lake table, and only the hot tier of a"
                                    + " table knows its %s. The lake's own metadata tables are"
                                    + " %s$lake$snapshots, %s$lake$files and so on.")
                            .formatted(path.getFullName(), base, named.get().suffix(), base, base));
        }
    }

    @Override
    public CatalogBaseTable getTable(ObjectPath path, long timestamp)
            throws TableNotExistException {
        if (hotMetadata(path).isPresent()) {
            throw new UnsupportedOperationException(
                    "cannot read %s as of a timestamp: it shows the present only"
                            .formatted(path.getFullName()));
        }
        if (isHotTable(path)) {
            throw new UnsupportedOperationException(
                    ("cannot read table %s as of a timestamp: its hot tier has no time travel. Read"
                                    + " %s$lake as of the timestamp for what the lake held then.")
                            .formatted(path.getFullName(), path.getFullName()));
        }
        try {
            return lakeTableOnly(lakeFlinkCatalog().getTable(lakePath(path), timestamp));
        } catch (TableNotExistException e) {
            throw new TableNotExistException(getName(), path, e);
        }
    }

    /**
     * Loads the lake's side of a table.
     *
     * @throws TableNotExistException if the lake has no such table
     */
    LakeTable loadLakeTable(ObjectPath path) throws TableNotExistException {
        return ofLake(path, lake()::table);
    }

    private <T> T ofLake(ObjectPath path, Function<ObjectPath, T> load)
            throws TableNotExistException {
        try {
            return load.apply(path);
        } catch (LakeException e) {
            if (e.reason() == LakeException.Reason.TABLE_NOT_FOUND) {
                throw new TableNotExistException(getName(), path, e);
            }
            throw LakeErrors.toCatalogError(e);
        }
    }

    @Override
    public boolean tableExists(ObjectPath path) throws CatalogException {
        if (!VirtualTableName.isVirtual(path)) {
            return databaseExists(path.getDatabaseName()) && lakeFlinkCatalog().tableExists(path);
        }
        try {
            return hotMetadata(path).isPresent()
                    || VirtualTableName.parse(path)
                            .map(name -> lakeFlinkCatalog().tableExists(name.lakePath()))
                            .orElse(false);
        } catch (TableNotExistException e) {
            return false;
        }
    }

    @Override
    public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists)
            throws TableAlreadyExistException, DatabaseNotExistException {
        checkNotVirtual(path, "create table");
        checkDatabaseExists(path.getDatabaseName());
        if (tableExists(path)) {
            if (ignoreIfExists) {
                return;
            }
            throw new TableAlreadyExistException(getName(), path);
        }
        try {
            if (table instanceof ResolvedCatalogTable resolved) {
                new TableCreation(lake(), optionRules()).create(path, resolved);
            } else if (table instanceof ResolvedCatalogView view) {
                createView(path, view);
            } else {
                throw new ValidationException(
                        "cannot create %s: a %s is not supported in catalog '%s'"
                                .formatted(
                                        path.getFullName(),
                                        table.getTableKind()
                                                .name()
                                                .toLowerCase(Locale.ROOT)
                                                .replace('_', ' '),
                                        getName()));
            }
        } catch (LakeException e) {
            if (e.reason() != LakeException.Reason.TABLE_ALREADY_EXISTS) {
                throw LakeErrors.toCatalogError(e);
            }
            // Somebody else was faster.
            if (!ignoreIfExists) {
                throw new TableAlreadyExistException(getName(), path, e);
            }
        }
    }

    private void createView(ObjectPath path, ResolvedCatalogView view)
            throws TableAlreadyExistException, DatabaseNotExistException {
        // The lake keeps one text only: the one that means the same in every session.
        CatalogView expanded =
                CatalogView.of(
                        view.getUnresolvedSchema(),
                        view.getComment(),
                        view.getExpandedQuery(),
                        view.getExpandedQuery(),
                        view.getOptions());
        try {
            lakeFlinkCatalog()
                    .createTable(
                            path,
                            new ResolvedCatalogView(expanded, view.getResolvedSchema()),
                            false);
        } catch (UnsupportedOperationException e) {
            throw new UnsupportedOperationException(
                    ("cannot create view %s: the %s catalog of warehouse %s keeps no views. Use CREATE"
                                    + " TEMPORARY VIEW, or a metastore that keeps views (options"
                                    + " 'lake.*').")
                            .formatted(
                                    path.getFullName(),
                                    warehouse().lake().lake(),
                                    warehouse().lake().warehouse()),
                    e);
        }
    }

    @Override
    public void dropTable(ObjectPath path, boolean ignoreIfNotExists)
            throws TableNotExistException {
        checkNotVirtual(path, "drop table");
        CatalogBaseTable table;
        try {
            table = lakeTable(path);
            lakeFlinkCatalog().dropTable(path, false);
        } catch (TableNotExistException e) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path, e);
        }
        hotData.remove(HotTables.tableId(table).stream().toList());
    }

    @Override
    public void renameTable(ObjectPath path, String newTableName, boolean ignoreIfNotExists)
            throws TableNotExistException, TableAlreadyExistException {
        ObjectPath target = new ObjectPath(path.getDatabaseName(), newTableName);
        checkNotVirtual(path, "rename table");
        checkNotVirtual(target, "rename a table to");
        if (!tableExists(path)) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path);
        }
        if (tableExists(target)) {
            throw new TableAlreadyExistException(getName(), target);
        }
        lakeFlinkCatalog().renameTable(path, newTableName, ignoreIfNotExists);
    }

    @Override
    public void alterTable(ObjectPath path, CatalogBaseTable newTable, boolean ignoreIfNotExists)
            throws TableNotExistException {
        checkNotVirtual(path, "alter table");
        if (!tableExists(path)) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path);
        }
        CatalogBaseTable current = getTable(path);
        if (current instanceof CatalogView || newTable instanceof CatalogView) {
            throw new UnsupportedOperationException(
                    "cannot change view %s: drop it and create it again"
                            .formatted(path.getFullName()));
        }
        if (!current.getUnresolvedSchema().equals(newTable.getUnresolvedSchema())) {
            throw new ValidationException(
                    "cannot change the columns of table %s without naming the changes"
                            .formatted(path.getFullName()));
        }
        List<TableChange> changes = new ArrayList<>();
        newTable.getOptions()
                .forEach(
                        (key, value) -> {
                            if (!value.equals(current.getOptions().get(key))) {
                                changes.add(TableChange.set(key, value));
                            }
                        });
        current.getOptions().keySet().stream()
                .filter(key -> !newTable.getOptions().containsKey(key))
                .forEach(key -> changes.add(TableChange.reset(key)));
        alterTable(path, newTable, changes, ignoreIfNotExists);
    }

    @Override
    public void alterTable(
            ObjectPath path,
            CatalogBaseTable newTable,
            List<TableChange> tableChanges,
            boolean ignoreIfNotExists)
            throws TableNotExistException {
        checkNotVirtual(path, "alter table");
        if (!tableExists(path)) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path);
        }
        if (HotTierChange.isIn(tableChanges)) {
            changeHotTier(path, tableChanges);
            return;
        }
        TableAlteration alteration = new TableAlteration(optionRules());
        List<TableChange> changes = tableChanges;
        Optional<String> tableId = HotTables.tableId(lakeTable(path));
        if (tableId.isPresent()) {
            changes = alteration.changesOfHotTable(path, getTable(path), tableChanges);
        } else {
            alteration.checkPlainTable(path, tableChanges);
        }
        try {
            lakeFlinkCatalog().alterTable(path, newTable, changes, ignoreIfNotExists);
        } catch (TableNotExistException e) {
            throw new TableNotExistException(getName(), path, e);
        }
        tableId.ifPresent(id -> new DefinitionNotice(warehouse().store()).send(path, id));
    }

    private void changeHotTier(ObjectPath path, List<TableChange> changes)
            throws TableNotExistException {
        if (!(lakeTable(path) instanceof CatalogTable table)) {
            throw new ValidationException(
                    "%s is a view and cannot have a hot tier".formatted(path.getFullName()));
        }
        HotTierChange change = HotTierChange.of(path, changes, optionRules());
        LakeTable lakeTable = loadLakeTable(path);
        try {
            change.run(
                    lakeTable.definition(),
                    table,
                    new TableAttachment(lake(), warehouse().store(), detachTimeout));
        } catch (LakeException e) {
            throw LakeErrors.toCatalogError(e);
        }
    }

    // ------------------------------------------------------------------ procedures

    @Override
    public List<String> listProcedures(String dbName) throws DatabaseNotExistException {
        // Not every lake has a database of this name.
        if (!dbName.equals(SystemProcedures.DATABASE)) {
            checkDatabaseExists(dbName);
        }
        return new SystemProcedures(lake(), warehouse().store()).list(dbName);
    }

    @Override
    public Procedure getProcedure(ObjectPath procedurePath) throws ProcedureNotExistException {
        return new SystemProcedures(lake(), warehouse().store())
                .find(procedurePath)
                .orElseThrow(() -> new ProcedureNotExistException(getName(), procedurePath));
    }

    // ------------------------------------------------------------------ internals

    /** The rules for table options of this warehouse. */
    TableOptionRules optionRules() {
        return new TableOptionRules(warehouse().lake().lake(), lake());
    }

    private static CatalogBaseTable lakeTableOnly(CatalogBaseTable table) {
        return table instanceof CatalogTable ofLake ? HotTables.lakeTableOnly(ofLake) : table;
    }
}
