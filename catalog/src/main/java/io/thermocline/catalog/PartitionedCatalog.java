package io.thermocline.catalog;

import io.thermocline.catalog.virtual.HotMetadataTable;
import io.thermocline.catalog.virtual.VirtualTableName;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogPartition;
import org.apache.flink.table.catalog.CatalogPartitionSpec;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.PartitionAlreadyExistsException;
import org.apache.flink.table.catalog.exceptions.PartitionNotExistException;
import org.apache.flink.table.catalog.exceptions.PartitionSpecInvalidException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotPartitionedException;
import org.apache.flink.table.catalog.exceptions.TablePartitionedException;
import org.apache.flink.table.catalog.stats.CatalogColumnStatistics;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.table.expressions.Expression;

/**
 * Partitions and statistics. Partitions are those that the lake holds; a new one shows up there
 * with the first tiering round. Statistics of a table with a hot tier are unknown, since the lake's
 * are stale.
 */
abstract class PartitionedCatalog extends LakeBackedCatalog {

    PartitionedCatalog(
            String name,
            String defaultDatabase,
            WarehouseConfig warehouse,
            ClassLoader classLoader) {
        super(name, defaultDatabase, warehouse, classLoader);
    }

    /** A table, real or virtual, as the lake's catalog shows it. */
    final CatalogBaseTable lakeTable(ObjectPath path) throws TableNotExistException {
        try {
            return lakeFlinkCatalog().getTable(lakePath(path));
        } catch (TableNotExistException e) {
            throw new TableNotExistException(getName(), path, e);
        } catch (IllegalArgumentException e) {
            if (VirtualTableName.isVirtual(path)) {
                // The lake has other rules than we about which names its metadata tables can have.
                throw new TableNotExistException(getName(), path, e);
            }
            throw e;
        }
    }

    /** Whether a table has a hot tier. Virtual tables have none. */
    final boolean isHotTable(ObjectPath path) throws TableNotExistException {
        return !VirtualTableName.isVirtual(path) && HotTables.tableId(lakeTable(path)).isPresent();
    }

    /** What the hot tier shows under a name; empty for a name that the lake answers for. */
    final Optional<HotMetadataTable> hotMetadata(ObjectPath path) throws TableNotExistException {
        Optional<HotMetadataTable> named = HotMetadataTable.of(path);
        if (named.isEmpty()) {
            return named;
        }
        // A lake may have metadata tables of the same names: a plain table shows those.
        ObjectPath base = VirtualTableName.parse(path).orElseThrow().base();
        return isHotTable(base) ? named : Optional.empty();
    }

    /** Whether nobody keeps statistics of a table. */
    private boolean hasNoStatistics(ObjectPath path) throws TableNotExistException {
        return hotMetadata(path).isPresent() || isHotTable(path);
    }

    /** The lake's name of a table, real or virtual. */
    final ObjectPath lakePath(ObjectPath path) throws TableNotExistException {
        if (!VirtualTableName.isVirtual(path)) {
            return path;
        }
        return VirtualTableName.parse(path)
                .orElseThrow(() -> new TableNotExistException(getName(), path))
                .lakePath();
    }

    /** Refuses to change a table that exists by naming rule only. */
    static void checkNotVirtual(ObjectPath path, String change) {
        if (VirtualTableName.isVirtual(path)) {
            throw new ValidationException(VirtualTableName.readOnly(path, change));
        }
    }

    @Override
    public List<CatalogPartitionSpec> listPartitions(ObjectPath path)
            throws TableNotExistException, TableNotPartitionedException {
        checkPartitioned(path);
        return lakeFlinkCatalog().listPartitions(lakePath(path));
    }

    @Override
    public List<CatalogPartitionSpec> listPartitions(
            ObjectPath path, CatalogPartitionSpec partitionSpec)
            throws TableNotExistException,
                    TableNotPartitionedException,
                    PartitionSpecInvalidException {
        checkPartitioned(path);
        return lakeFlinkCatalog().listPartitions(lakePath(path), partitionSpec);
    }

    /** Not supported: the exception tells the planner to prune by listing. */
    @Override
    public List<CatalogPartitionSpec> listPartitionsByFilter(
            ObjectPath path, List<Expression> filters) {
        throw new UnsupportedOperationException(
                "partitions of " + path.getFullName() + " cannot be listed by a filter");
    }

    @Override
    public CatalogPartition getPartition(ObjectPath path, CatalogPartitionSpec partitionSpec)
            throws PartitionNotExistException {
        try {
            return lakeFlinkCatalog().getPartition(lakePath(path), partitionSpec);
        } catch (PartitionNotExistException | TableNotExistException e) {
            throw new PartitionNotExistException(getName(), path, partitionSpec, e);
        }
    }

    @Override
    public boolean partitionExists(ObjectPath path, CatalogPartitionSpec partitionSpec)
            throws CatalogException {
        try {
            checkPartitioned(path);
            return lakeFlinkCatalog().partitionExists(lakePath(path), partitionSpec);
        } catch (TableNotExistException | TableNotPartitionedException e) {
            return false;
        }
    }

    @Override
    public void createPartition(
            ObjectPath path,
            CatalogPartitionSpec partitionSpec,
            CatalogPartition partition,
            boolean ignoreIfExists)
            throws TableNotExistException,
                    TableNotPartitionedException,
                    PartitionSpecInvalidException,
                    PartitionAlreadyExistsException {
        checkPlain(path, "add a partition to");
        checkPartitioned(path);
        lakeFlinkCatalog().createPartition(path, partitionSpec, partition, ignoreIfExists);
    }

    @Override
    public void dropPartition(
            ObjectPath path, CatalogPartitionSpec partitionSpec, boolean ignoreIfNotExists)
            throws PartitionNotExistException {
        try {
            checkPlain(path, "drop a partition of");
        } catch (TableNotExistException e) {
            throw new PartitionNotExistException(getName(), path, partitionSpec, e);
        }
        if (!partitionExists(path, partitionSpec)) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new PartitionNotExistException(getName(), path, partitionSpec);
        }
        lakeFlinkCatalog().dropPartition(path, partitionSpec, ignoreIfNotExists);
    }

    @Override
    public void alterPartition(
            ObjectPath path,
            CatalogPartitionSpec partitionSpec,
            CatalogPartition newPartition,
            boolean ignoreIfNotExists) {
        throw new UnsupportedOperationException(
                "cannot alter partition %s of table %s: partitions have no properties"
                        .formatted(partitionSpec.getPartitionSpec(), path.getFullName()));
    }

    @Override
    public CatalogTableStatistics getTableStatistics(ObjectPath path)
            throws TableNotExistException {
        return hasNoStatistics(path)
                ? CatalogTableStatistics.UNKNOWN
                : lakeFlinkCatalog().getTableStatistics(lakePath(path));
    }

    @Override
    public CatalogColumnStatistics getTableColumnStatistics(ObjectPath path)
            throws TableNotExistException {
        return hasNoStatistics(path)
                ? CatalogColumnStatistics.UNKNOWN
                : lakeFlinkCatalog().getTableColumnStatistics(lakePath(path));
    }

    @Override
    public CatalogTableStatistics getPartitionStatistics(
            ObjectPath path, CatalogPartitionSpec partitionSpec) throws PartitionNotExistException {
        try {
            return hasNoStatistics(path)
                    ? CatalogTableStatistics.UNKNOWN
                    : lakeFlinkCatalog().getPartitionStatistics(lakePath(path), partitionSpec);
        } catch (TableNotExistException e) {
            throw new PartitionNotExistException(getName(), path, partitionSpec, e);
        }
    }

    @Override
    public CatalogColumnStatistics getPartitionColumnStatistics(
            ObjectPath path, CatalogPartitionSpec partitionSpec) throws PartitionNotExistException {
        try {
            return hasNoStatistics(path)
                    ? CatalogColumnStatistics.UNKNOWN
                    : lakeFlinkCatalog()
                            .getPartitionColumnStatistics(lakePath(path), partitionSpec);
        } catch (TableNotExistException e) {
            throw new PartitionNotExistException(getName(), path, partitionSpec, e);
        }
    }

    @Override
    public void alterTableStatistics(
            ObjectPath path, CatalogTableStatistics tableStatistics, boolean ignoreIfNotExists)
            throws TableNotExistException {
        if (isMissing(path, ignoreIfNotExists)) {
            return;
        }
        checkPlain(path, "store statistics of");
        lakeFlinkCatalog().alterTableStatistics(path, tableStatistics, ignoreIfNotExists);
    }

    @Override
    public void alterTableColumnStatistics(
            ObjectPath path, CatalogColumnStatistics columnStatistics, boolean ignoreIfNotExists)
            throws TableNotExistException, TablePartitionedException {
        if (isMissing(path, ignoreIfNotExists)) {
            return;
        }
        checkPlain(path, "store statistics of");
        lakeFlinkCatalog().alterTableColumnStatistics(path, columnStatistics, ignoreIfNotExists);
    }

    @Override
    public void alterPartitionStatistics(
            ObjectPath path,
            CatalogPartitionSpec partitionSpec,
            CatalogTableStatistics partitionStatistics,
            boolean ignoreIfNotExists)
            throws PartitionNotExistException {
        checkPlainPartition(path, partitionSpec);
        lakeFlinkCatalog()
                .alterPartitionStatistics(
                        path, partitionSpec, partitionStatistics, ignoreIfNotExists);
    }

    @Override
    public void alterPartitionColumnStatistics(
            ObjectPath path,
            CatalogPartitionSpec partitionSpec,
            CatalogColumnStatistics columnStatistics,
            boolean ignoreIfNotExists)
            throws PartitionNotExistException {
        checkPlainPartition(path, partitionSpec);
        lakeFlinkCatalog()
                .alterPartitionColumnStatistics(
                        path, partitionSpec, columnStatistics, ignoreIfNotExists);
    }

    private boolean isMissing(ObjectPath path, boolean ignoreIfNotExists)
            throws TableNotExistException {
        if (tableExists(path)) {
            return false;
        }
        if (ignoreIfNotExists) {
            return true;
        }
        throw new TableNotExistException(getName(), path);
    }

    private void checkPartitioned(ObjectPath path)
            throws TableNotExistException, TableNotPartitionedException {
        CatalogBaseTable table = lakeTable(path);
        if (!(table instanceof CatalogTable partitioned) || !partitioned.isPartitioned()) {
            throw new TableNotPartitionedException(getName(), path);
        }
    }

    private void checkPlain(ObjectPath path, String change) throws TableNotExistException {
        checkNotVirtual(path, change);
        if (isHotTable(path)) {
            throw new UnsupportedOperationException(
                    ("cannot %s table %s: it has a hot tier, which would not know. Partitions come and"
                                    + " go with their rows; statistics would be those of the lake"
                                    + " alone.")
                            .formatted(change, path.getFullName()));
        }
    }

    private void checkPlainPartition(ObjectPath path, CatalogPartitionSpec partitionSpec)
            throws PartitionNotExistException {
        try {
            checkPlain(path, "store statistics of");
        } catch (TableNotExistException e) {
            throw new PartitionNotExistException(getName(), path, partitionSpec, e);
        }
    }
}
