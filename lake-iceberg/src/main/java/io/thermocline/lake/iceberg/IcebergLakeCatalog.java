package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeAttachments;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.ShownTable;
import io.thermocline.lake.WarehouseFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.io.FileIO;

/** An Iceberg catalog: the Hadoop one by default, any other through {@code lake.catalog-type}. */
final class IcebergLakeCatalog implements LakeCatalog {

    private final CatalogAccess access;
    private final IcebergFlinkCatalog flinkCatalog;
    private final FileIO files;
    private final WarehouseFiles warehouseFiles;

    private IcebergLakeCatalog(
            CatalogAccess access,
            IcebergFlinkCatalog flinkCatalog,
            FileIO files,
            WarehouseFiles warehouseFiles) {
        this.access = access;
        this.flinkCatalog = flinkCatalog;
        this.files = files;
        this.warehouseFiles = warehouseFiles;
    }

    static IcebergLakeCatalog open(LakeConfig config) {
        CatalogAccess access = CatalogAccess.of(config);
        try {
            if (access.localDirectory().isPresent()) {
                Files.createDirectories(access.localDirectory().get());
            }
            IcebergFlinkCatalog flinkCatalog = new IcebergFlinkCatalog(access);
            flinkCatalog.open();
            FileIO files = access.openFiles();
            return new IcebergLakeCatalog(
                    access,
                    flinkCatalog,
                    files,
                    IcebergWarehouseFiles.of(access, config.warehouse(), files));
        } catch (IOException | RuntimeException e) {
            throw openFailure(config, e);
        }
    }

    private static LakeException openFailure(LakeConfig config, Exception e) {
        Throwable root = e;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof LinkageError linkage) {
                return IcebergLakeBinding.missingJar(config, linkage);
            }
            root = cause;
        }
        boolean option =
                e instanceof IllegalArgumentException
                        || e instanceof ValidationException
                        || (e instanceof UnsupportedOperationException
                                && !(e.getCause() instanceof ServiceFailureException));
        return new LakeException(
                option ? Reason.INVALID_OPTION : Reason.LAKE_UNAVAILABLE,
                "cannot open the Iceberg warehouse '"
                        + config.warehouse()
                        + "': "
                        + (option ? e.getMessage() : root)
                        + (option
                                ? ". Check the catalog options that begin with 'lake.'."
                                : ". Check that the location exists or can be created, that the"
                                        + " catalog answers, and that this process may write"
                                        + " there."),
                e);
    }

    @Override
    public Catalog flinkCatalog() {
        return flinkCatalog;
    }

    @Override
    public void createTable(
            ObjectPath path, ResolvedCatalogTable table, List<String> bucketKeys, int bucketCount) {
        access.checkAtomic(path);
        new TableCreation(flinkCatalog.catalog()).create(path, table, bucketKeys, bucketCount);
    }

    @Override
    public LakeAttachments attachments() {
        return new IcebergAttachments(access);
    }

    @Override
    public ShownTable shownTable(ObjectPath path) {
        Table loaded = load(path);
        if (LakeTableDefinition.hasTableId(loaded.properties())) {
            return new ShownTable(
                    DeclaredTable.of(path, loaded), new IcebergLakeTable(path, access, loaded));
        }
        try {
            return new ShownTable(flinkCatalog.getTable(path), null);
        } catch (TableNotExistException e) {
            throw notFound(path, e);
        }
    }

    @Override
    public LakeTable table(ObjectPath path) {
        return new IcebergLakeTable(path, access, load(path));
    }

    private static LakeException notFound(ObjectPath path, Exception cause) {
        return new LakeException(
                Reason.TABLE_NOT_FOUND,
                "table " + path.getFullName() + " does not exist in the Iceberg warehouse",
                cause);
    }

    private Table load(ObjectPath path) {
        try {
            return flinkCatalog.catalog().loadTable(CatalogAccess.identifier(path));
        } catch (NoSuchTableException e) {
            throw notFound(path, e);
        } catch (RuntimeException e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot load table "
                            + path.getFullName()
                            + " from the Iceberg catalog: "
                            + e.getMessage()
                            + ". Check that the catalog answers and that the warehouse can be read.",
                    e);
        }
    }

    @Override
    public WarehouseFiles warehouseFiles() {
        return warehouseFiles;
    }

    @Override
    public boolean isTableOption(String key) {
        return IcebergTableOptions.isTableOption(key);
    }

    @Override
    public Optional<String> hotTableConflict(String key) {
        return IcebergTableOptions.conflict(key);
    }

    @Override
    public boolean offersDeleteStyles() {
        return true;
    }

    /** Iceberg's Flink catalog has no procedures. */
    @Override
    public Set<String> harmlessProcedures() {
        return Set.of();
    }

    @Override
    public void close() {
        // Closes the Iceberg catalog, too.
        flinkCatalog.close();
        files.close();
    }
}
