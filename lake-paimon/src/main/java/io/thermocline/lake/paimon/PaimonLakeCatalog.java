package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeAttachments;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.ShownTable;
import io.thermocline.lake.WarehouseFiles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.factories.FactoryException;
import org.apache.paimon.flink.DataCatalogTable;
import org.apache.paimon.flink.FlinkCatalog;
import org.apache.paimon.flink.FlinkFileIOLoader;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.options.CatalogOptions;
import org.apache.paimon.options.Options;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Paimon catalog: the filesystem one by default, any other through {@code lake.metastore}. */
final class PaimonLakeCatalog implements LakeCatalog {

    private static final Logger LOG = LoggerFactory.getLogger(PaimonLakeCatalog.class);

    /** Name under which Paimon's own Flink catalog appears in its messages. */
    private static final String FLINK_CATALOG_NAME = "lake";

    private static final Set<String> HARMLESS_PROCEDURES =
            Set.of(
                    "compact",
                    "compact_database",
                    "compact_manifest",
                    "create_tag",
                    "create_tag_from_timestamp",
                    "create_tag_from_watermark",
                    "query_service",
                    "repair",
                    "rewrite_file_index");

    private final org.apache.paimon.catalog.Catalog paimon;
    private final FlinkCatalog flinkCatalog;
    private final Options options;
    private final WarehouseFiles warehouseFiles;

    private PaimonLakeCatalog(
            org.apache.paimon.catalog.Catalog paimon,
            FlinkCatalog flinkCatalog,
            Options options,
            WarehouseFiles warehouseFiles) {
        this.paimon = paimon;
        this.flinkCatalog = flinkCatalog;
        this.options = options;
        this.warehouseFiles = warehouseFiles;
    }

    static PaimonLakeCatalog open(LakeConfig config, ClassLoader classLoader) {
        Options options = new Options(config.options());
        options.set(CatalogOptions.WAREHOUSE, config.warehouse());
        // A cached table would hide that another process dropped and re-created it.
        options.set(CatalogOptions.CACHE_ENABLED, false);
        try {
            CatalogContext context = CatalogContext.create(options, new FlinkFileIOLoader());
            org.apache.paimon.catalog.Catalog paimon =
                    CatalogFactory.createCatalog(context, classLoader);
            FlinkCatalog flinkCatalog =
                    new DeclaredNullability(
                            paimon,
                            FLINK_CATALOG_NAME,
                            org.apache.paimon.catalog.Catalog.DEFAULT_DATABASE,
                            classLoader,
                            options);
            flinkCatalog.open();
            Path warehouse = new Path(config.warehouse());
            WarehouseFiles files =
                    PaimonWarehouseFiles.of(FileIO.get(warehouse, context), warehouse);
            return new PaimonLakeCatalog(paimon, flinkCatalog, options, files);
        } catch (Exception e) {
            throw openFailure(config, e);
        }
    }

    private static LakeException openFailure(LakeConfig config, Exception e) {
        // no cause: SQL clients show the innermost message alone
        LOG.info("cannot open {}", config.warehouse(), e);
        Throwable root = e;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof LinkageError linkage) {
                return PaimonLakeBinding.missingJar(config, linkage);
            }
            if (cause instanceof FactoryException
                    || cause instanceof ValidationException
                    || cause instanceof IllegalArgumentException) {
                return new LakeException(
                        Reason.INVALID_OPTION,
                        "cannot open the Paimon warehouse '"
                                + config.warehouse()
                                + "': "
                                + cause.getMessage()
                                + ". Check the catalog options that begin with 'lake.'.");
            }
            root = cause;
        }
        return new LakeException(
                Reason.LAKE_UNAVAILABLE,
                "cannot open the Paimon warehouse '"
                        + config.warehouse()
                        + "': "
                        + root
                        + ". Check that the location exists or can be created, and that this process"
                        + " may write there.");
    }

    @Override
    public Catalog flinkCatalog() {
        return flinkCatalog;
    }

    @Override
    public void createTable(
            ObjectPath path, ResolvedCatalogTable table, List<String> bucketKeys, int bucketCount) {
        Optional<CreationLock> lock = CreationLock.acquire(warehouseFiles.localDirectory());
        try {
            TableCreation creation = new TableCreation(flinkCatalog, options);
            creation.create(path, table, bucketKeys, bucketCount);
            commitInitialState(path, creation);
        } finally {
            lock.ifPresent(CreationLock::close);
        }
    }

    private void commitInitialState(ObjectPath path, TableCreation creation) {
        try {
            loadTable(path).commitInitialState();
        } catch (RuntimeException e) {
            creation.undo(path, e);
            throw e;
        }
    }

    @Override
    public LakeAttachments attachments() {
        return new PaimonAttachments(paimon, options, warehouseFiles.localDirectory(), this::load);
    }

    @Override
    public ShownTable shownTable(ObjectPath path) {
        CatalogBaseTable shown;
        try {
            shown = flinkCatalog.getTable(path);
        } catch (TableNotExistException e) {
            throw notFound(path, e);
        }
        if (shown instanceof DataCatalogTable table
                && table.table() instanceof FileStoreTable loaded
                && LakeTableDefinition.hasTableId(loaded.options())) {
            Map<String, String> options = new HashMap<>(table.getOptions());
            options.remove(CoreOptions.PATH.key());
            options.remove(CoreOptions.PARTITION_GENERATE_LEGACY_NAME.key());
            return new ShownTable(table.copy(options), new PaimonLakeTable(path, loaded));
        }
        return new ShownTable(shown, null);
    }

    @Override
    public LakeTable table(ObjectPath path) {
        return loadTable(path);
    }

    private static LakeException notFound(ObjectPath path, Exception cause) {
        return new LakeException(
                Reason.TABLE_NOT_FOUND,
                "table " + path.getFullName() + " does not exist in the Paimon warehouse",
                cause);
    }

    private PaimonLakeTable loadTable(ObjectPath path) {
        return new PaimonLakeTable(path, load(path));
    }

    private FileStoreTable load(ObjectPath path) {
        Table table;
        try {
            table =
                    paimon.getTable(
                            Identifier.create(path.getDatabaseName(), path.getObjectName()));
        } catch (org.apache.paimon.catalog.Catalog.TableNotExistException e) {
            throw notFound(path, e);
        }
        if (!(table instanceof FileStoreTable fileStoreTable)) {
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "table "
                            + path.getFullName()
                            + " is a "
                            + table.getClass().getSimpleName()
                            + ", which keeps no snapshots and cannot have a hot tier. Read it as "
                            + path.getObjectName()
                            + "$lake.");
        }
        return fileStoreTable;
    }

    @Override
    public WarehouseFiles warehouseFiles() {
        return warehouseFiles;
    }

    @Override
    public boolean isTableOption(String key) {
        return PaimonTableOptions.isTableOption(key);
    }

    @Override
    public Optional<String> hotTableConflict(String key) {
        return OptionConflicts.reason(key);
    }

    @Override
    public Set<String> harmlessProcedures() {
        return HARMLESS_PROCEDURES;
    }

    @Override
    public void close() {
        // Closes the Paimon catalog, too.
        flinkCatalog.close();
    }
}
