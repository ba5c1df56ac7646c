package io.thermocline.catalog;

import io.thermocline.catalog.option.CatalogOptions;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.catalog.CommonCatalogOptions;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** {@code CREATE CATALOG … WITH ('type'='thermocline', 'warehouse'='…')}. */
public final class ThermoclineCatalogFactory implements CatalogFactory {

    @Override
    public String factoryIdentifier() {
        return CatalogOptions.IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(CatalogOptions.WAREHOUSE);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        Set<ConfigOption<?>> options = new HashSet<>(CatalogOptions.all());
        options.remove(CatalogOptions.WAREHOUSE);
        return options;
    }

    /**
     * Makes a catalog that is not open yet, without access to anything.
     *
     * @throws ValidationException if an option is missing, unknown or not valid
     */
    @Override
    public Catalog createCatalog(Context context) {
        Map<String, String> options = new TreeMap<>(context.getOptions());
        options.remove(CommonCatalogOptions.CATALOG_TYPE.key());
        options.remove(FactoryUtil.PROPERTY_VERSION.key());
        String owner = "catalog '" + context.getName() + "'";
        WarehouseConfig warehouse = WarehouseConfig.of(owner, options);
        Configuration values = Configuration.fromMap(options);
        return new ThermoclineCatalog(
                context.getName(),
                values.get(CatalogOptions.DEFAULT_DATABASE),
                warehouse,
                values.get(CatalogOptions.DETACH_TIMEOUT),
                context.getClassLoader());
    }
}
