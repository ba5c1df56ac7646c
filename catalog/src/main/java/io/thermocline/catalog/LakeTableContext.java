package io.thermocline.catalog;

import io.thermocline.catalog.option.TableOptions;
import io.thermocline.catalog.virtual.VirtualTableName;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.factories.DynamicTableFactory.Context;
import org.apache.flink.table.types.DataType;

/** The context of a plain or virtual lake table as the lake itself would have it. */
final class LakeTableContext implements Context {

    private final Context context;
    private final ResolvedCatalogTable table;

    LakeTableContext(Context context) {
        this.context = context;
        Map<String, String> options = new TreeMap<>(context.getCatalogTable().getOptions());
        this.table =
                options.remove(TableOptions.HOT_ENABLED.key()) == null
                        ? context.getCatalogTable()
                        : context.getCatalogTable().copy(options);
    }

    /** The name that the lake knows the table by. */
    @Override
    public ObjectIdentifier getObjectIdentifier() {
        ObjectIdentifier identifier = context.getObjectIdentifier();
        return VirtualTableName.parse(identifier.toObjectPath())
                .map(VirtualTableName::lakePath)
                .map(
                        path ->
                                ObjectIdentifier.of(
                                        identifier.getCatalogName(),
                                        path.getDatabaseName(),
                                        path.getObjectName()))
                .orElse(identifier);
    }

    @Override
    public ResolvedCatalogTable getCatalogTable() {
        return table;
    }

    @Override
    public Map<String, String> getEnrichmentOptions() {
        return context.getEnrichmentOptions();
    }

    @Override
    public ReadableConfig getConfiguration() {
        return context.getConfiguration();
    }

    @Override
    public ClassLoader getClassLoader() {
        return context.getClassLoader();
    }

    @Override
    public boolean isTemporary() {
        return context.isTemporary();
    }

    @Override
    public DataType getPhysicalRowDataType() {
        return context.getPhysicalRowDataType();
    }
}
