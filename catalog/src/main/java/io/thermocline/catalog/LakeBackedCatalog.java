package io.thermocline.catalog;

import io.thermocline.catalog.option.CatalogOptions;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeException;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.AbstractCatalog;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.CatalogFunction;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.FunctionAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.FunctionNotExistException;
import org.jspecify.annotations.Nullable;

/**
 * The part of the catalog that has nothing to do with hot tiers: opening the lake, databases and
 * functions. The lake's catalog does it; exceptions get this catalog's name.
 */
abstract class LakeBackedCatalog extends AbstractCatalog {

    private static final String CREATED_DATABASE = "default";

    private final WarehouseConfig warehouse;
    private final ClassLoader classLoader;

    private @Nullable LakeCatalog lake;

    LakeBackedCatalog(
            String name,
            String defaultDatabase,
            WarehouseConfig warehouse,
            ClassLoader classLoader) {
        super(name, defaultDatabase);
        this.warehouse = warehouse;
        this.classLoader = classLoader;
    }

    final WarehouseConfig warehouse() {
        return warehouse;
    }

    /** The lake's catalog; the catalog must be open. */
    final LakeCatalog lake() {
        LakeCatalog opened = lake;
        if (opened == null) {
            throw new CatalogException("catalog '" + getName() + "' is not open");
        }
        return opened;
    }

    /** The lake's own Flink catalog. */
    final Catalog lakeFlinkCatalog() {
        return lake().flinkCatalog();
    }

    final ClassLoader classLoader() {
        return classLoader;
    }

    @Override
    public void open() throws CatalogException {
        if (lake != null) {
            return;
        }
        LakeCatalog opened;
        try {
            opened = warehouse.openLake(classLoader);
        } catch (LakeException e) {
            throw LakeErrors.toCatalogError(e);
        }
        lake = opened;
        try {
            ensureDefaultDatabase();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void ensureDefaultDatabase() {
        String database = getDefaultDatabase();
        if (lakeFlinkCatalog().databaseExists(database)) {
            return;
        }
        if (!database.equals(CREATED_DATABASE)) {
            throw new CatalogException(
                    ("the default database '%s' of catalog '%s' does not exist in warehouse %s. Leave"
                                    + " option 'default-database' out, create the database, and set the"
                                    + " option again.")
                            .formatted(database, getName(), warehouse.lake().warehouse()));
        }
        try {
            lakeFlinkCatalog()
                    .createDatabase(database, new CatalogDatabaseImpl(Map.of(), null), true);
        } catch (DatabaseAlreadyExistException e) {
            throw new IllegalStateException("IF NOT EXISTS was asked for", e);
        }
    }

    @Override
    public void close() throws CatalogException {
        LakeCatalog opened = lake;
        lake = null;
        if (opened != null) {
            opened.close();
        }
    }

    @Override
    public List<String> listDatabases() throws CatalogException {
        return lakeFlinkCatalog().listDatabases();
    }

    @Override
    public CatalogDatabase getDatabase(String databaseName) throws DatabaseNotExistException {
        try {
            return lakeFlinkCatalog().getDatabase(databaseName);
        } catch (DatabaseNotExistException e) {
            throw new DatabaseNotExistException(getName(), databaseName, e);
        }
    }

    @Override
    public boolean databaseExists(String databaseName) throws CatalogException {
        return lakeFlinkCatalog().databaseExists(databaseName);
    }

    @Override
    public void createDatabase(String name, CatalogDatabase database, boolean ignoreIfExists)
            throws DatabaseAlreadyExistException {
        try {
            lakeFlinkCatalog().createDatabase(name, database, ignoreIfExists);
        } catch (DatabaseAlreadyExistException e) {
            throw new DatabaseAlreadyExistException(getName(), name, e);
        }
    }

    @Override
    public void alterDatabase(String name, CatalogDatabase newDatabase, boolean ignoreIfNotExists)
            throws DatabaseNotExistException {
        if (!databaseExists(name)) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new DatabaseNotExistException(getName(), name);
        }
        try {
            lakeFlinkCatalog().alterDatabase(name, newDatabase, ignoreIfNotExists);
        } catch (UnsupportedOperationException e) {
            throw new UnsupportedOperationException(
                    ("cannot alter database '%s': the %s catalog of warehouse %s keeps no properties of"
                                    + " databases. Use a metastore that does (options '%s*').")
                            .formatted(
                                    name,
                                    warehouse.lake().lake(),
                                    warehouse.lake().warehouse(),
                                    CatalogOptions.LAKE_PREFIX),
                    e);
        }
    }

    @Override
    public List<String> listFunctions(String dbName) throws DatabaseNotExistException {
        checkDatabaseExists(dbName);
        return lakeFlinkCatalog().listFunctions(dbName);
    }

    @Override
    public CatalogFunction getFunction(ObjectPath functionPath) throws FunctionNotExistException {
        try {
            return lakeFlinkCatalog().getFunction(functionPath);
        } catch (FunctionNotExistException e) {
            throw new FunctionNotExistException(getName(), functionPath, e);
        }
    }

    @Override
    public boolean functionExists(ObjectPath functionPath) throws CatalogException {
        return databaseExists(functionPath.getDatabaseName())
                && lakeFlinkCatalog().functionExists(functionPath);
    }

    @Override
    public void createFunction(
            ObjectPath functionPath, CatalogFunction function, boolean ignoreIfExists)
            throws FunctionAlreadyExistException, DatabaseNotExistException {
        checkDatabaseExists(functionPath.getDatabaseName());
        try {
            lakeFlinkCatalog().createFunction(functionPath, function, ignoreIfExists);
        } catch (FunctionAlreadyExistException e) {
            throw new FunctionAlreadyExistException(getName(), functionPath, e);
        } catch (UnsupportedOperationException e) {
            throw new UnsupportedOperationException(
                    ("cannot create function %s: the %s catalog of warehouse %s keeps no functions. Use"
                                    + " CREATE TEMPORARY FUNCTION.")
                            .formatted(
                                    functionPath.getFullName(),
                                    warehouse.lake().lake(),
                                    warehouse.lake().warehouse()),
                    e);
        }
    }

    @Override
    public void alterFunction(
            ObjectPath functionPath, CatalogFunction newFunction, boolean ignoreIfNotExists)
            throws FunctionNotExistException {
        if (missingFunction(functionPath, ignoreIfNotExists)) {
            return;
        }
        lakeFlinkCatalog().alterFunction(functionPath, newFunction, ignoreIfNotExists);
    }

    @Override
    public void dropFunction(ObjectPath functionPath, boolean ignoreIfNotExists)
            throws FunctionNotExistException {
        if (missingFunction(functionPath, ignoreIfNotExists)) {
            return;
        }
        lakeFlinkCatalog().dropFunction(functionPath, ignoreIfNotExists);
    }

    /** Fails if the database does not exist. */
    final void checkDatabaseExists(String database) throws DatabaseNotExistException {
        if (!databaseExists(database)) {
            throw new DatabaseNotExistException(getName(), database);
        }
    }

    private boolean missingFunction(ObjectPath functionPath, boolean ignoreIfNotExists)
            throws FunctionNotExistException {
        if (functionExists(functionPath)) {
            return false;
        }
        if (ignoreIfNotExists) {
            return true;
        }
        throw new FunctionNotExistException(getName(), functionPath);
    }
}
