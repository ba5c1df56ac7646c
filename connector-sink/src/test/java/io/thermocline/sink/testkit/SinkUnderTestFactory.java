package io.thermocline.sink.testkit;

import static org.apache.flink.configuration.ConfigOptions.key;

import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.BucketFunction;
import io.thermocline.sink.SinkOptions;
import io.thermocline.sink.ThermoclineTableSink;
import io.thermocline.unionread.LogicalTable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.TableDistribution;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;

/** Gives SQL the sink in front of a store that the test has put into {@link #STORES}. */
public final class SinkUnderTestFactory implements DynamicTableSinkFactory {

    /** Stores by the value of the option {@code store}. */
    public static final Map<String, Supplier<HotStore>> STORES = new ConcurrentHashMap<>();

    /** Tables that statements were planned for. */
    public static final Map<ObjectPath, HotTableSpec> SPECS = new ConcurrentHashMap<>();

    private static final ConfigOption<String> STORE = key("store").stringType().noDefaultValue();

    @Override
    public String factoryIdentifier() {
        return "sink-under-test";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(STORE);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return SinkOptions.all();
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        String store = helper.getOptions().get(STORE);
        HotTableSpec spec = specOf(store, context.getCatalogTable());
        SPECS.put(spec.path(), spec);
        int buckets = spec.bucketCount();
        BucketFunction hash = new HashOfFields(spec.rowType(), spec.bucketKeys(), buckets);
        return new ThermoclineTableSink(
                new LogicalTable(spec, new HashedLakeTable(spec, hash), new InThisJvm(store)),
                context.getPhysicalRowDataType(),
                helper.getOptions());
    }

    private static HotTableSpec specOf(String name, ResolvedCatalogTable table) {
        List<String> primaryKey =
                table.getResolvedSchema()
                        .getPrimaryKey()
                        .map(UniqueConstraint::getColumns)
                        .orElse(List.of());
        TableDistribution distribution = table.getDistribution().orElseThrow();
        return new HotTableSpec(
                new ObjectPath("db", name),
                UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString(),
                0,
                (RowType) table.getResolvedSchema().toPhysicalRowDataType().getLogicalType(),
                primaryKey,
                table.getPartitionKeys(),
                distribution.getBucketKeys(),
                distribution.getBucketCount().orElseThrow(),
                Map.of());
    }

    private record InThisJvm(String name) implements HotStoreProvider {

        @Override
        public HotStore connect(WhenStopped whenStopped) {
            return STORES.get(name).get();
        }
    }

    private record HashOfFields(RowType rowType, List<String> bucketKeys, int buckets)
            implements BucketFunction {

        @Override
        public int bucket(RowData bucketKey) {
            int hash = 0;
            for (int i = 0; i < bucketKeys.size(); i++) {
                RowData.FieldGetter getter =
                        RowData.createFieldGetter(
                                rowType.getTypeAt(rowType.getFieldIndex(bucketKeys.get(i))), i);
                hash = 31 * hash + String.valueOf(getter.getFieldOrNull(bucketKey)).hashCode();
            }
            return Math.floorMod(hash, buckets);
        }
    }
}
