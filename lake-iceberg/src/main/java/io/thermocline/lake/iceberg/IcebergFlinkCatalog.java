package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.WarehouseFiles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogPartition;
import org.apache.flink.table.catalog.CatalogPartitionImpl;
import org.apache.flink.table.catalog.CatalogPartitionSpec;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.ProcedureNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotPartitionedException;
import org.apache.flink.table.procedures.Procedure;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.flink.FlinkCatalog;
import org.apache.iceberg.flink.FlinkSchemaUtil;

/**
 * Iceberg's Flink catalog, with what it leaves out: comments, partitions, buckets and time
 * partitions of plain tables, CASCADE, and an answer to names that cannot be. It does not hand out
 * the catalog's options with every table, since they may hold passwords.
 */
final class IcebergFlinkCatalog extends FlinkCatalog {

    /** Name under which the catalog appears in Iceberg's messages. */
    private static final String NAME = "lake";

    private static final String DEFAULT_DATABASE = "default";

    /** The catalog's own cache is not used: it would hide what other processes do. */
    private static final boolean CACHED = false;

    private static final long NEVER = -1;

    private static final String METADATA_SEPARATOR = "$";

    /** As plain tables get them from DISTRIBUTED BY. */
    private static final String BUCKET = "bucket";

    private static final String BUCKET_KEY = "bucket-key";

    IcebergFlinkCatalog(CatalogAccess access) {
        super(
                NAME,
                DEFAULT_DATABASE,
                Namespace.empty(),
                access,
                access.properties(),
                CACHED,
                NEVER);
    }

    @Override
    public List<String> listDatabases() {
        return super.listDatabases().stream()
                .filter(name -> !name.equals(WarehouseFiles.DIRECTORY))
                .toList();
    }

    @Override
    public void dropDatabase(String name, boolean ignoreIfNotExists, boolean cascade)
            throws DatabaseNotExistException, DatabaseNotEmptyException {
        if (cascade && databaseExists(name)) {
            Namespace namespace = Namespace.of(name);
            try {
                catalog().listTables(namespace).forEach(catalog()::dropTable);
            } catch (NoSuchNamespaceException e) {
                // Somebody else dropped it; below is decided whether that matters.
                super.dropDatabase(name, ignoreIfNotExists, cascade);
                return;
            }
        }
        super.dropDatabase(name, ignoreIfNotExists, cascade);
    }

    @Override
    public CatalogTable getTable(ObjectPath path) throws TableNotExistException {
        Table table = load(path);
        Map<String, String> options = new HashMap<>(table.properties());
        String comment = options.remove(TableCreation.COMMENT);
        TimePartitions.optionOf(table)
                .ifPresent(value -> options.put(TimePartitions.OPTION, value));
        return CatalogTable.newBuilder()
                .schema(
                        org.apache.flink.table.api.Schema.newBuilder()
                                .fromResolvedSchema(
                                        FlinkSchemaUtil.toResolvedSchema(table.schema()))
                                .build())
                .comment(comment == null ? "" : comment)
                .partitionKeys(PartitionListing.keys(table))
                .options(options)
                .build();
    }

    private Table load(ObjectPath path) throws TableNotExistException {
        try {
            return catalog().loadTable(identifier(path));
        } catch (NoSuchTableException e) {
            throw new TableNotExistException(getName(), path, e);
        }
    }

    private static TableIdentifier identifier(ObjectPath path) {
        String name = path.getObjectName();
        int separator = name.indexOf(METADATA_SEPARATOR);
        if (separator < 0) {
            return CatalogAccess.identifier(path);
        }
        String metadata = name.substring(separator + 1);
        if (MetadataTableType.from(metadata) == null) {
            throw new NoSuchTableException("Iceberg has no metadata table '%s'", metadata);
        }
        return TableIdentifier.of(path.getDatabaseName(), name.substring(0, separator), metadata);
    }

    @Override
    public boolean tableExists(ObjectPath path) {
        int separator = path.getObjectName().indexOf(METADATA_SEPARATOR);
        if (separator < 0) {
            return super.tableExists(path);
        }
        String base = path.getObjectName().substring(0, separator);
        String metadata = path.getObjectName().substring(separator + 1);
        return !base.isEmpty()
                && MetadataTableType.from(metadata) != null
                && super.tableExists(new ObjectPath(path.getDatabaseName(), base));
    }

    @Override
    public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists)
            throws TableAlreadyExistException {
        if (!(table instanceof ResolvedCatalogTable resolved)) {
            throw new UnsupportedOperationException("this catalog keeps tables only");
        }
        Map<String, String> options = new HashMap<>(table.getOptions());
        String buckets = options.remove(BUCKET);
        String bucketKey = options.remove(BUCKET_KEY);
        if (!table.getComment().isEmpty()) {
            options.put(TableCreation.COMMENT, table.getComment());
        }
        if (bucketKey != null && bucketKey.contains(",")) {
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "cannot create table "
                            + path.getFullName()
                            + ": the lake (Iceberg) places rows in buckets by one column, not by ["
                            + bucketKey
                            + "]. Name one of them in DISTRIBUTED BY HASH(...).");
        }
        Optional<TimePartitions> times =
                Optional.ofNullable(options.remove(TimePartitions.OPTION))
                        .map(value -> timePartitions(path, value, resolved.getResolvedSchema()));
        super.createTable(path, resolved.copy(options), ignoreIfExists);
        boolean placed = buckets != null && bucketKey != null;
        if (placed || times.isPresent()) {
            addFields(
                    path,
                    (spec, schema) -> {
                        times.ifPresent(fields -> fields.addTo(spec, schema));
                        if (placed) {
                            spec.addField(Expressions.bucket(bucketKey, Integer.parseInt(buckets)));
                        }
                    });
        }
    }

    private static TimePartitions timePartitions(
            ObjectPath path, String value, ResolvedSchema schema) {
        return TimePartitions.parse(
                path, value, FlinkSchemaUtil.convert(schema), schema.getPrimaryKey().isPresent());
    }

    private void addFields(ObjectPath path, BiConsumer<UpdatePartitionSpec, Schema> fields) {
        TableIdentifier identifier = identifier(path);
        try {
            Table table = catalog().loadTable(identifier);
            UpdatePartitionSpec spec = table.updateSpec();
            fields.accept(spec, table.schema());
            spec.commit();
        } catch (RuntimeException e) {
            catalog().dropTable(identifier);
            throw e;
        }
    }

    @Override
    public void dropTable(ObjectPath path, boolean ignoreIfNotExists)
            throws TableNotExistException {
        if (!catalog().dropTable(identifier(path)) && !ignoreIfNotExists) {
            throw new TableNotExistException(getName(), path);
        }
    }

    @Override
    public void alterTable(
            ObjectPath path,
            CatalogBaseTable newTable,
            List<TableChange> changes,
            boolean ignoreIfNotExists)
            throws TableNotExistException {
        CatalogTable plain;
        try {
            plain = super.getTable(path);
        } catch (TableNotExistException e) {
            if (ignoreIfNotExists) {
                return;
            }
            throw e;
        }
        checkFixed(path, changes);
        // Iceberg's check of the new definition knows neither computed columns nor buckets; what
        // is to be done is in the changes.
        super.alterTable(path, plain, changes, ignoreIfNotExists);
    }

    private static void checkFixed(ObjectPath path, List<TableChange> changes) {
        for (TableChange change : changes) {
            boolean fixed =
                    change instanceof TableChange.SetOption set
                            ? set.getKey().equals(TimePartitions.OPTION)
                            : change instanceof TableChange.ResetOption reset
                                    && reset.getKey().equals(TimePartitions.OPTION);
            if (fixed) {
                throw new LakeException(
                        Reason.UNSUPPORTED,
                        "cannot change option '"
                                + TimePartitions.OPTION
                                + "' of table "
                                + path.getFullName()
                                + ": it decides where rows are, and is fixed at CREATE TABLE.");
            }
        }
    }

    // ------------------------------------------------------------------ procedures

    @Override
    public List<String> listProcedures(String database) {
        return List.of();
    }

    @Override
    public Procedure getProcedure(ObjectPath path) throws ProcedureNotExistException {
        throw new ProcedureNotExistException(getName(), path);
    }

    // ------------------------------------------------------------------ partitions

    @Override
    public List<CatalogPartitionSpec> listPartitions(ObjectPath path)
            throws TableNotExistException, TableNotPartitionedException {
        Table table = load(path);
        if (PartitionListing.keys(table).isEmpty()) {
            throw new TableNotPartitionedException(getName(), path);
        }
        return PartitionListing.list(table);
    }

    @Override
    public List<CatalogPartitionSpec> listPartitions(
            ObjectPath path, CatalogPartitionSpec partitionSpec) {
        try {
            return listPartitions(path).stream()
                    .filter(
                            partition ->
                                    partition
                                            .getPartitionSpec()
                                            .entrySet()
                                            .containsAll(
                                                    partitionSpec.getPartitionSpec().entrySet()))
                    .toList();
        } catch (TableNotExistException | TableNotPartitionedException e) {
            throw new CatalogException("cannot list partitions of " + path.getFullName(), e);
        }
    }

    @Override
    public boolean partitionExists(ObjectPath path, CatalogPartitionSpec partitionSpec) {
        return !listPartitions(path, partitionSpec).isEmpty();
    }

    @Override
    public CatalogPartition getPartition(ObjectPath path, CatalogPartitionSpec partitionSpec) {
        if (!partitionExists(path, partitionSpec)) {
            throw new CatalogException(
                    "partition "
                            + partitionSpec.getPartitionSpec()
                            + " of "
                            + path.getFullName()
                            + " does not exist");
        }
        return new CatalogPartitionImpl(Map.of(), null);
    }
}
