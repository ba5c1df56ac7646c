package io.thermocline.lake.iceberg;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.lake.TieredState;
import io.thermocline.lake.TieredStateCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.expressions.DefaultSqlFactory;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;

/**
 * Creates the lake table of a table with a hot tier, together with its first, empty snapshot: there
 * is no moment at which the one is there without the other.
 */
final class TableCreation {

    static final String COMMENT = "comment";

    private static final int FIRST_WITH_DELETES = 2;
    private static final int FIRST_WITH_VARIANT = 3;

    /** Options that a table has without being asked for them. */
    static final Map<String, String> IMPLIED =
            Map.of(
                    TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED,
                    "true",
                    TableProperties.PARQUET_COMPRESSION,
                    TableProperties.PARQUET_COMPRESSION_DEFAULT_SINCE_1_4_0);

    private final Catalog catalog;

    TableCreation(Catalog catalog) {
        this.catalog = catalog;
    }

    void create(
            ObjectPath path, ResolvedCatalogTable table, List<String> bucketKeys, int bucketCount) {
        ResolvedSchema resolved = table.getResolvedSchema();
        List<String> primaryKey =
                resolved.getPrimaryKey().map(UniqueConstraint::getColumns).orElse(List.of());
        new ColumnTypes(path).check(table, primaryKey, bucketKeys, bucketCount);
        Map<String, String> properties = properties(path, table);
        String location = properties.remove(IcebergTableOptions.LOCATION);
        List<Column> columns = resolved.getColumns().stream().filter(Column::isPhysical).toList();
        Schema schema = HeldTypes.toSchema(columns, primaryKey);
        TimePartitions times =
                TimePartitions.parse(
                        path,
                        properties.remove(TimePartitions.OPTION),
                        schema,
                        !primaryKey.isEmpty());
        TableIdentifier identifier = CatalogAccess.identifier(path);
        checkDatabase(path, identifier.namespace());
        try {
            Transaction transaction =
                    catalog.buildTable(identifier, schema)
                            .withPartitionSpec(
                                    spec(
                                            schema,
                                            table.getPartitionKeys(),
                                            times,
                                            bucketKeys,
                                            bucketCount))
                            .withProperties(properties)
                            .withLocation(location)
                            .createTransaction();
            Declaration declaration =
                    new Declaration(
                            Declaration.VERSION,
                            // The catalog has given the fields their final ids.
                            HeldTypes.declaredTypes(
                                    transaction.table().schema(), physicalRowType(resolved)),
                            primaryKey,
                            bucketKeys,
                            bucketCount,
                            computedColumns(resolved),
                            watermarks(resolved));
            transaction.updateProperties().set(Declaration.PROPERTY, declaration.toJson()).commit();
            String tableId =
                    properties.get(
                            LakeTableDefinition.OPTION_PREFIX + LakeTableDefinition.TABLE_ID);
            AppendFiles first = transaction.newFastAppend();
            TieredStateCodec.toProperties(
                            primaryKey.isEmpty()
                                    ? TieredState.initialOfLog(tableId, bucketCount)
                                    : TieredState.initial(tableId, bucketCount))
                    .forEach(first::set);
            first.commit();
            SnapshotPin.pinAll(transaction.manageSnapshots());
            transaction.commitTransaction();
        } catch (AlreadyExistsException | CommitFailedException e) {
            throw exists(path, e);
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            if (catalog.tableExists(identifier)) {
                // Somebody else was faster; Iceberg notices it at several places.
                throw exists(path, e);
            }
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "Iceberg refused to create table " + path.getFullName() + ": " + e.getMessage(),
                    e);
        } catch (RuntimeException e) {
            throw new LakeException(
                    Reason.IO,
                    "cannot create table "
                            + path.getFullName()
                            + " in the Iceberg catalog: "
                            + e.getMessage()
                            + ". Check that the catalog answers and that the warehouse can be"
                            + " written; see whether the table is there before creating it again.",
                    e);
        }
    }

    private static LakeException exists(ObjectPath path, Exception cause) {
        return new LakeException(
                Reason.TABLE_ALREADY_EXISTS,
                "table " + path.getFullName() + " exists already in the Iceberg warehouse",
                cause);
    }

    private void checkDatabase(ObjectPath path, Namespace namespace) {
        if (catalog instanceof SupportsNamespaces namespaces) {
            try {
                namespaces.loadNamespaceMetadata(namespace);
            } catch (NoSuchNamespaceException e) {
                throw new LakeException(
                        Reason.TABLE_NOT_FOUND,
                        "cannot create table "
                                + path.getFullName()
                                + ": database "
                                + path.getDatabaseName()
                                + " does not exist. Create it first.",
                        e);
            }
        }
    }

    private static Map<String, String> properties(ObjectPath path, ResolvedCatalogTable table) {
        int oldestFormat = ColumnTypes.hasVariant(table) ? FIRST_WITH_VARIANT : FIRST_WITH_DELETES;
        Map<String, String> properties = new HashMap<>(table.getOptions());
        // Old metadata files are of no use to anyone, and each tiering round leaves one.
        properties.putIfAbsent(TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");
        properties.putIfAbsent(TableProperties.FORMAT_VERSION, String.valueOf(oldestFormat));
        properties.putIfAbsent(
                LakeTableDefinition.OPTION_PREFIX + LakeTableDefinition.TABLE_ID,
                UUID.randomUUID().toString());
        if (!table.getComment().isEmpty()) {
            properties.put(COMMENT, table.getComment());
        }
        checkFormat(path, properties, oldestFormat);
        return properties;
    }

    private static void checkFormat(
            ObjectPath path, Map<String, String> properties, int oldestFormat) {
        String version = properties.get(TableProperties.FORMAT_VERSION);
        String files =
                properties.getOrDefault(
                        TableProperties.DEFAULT_FILE_FORMAT,
                        TableProperties.DEFAULT_FILE_FORMAT_DEFAULT);
        if (!version.matches("[0-9]") || Integer.parseInt(version) < oldestFormat) {
            throw refused(
                    path,
                    TableProperties.FORMAT_VERSION,
                    version,
                    oldestFormat == FIRST_WITH_VARIANT
                            ? "VARIANT columns need format version 3"
                            : "deletes of rows need format version 2 or 3");
        }
        if (oldestFormat == FIRST_WITH_VARIANT
                && !files.equalsIgnoreCase(TableProperties.DEFAULT_FILE_FORMAT_DEFAULT)) {
            throw refused(
                    path,
                    TableProperties.DEFAULT_FILE_FORMAT,
                    files,
                    "VARIANT columns are held in Parquet files only");
        }
    }

    private static LakeException refused(ObjectPath path, String key, String value, String why) {
        return new LakeException(
                Reason.INVALID_OPTION,
                "option '"
                        + key
                        + "'='"
                        + value
                        + "' cannot be used on the lake table of "
                        + path.getFullName()
                        + ": "
                        + why
                        + ". Remove the option or give another value.");
    }

    /** One bucket needs no field: it holds whatever there is. */
    private static PartitionSpec spec(
            Schema schema,
            List<String> partitionKeys,
            TimePartitions times,
            List<String> bucketKeys,
            int bucketCount) {
        PartitionSpec.Builder spec = PartitionSpec.builderFor(schema);
        partitionKeys.forEach(spec::identity);
        times.addTo(spec, schema);
        if (bucketCount > 1 && !bucketKeys.isEmpty()) {
            String column = bucketKeys.get(0);
            String name = column + "_bucket";
            while (schema.findField(name) != null) {
                name += "_";
            }
            spec.bucket(column, bucketCount, name);
        }
        return spec.build();
    }

    private static RowType physicalRowType(ResolvedSchema schema) {
        return (RowType) schema.toPhysicalRowDataType().getLogicalType();
    }

    private static List<Declaration.ComputedColumn> computedColumns(ResolvedSchema schema) {
        List<Declaration.ComputedColumn> computed = new ArrayList<>();
        for (int i = 0; i < schema.getColumnCount(); i++) {
            if (schema.getColumns().get(i) instanceof Column.ComputedColumn column) {
                computed.add(
                        new Declaration.ComputedColumn(
                                i,
                                column.getName(),
                                column.getExpression()
                                        .asSerializableString(DefaultSqlFactory.INSTANCE),
                                column.getComment().orElse(null)));
            }
        }
        return computed;
    }

    private static List<Declaration.Watermark> watermarks(ResolvedSchema schema) {
        return schema.getWatermarkSpecs().stream()
                .map(
                        watermark ->
                                new Declaration.Watermark(
                                        watermark.getRowtimeAttribute(),
                                        watermark
                                                .getWatermarkExpression()
                                                .asSerializableString(DefaultSqlFactory.INSTANCE)))
                .toList();
    }
}
