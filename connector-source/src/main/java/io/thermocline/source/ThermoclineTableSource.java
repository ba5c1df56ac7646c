package io.thermocline.source;

import io.thermocline.hotstore.filter.RowPredicate;
import io.thermocline.lake.LakeFilter;
import io.thermocline.source.enumerator.ReadRequest;
import io.thermocline.source.lookup.LookupProviders;
import io.thermocline.source.lookup.LookupSpec;
import io.thermocline.unionread.LogicalTable;
import io.thermocline.unionread.UnionScan;
import io.thermocline.unionread.plan.Startup;
import io.thermocline.unionread.plan.Tier;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.cache.DefaultLookupCache;
import org.apache.flink.table.connector.source.lookup.cache.LookupCache;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/**
 * Source of a logical table, for scans and lookups. Everything pushed into it is immutable, so that
 * copies share nothing that can change.
 */
public sealed class ThermoclineTableSource
        implements ScanTableSource,
                LookupTableSource,
                SupportsProjectionPushDown,
                SupportsWatermarkPushDown
        permits FilteringTableSource {

    private final LogicalTable table;
    private final DataType physicalRowType;
    private final ReadableConfig options;
    private final boolean batch;

    private DataType producedType;
    private List<ResolvedExpression> filters = List.of();
    private @Nullable WatermarkStrategy<RowData> watermarkStrategy;

    /**
     * Makes a source that takes filters if the planner can give it filters of the table's types.
     *
     * @param table the table; no connection is made to it here
     * @param physicalRowType physical columns in table order
     * @param options the table's options merged with hints, see {@link SourceOptions}
     * @param batch whether the query runs in batch mode: then the scan is bounded and merged
     */
    public static ThermoclineTableSource of(
            LogicalTable table, DataType physicalRowType, ReadableConfig options, boolean batch) {
        return FilteringTableSource.keepsLiterals(physicalRowType.getLogicalType())
                ? new FilteringTableSource(table, physicalRowType, options, batch)
                : new ThermoclineTableSource(table, physicalRowType, options, batch);
    }

    ThermoclineTableSource(
            LogicalTable table, DataType physicalRowType, ReadableConfig options, boolean batch) {
        this.table = table;
        this.physicalRowType = physicalRowType;
        this.options = options;
        this.batch = batch;
        this.producedType = physicalRowType;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        boolean insertOnly =
                batch
                        || !table.spec().hasPrimaryKey()
                        || options.get(SourceOptions.SCAN_TIER) == Tier.LAKE;
        return insertOnly ? ChangelogMode.insertOnly() : ChangelogMode.all();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        ReadRequest request =
                new ReadRequest(
                        table,
                        scan(),
                        startup(),
                        options.get(SourceOptions.SCAN_TIER),
                        batch,
                        options.get(SourceOptions.SCAN_LEASE_DURATION));
        checkStartup(request);
        TypeInformation<RowData> type = context.createTypeInformation(producedType);
        long keyMemory = options.get(SourceOptions.SCAN_KEY_MEMORY).getBytes();
        ThermoclineSource source = new ThermoclineSource(request, type, keyMemory);
        return new ScanProvider(
                source,
                watermarkStrategy == null ? WatermarkStrategy.noWatermarks() : watermarkStrategy,
                table.spec().path().getFullName(),
                options.getOptional(SourceOptions.SCAN_PARALLELISM).orElse(null),
                request.bounded() ? Integer.MAX_VALUE : table.spec().bucketCount(),
                request.bounded());
    }

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        LookupSpec spec =
                LookupSpec.of(table, (RowType) producedType.getLogicalType(), context.getKeys());
        return LookupProviders.of(spec, options.get(SourceOptions.LOOKUP_ASYNC), lookupCache());
    }

    @Override
    public boolean supportsNestedProjection() {
        return false;
    }

    @Override
    public void applyProjection(int[][] projectedFields, DataType producedDataType) {
        this.producedType = producedDataType;
    }

    /** Filters whose rows may be read alone; the planner applies them again. */
    final void filters(List<ResolvedExpression> conjuncts) {
        this.filters = List.copyOf(conjuncts);
    }

    @Override
    public void applyWatermark(WatermarkStrategy<RowData> strategy) {
        this.watermarkStrategy = strategy;
    }

    @Override
    public DynamicTableSource copy() {
        ThermoclineTableSource copy = of(table, physicalRowType, options, batch);
        copy.producedType = producedType;
        copy.filters = filters;
        copy.watermarkStrategy = watermarkStrategy;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Thermocline[" + table.spec().path().getFullName() + "]";
    }

    private UnionScan scan() {
        RowType tableType = (RowType) physicalRowType.getLogicalType();
        List<ResolvedExpression> predicates = FieldReferences.into(tableType, filters);
        Optional<LakeFilter> lakeFilter =
                predicates.isEmpty() ? Optional.empty() : table.lake().toFilter(predicates);
        // a record that does not match may still delete or replace one that does, except by key
        List<String> columns =
                table.spec().hasPrimaryKey()
                        ? table.spec().primaryKey()
                        : tableType.getFieldNames();
        Optional<RowPredicate> changelogFilter =
                new ChangelogPredicates(tableType, Set.copyOf(columns)).convert(predicates);
        return new UnionScan(
                DataType.getFieldNames(producedType),
                lakeFilter.orElse(null),
                changelogFilter.orElse(null));
    }

    private Startup startup() {
        StartupMode mode = options.get(SourceOptions.SCAN_STARTUP_MODE);
        Optional<Long> timestamp = options.getOptional(SourceOptions.SCAN_STARTUP_TIMESTAMP_MILLIS);
        if (mode == StartupMode.TIMESTAMP && timestamp.isEmpty()) {
            throw new ValidationException(
                    "Option 'scan.startup.mode' of table "
                            + table.spec().path().getFullName()
                            + " is 'timestamp', but 'scan.startup.timestamp-millis' is not set: set"
                            + " it to milliseconds since 1970-01-01T00:00:00Z.");
        }
        return switch (mode) {
            case FULL -> new Startup.Full();
            case EARLIEST -> new Startup.Earliest();
            case LATEST -> new Startup.Latest();
            case TIMESTAMP -> new Startup.Timestamp(timestamp.get());
        };
    }

    private void checkStartup(ReadRequest request) {
        boolean full = request.startup() instanceof Startup.Full;
        String mode = options.get(SourceOptions.SCAN_STARTUP_MODE).name().toLowerCase(Locale.ROOT);
        if (!full && request.tier() == Tier.LAKE) {
            throw new ValidationException(
                    "Options 'scan.tier'='lake' and 'scan.startup.mode'='"
                            + mode
                            + "' of table "
                            + table.spec().path().getFullName()
                            + " exclude each other: the lake snapshot is read as a whole. Leave one"
                            + " of them out.");
        }
        if (!full && batch && table.spec().hasPrimaryKey()) {
            throw new ValidationException(
                    "Option 'scan.startup.mode'='"
                            + mode
                            + "' does not apply to a batch query on primary-key table "
                            + table.spec().path().getFullName()
                            + ": its result is the table's present state. Leave the option out, or"
                            + " set 'execution.runtime-mode'='streaming'.");
        }
    }

    private @Nullable LookupCache lookupCache() {
        LookupOptions.LookupCacheType type = options.get(LookupOptions.CACHE_TYPE);
        return switch (type) {
            case NONE -> null;
            case PARTIAL -> DefaultLookupCache.fromConfig(options);
            case FULL ->
                    throw new ValidationException(
                            "Option 'lookup.cache'='FULL' is not supported by table "
                                    + table.spec().path().getFullName()
                                    + ": the hot tier's index answers every lookup without a copy of"
                                    + " the table. Use 'PARTIAL' or 'NONE'.");
        };
    }

    /**
     * Makes the source's stream; sets the parallelism itself, so that the planner derives nothing.
     *
     * @param parallelism as asked for; null if it was not
     * @param usefulReaders a reader beyond these would never get a split, and so hold back the
     *     watermarks of the others
     */
    private record ScanProvider(
            ThermoclineSource source,
            WatermarkStrategy<RowData> watermarkStrategy,
            String name,
            @Nullable Integer parallelism,
            int usefulReaders,
            boolean isBounded)
            implements DataStreamScanProvider {

        @Override
        public DataStream<RowData> produceDataStream(
                ProviderContext context, StreamExecutionEnvironment environment) {
            DataStreamSource<RowData> stream =
                    environment.fromSource(source, watermarkStrategy, name);
            context.generateUid("source").ifPresent(stream::uid);
            if (parallelism != null) {
                stream.setParallelism(parallelism);
            } else if (environment.getParallelism() > usefulReaders) {
                stream.setParallelism(usefulReaders);
            }
            return stream;
        }
    }
}
