package io.thermocline.catalog;

import io.thermocline.catalog.option.CatalogOptions;
import io.thermocline.catalog.option.KnownTableOptions;
import io.thermocline.catalog.virtual.HotMetadataTable;
import io.thermocline.catalog.virtual.MetadataTableSource;
import io.thermocline.catalog.virtual.VirtualTableName;
import io.thermocline.sink.ThermoclineTableSink;
import io.thermocline.source.ThermoclineTableSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes sources and sinks: of tables with a hot tier by itself, of every other table of its catalog
 * with the lake's own factory. Without a catalog it serves {@code CREATE TEMPORARY TABLE … WITH
 * ('connector'='thermocline', 'warehouse'='…', 'table'='db.t')}.
 *
 * <p>Planning reads the definition from the lake; it never speaks to the hot store.
 */
public final class ThermoclineTableFactory
        implements DynamicTableSourceFactory, DynamicTableSinkFactory {

    private final @Nullable ThermoclineCatalog catalog;

    /** For discovery by the name of the connector. */
    public ThermoclineTableFactory() {
        this(null);
    }

    ThermoclineTableFactory(@Nullable ThermoclineCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public String factoryIdentifier() {
        return CatalogOptions.IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return catalog == null ? Set.of(CatalogOptions.WAREHOUSE, CatalogOptions.TABLE) : Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        Set<ConfigOption<?>> options = new HashSet<>(KnownTableOptions.all().values());
        options.add(CatalogOptions.LAKE);
        options.add(CatalogOptions.ENGINE);
        return options;
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        Optional<HotMetadataTable> metadata = hotMetadata(context);
        if (metadata.isPresent()) {
            return metadataSource(context, metadata.get());
        }
        Optional<StatementTable> hot = hotTable(context);
        if (hot.isPresent()) {
            boolean batch =
                    context.getConfiguration().get(ExecutionOptions.RUNTIME_MODE)
                            == RuntimeExecutionMode.BATCH;
            return ThermoclineTableSource.of(
                    hot.get().table(),
                    context.getPhysicalRowDataType(),
                    hot.get().options(),
                    batch);
        }
        checkLakeOptions(context);
        if (lakeFactory() instanceof DynamicTableSourceFactory factory) {
            return factory.createDynamicTableSource(new LakeTableContext(context));
        }
        throw new ValidationException("the lake cannot read table " + path(context).getFullName());
    }

    private Optional<HotMetadataTable> hotMetadata(Context context) {
        if (catalog == null) {
            return Optional.empty();
        }
        try {
            return catalog.hotMetadata(path(context));
        } catch (TableNotExistException e) {
            throw dropped(context, e);
        }
    }

    private DynamicTableSource metadataSource(Context context, HotMetadataTable metadata) {
        if (!context.getCatalogTable().getOptions().isEmpty()) {
            throw new ValidationException(
                    "table %s takes no options, but has %s"
                            .formatted(
                                    path(context).getFullName(),
                                    context.getCatalogTable().getOptions().keySet()));
        }
        ObjectPath base = VirtualTableName.parse(path(context)).orElseThrow().base();
        try {
            return new MetadataTableSource(
                    metadata,
                    StatementTable.logical(catalog.loadLakeTable(base), catalog.warehouse()),
                    context.getPhysicalRowDataType());
        } catch (TableNotExistException e) {
            throw dropped(context, e);
        }
    }

    private static ValidationException dropped(Context context, TableNotExistException cause) {
        ObjectPath base = VirtualTableName.parse(path(context)).orElseThrow().base();
        return new ValidationException(
                "table %s was dropped while the statement was planned"
                        .formatted(base.getFullName()),
                cause);
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        if (catalog != null && VirtualTableName.isVirtual(path(context))) {
            throw new ValidationException(
                    VirtualTableName.readOnly(path(context), "write to table"));
        }
        Optional<StatementTable> hot = hotTable(context);
        if (hot.isPresent()) {
            checkNotDraining(path(context), hot.get());
            return new ThermoclineTableSink(
                    hot.get().table(), context.getPhysicalRowDataType(), hot.get().options());
        }
        checkLakeOptions(context);
        if (lakeFactory() instanceof DynamicTableSinkFactory factory) {
            return factory.createDynamicTableSink(new LakeTableContext(context));
        }
        throw new ValidationException("the lake cannot write table " + path(context).getFullName());
    }

    private static void checkNotDraining(ObjectPath path, StatementTable hot) {
        if (hot.table().spec().isDraining()) {
            throw new ValidationException(
                    ("table %s takes no rows: its hot tier is being taken away. Wait until ALTER TABLE"
                                    + " has ended, or keep the hot tier with ALTER TABLE … SET"
                                    + " ('hot.enabled'='true').")
                            .formatted(path.getFullName()));
        }
    }

    private Optional<StatementTable> hotTable(Context context) {
        if (catalog == null) {
            return Optional.of(StatementTable.withoutCatalog(context));
        }
        return VirtualTableName.isVirtual(path(context))
                ? Optional.empty()
                : StatementTable.ofCatalog(catalog, context);
    }

    private void checkLakeOptions(Context context) {
        if (catalog != null) {
            catalog.optionRules()
                    .checkStatementOfLakeTable(
                            path(context), context.getCatalogTable().getOptions());
        }
    }

    private Object lakeFactory() {
        if (catalog == null) {
            throw new IllegalStateException("only tables of a catalog can be the lake's");
        }
        return catalog.lakeFlinkCatalog()
                .getFactory()
                .orElseThrow(() -> new ValidationException("the lake's catalog makes no tables"));
    }

    private static ObjectPath path(Context context) {
        return context.getObjectIdentifier().toObjectPath();
    }
}
