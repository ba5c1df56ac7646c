package io.thermocline.catalog;

import static org.apache.flink.table.types.logical.utils.LogicalTypeUtils.removeTimeAttributes;

import io.thermocline.catalog.option.CatalogOptionRules;
import io.thermocline.catalog.option.CatalogOptions;
import io.thermocline.catalog.option.QualifiedName;
import io.thermocline.catalog.option.TableOptionRules;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.unionread.LogicalTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.factories.DynamicTableFactory.Context;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * A table with a hot tier as one statement uses it.
 *
 * @param table both tiers
 * @param options the table's options with those of the statement on top
 */
record StatementTable(LogicalTable table, ReadableConfig options) {

    /** A table of a catalog; empty if it has no hot tier. */
    static Optional<StatementTable> ofCatalog(ThermoclineCatalog catalog, Context context) {
        ObjectPath path = context.getObjectIdentifier().toObjectPath();
        try {
            if (!catalog.isHotTable(path)) {
                return Optional.empty();
            }
            LakeTable lake = catalog.loadLakeTable(path);
            checkSchema(path, context.getCatalogTable().getResolvedSchema(), lake.definition());
            Map<String, String> options =
                    catalog.optionRules()
                            .withStatement(
                                    path,
                                    lake.definition().hotOptions(),
                                    context.getCatalogTable().getOptions());
            return Optional.of(of(lake, catalog.warehouse(), options));
        } catch (TableNotExistException e) {
            throw new ValidationException(
                    "table %s was dropped while the statement was planned"
                            .formatted(path.getFullName()),
                    e);
        }
    }

    /** A temporary table that names warehouse and table in its options. */
    static StatementTable withoutCatalog(Context context) {
        String owner = "temporary table " + context.getObjectIdentifier().asSummaryString();
        Map<String, String> options = new TreeMap<>(context.getCatalogTable().getOptions());
        options.remove(FactoryUtil.CONNECTOR.key());
        CatalogOptionRules.checkNamesTable(owner, options);
        ObjectPath path = referredTable(owner, options.remove(CatalogOptions.TABLE.key()));
        Map<String, String> ofTable = new TreeMap<>(options);
        ofTable.keySet().removeIf(WarehouseConfig::isWarehouseOption);
        options.keySet().removeAll(ofTable.keySet());
        WarehouseConfig warehouse = WarehouseConfig.of(owner, options);
        try (LakeCatalog lakeCatalog = warehouse.openLake(context.getClassLoader())) {
            CatalogOptionRules.checkKnown(owner, ofTable.keySet(), lakeCatalog::isTableOption);
            LakeTable lake = lakeCatalog.table(path);
            LakeTableDefinition definition = lake.definition();
            if (definition.tableId().isEmpty()) {
                throw new ValidationException(
                        ("table %s of warehouse %s is a plain lake table. Use the lake's own connector"
                                        + " for it.")
                                .formatted(path.getFullName(), warehouse.lake().warehouse()));
            }
            checkSchema(path, context.getCatalogTable().getResolvedSchema(), definition);
            TableOptionRules rules = new TableOptionRules(warehouse.lake().lake(), lakeCatalog);
            return of(lake, warehouse, rules.withStatement(path, definition.hotOptions(), ofTable));
        } catch (LakeException e) {
            throw LakeErrors.toCatalogError(e);
        }
    }

    private static StatementTable of(
            LakeTable lake, WarehouseConfig warehouse, Map<String, String> options) {
        return new StatementTable(logical(lake, warehouse), Configuration.fromMap(options));
    }

    /** Both tiers of a table. */
    static LogicalTable logical(LakeTable lake, WarehouseConfig warehouse) {
        return new LogicalTable(LogicalTable.specOf(lake.definition()), lake, warehouse.store());
    }

    private static ObjectPath referredTable(String owner, String table) {
        return QualifiedName.parse(table)
                .orElseThrow(
                        () ->
                                new ValidationException(
                                        "option 'table' = '%s' of %s is not valid: %s"
                                                .formatted(table, owner, QualifiedName.FORM)));
    }

    // What the planner believes and what both tiers hold must be the same columns.
    private static void checkSchema(
            ObjectPath path, ResolvedSchema declared, LakeTableDefinition definition) {
        List<String> declaredColumns =
                declared.getColumns().stream()
                        .filter(Column::isPhysical)
                        .map(
                                column ->
                                        describe(
                                                column.getName(),
                                                column.getDataType().getLogicalType()))
                        .toList();
        List<String> columns =
                definition.rowType().getFields().stream()
                        .map(field -> describe(field.getName(), field.getType()))
                        .toList();
        if (!declaredColumns.equals(columns)) {
            throw new ValidationException(
                    "the columns declared for table %s, %s, are not those that it has: %s"
                            .formatted(path.getFullName(), declaredColumns, columns));
        }
        List<String> declaredKey =
                declared.getPrimaryKey().map(UniqueConstraint::getColumns).orElse(List.of());
        if (!declaredKey.equals(definition.primaryKey())) {
            throw new ValidationException(
                    "the primary key declared for table %s, %s, is not the one that it has: %s"
                            .formatted(path.getFullName(), declaredKey, definition.primaryKey()));
        }
    }

    private static String describe(String name, LogicalType type) {
        // a watermark makes its column a time attribute, which is no other type to a table
        return name + " " + removeTimeAttributes(type).copy(true).asSummaryString();
    }
}
