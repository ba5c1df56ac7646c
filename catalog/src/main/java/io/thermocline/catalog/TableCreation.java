package io.thermocline.catalog;

import io.thermocline.catalog.option.CatalogOptions;
import io.thermocline.catalog.option.TableOptionRules;
import io.thermocline.catalog.option.TableOptions;
import io.thermocline.catalog.option.TableSettings;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeTableDefinition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.factories.FactoryUtil;

/** CREATE TABLE: everything is checked before anything is written. */
final class TableCreation {

    private final LakeCatalog lake;
    private final TableOptionRules rules;

    TableCreation(LakeCatalog lake, TableOptionRules rules) {
        this.lake = lake;
        this.rules = rules;
    }

    /**
     * Creates a table that does not exist yet, in a database that does.
     *
     * @throws ValidationException if the definition is not possible
     */
    void create(ObjectPath path, ResolvedCatalogTable table)
            throws TableAlreadyExistException, DatabaseNotExistException {
        Map<String, String> options = new TreeMap<>(table.getOptions());
        checkConnector(path, options.remove(FactoryUtil.CONNECTOR.key()));
        if (hotEnabled(path, options)) {
            createHotTable(path, table, options);
        } else {
            createPlainTable(path, table, options);
        }
    }

    private void createHotTable(
            ObjectPath path, ResolvedCatalogTable table, Map<String, String> options) {
        TableSettings settings = rules.checkHotTable(path, options);
        TableOptionRules.checkPrimaryKey(
                path, settings.hot(), table.getResolvedSchema().getPrimaryKey().isPresent());
        checkColumns(path, table);
        checkPartitionKeys(path, table);
        BucketLayout layout = BucketLayout.of(path, table, settings.hot());

        Map<String, String> stored = new TreeMap<>(settings.lake());
        settings.hot()
                .forEach(
                        (key, value) -> stored.put(LakeTableDefinition.OPTION_PREFIX + key, value));
        stored.remove(LakeTableDefinition.OPTION_PREFIX + TableOptions.BUCKET.key());
        stored.remove(LakeTableDefinition.OPTION_PREFIX + TableOptions.BUCKET_KEY.key());
        stored.put(
                LakeTableDefinition.OPTION_PREFIX + LakeTableDefinition.TABLE_ID,
                UUID.randomUUID().toString());
        lake.createTable(path, table.copy(stored), layout.keys(), layout.count());
    }

    private void createPlainTable(
            ObjectPath path, ResolvedCatalogTable table, Map<String, String> options)
            throws TableAlreadyExistException, DatabaseNotExistException {
        Map<String, String> ofLake = rules.checkPlainTable(path, options);
        if (table.getDistribution().isPresent()) {
            BucketLayout layout = BucketLayout.of(path, table, ofLake);
            ofLake.put(TableOptions.BUCKET.key(), String.valueOf(layout.count()));
            if (!layout.keys().isEmpty()) {
                ofLake.put(TableOptions.BUCKET_KEY.key(), String.join(",", layout.keys()));
            }
        }
        lake.flinkCatalog().createTable(path, table.copy(ofLake), false);
    }

    private static void checkConnector(ObjectPath path, String connector) {
        if (connector != null && !connector.equals(CatalogOptions.IDENTIFIER)) {
            throw new ValidationException(
                    ("table %s cannot have 'connector' = '%s': a %s catalog makes its own tables. Use"
                                    + " CREATE TEMPORARY TABLE for a table of another connector.")
                            .formatted(path.getFullName(), connector, CatalogOptions.IDENTIFIER));
        }
    }

    /** Whether options of a table say that it has a hot tier. */
    static boolean hotEnabled(ObjectPath path, Map<String, String> options) {
        try {
            return Configuration.fromMap(options).get(TableOptions.HOT_ENABLED);
        } catch (IllegalArgumentException e) {
            throw new ValidationException(
                    "option 'hot.enabled' = '%s' of table %s is not valid: it must be 'true' or 'false'"
                            .formatted(
                                    options.get(TableOptions.HOT_ENABLED.key()),
                                    path.getFullName()));
        }
    }

    private static void checkColumns(ObjectPath path, ResolvedCatalogTable table) {
        for (Column column : table.getResolvedSchema().getColumns()) {
            if (column instanceof Column.MetadataColumn) {
                throw new ValidationException(
                        ("column '%s' of table %s is a metadata column, but a table with a hot tier has"
                                        + " no metadata to read. Declare a physical or a computed column.")
                                .formatted(column.getName(), path.getFullName()));
            }
        }
    }

    private static void checkPartitionKeys(ObjectPath path, ResolvedCatalogTable table) {
        List<String> primaryKey =
                table.getResolvedSchema()
                        .getPrimaryKey()
                        .map(UniqueConstraint::getColumns)
                        .orElse(List.of());
        for (String partitionKey : table.getPartitionKeys()) {
            if (!primaryKey.isEmpty() && !primaryKey.contains(partitionKey)) {
                throw new ValidationException(
                        ("partition column '%s' of table %s is not part of the primary key %s: a row"
                                        + " that changes its partition would be there twice. Add it to"
                                        + " the primary key.")
                                .formatted(partitionKey, path.getFullName(), primaryKey));
            }
        }
    }
}
