package io.thermocline.source;

import io.thermocline.unionread.LogicalTable;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** Lets SQL read tables that a test has made. */
public final class WarehouseTableFactory implements DynamicTableSourceFactory {

    static final Map<String, LogicalTable> TABLES = new ConcurrentHashMap<>();

    private static final ConfigOption<String> NAME =
            ConfigOptions.key("name").stringType().noDefaultValue();

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        boolean batch =
                context.getConfiguration().get(ExecutionOptions.RUNTIME_MODE)
                        == RuntimeExecutionMode.BATCH;
        return ThermoclineTableSource.of(
                TABLES.get(helper.getOptions().get(NAME)),
                context.getPhysicalRowDataType(),
                helper.getOptions(),
                batch);
    }

    @Override
    public String factoryIdentifier() {
        return "warehouse-table";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(NAME);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return new HashSet<>(SourceOptions.all());
    }
}
