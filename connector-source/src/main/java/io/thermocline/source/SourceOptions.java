package io.thermocline.source;

import io.thermocline.unionread.plan.Tier;
import java.time.Duration;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.factories.FactoryUtil;

/** Options of scans and lookups: of the table, or in an {@code OPTIONS} hint. */
public final class SourceOptions {

    public static final ConfigOption<StartupMode> SCAN_STARTUP_MODE =
            ConfigOptions.key("scan.startup.mode")
                    .enumType(StartupMode.class)
                    .defaultValue(StartupMode.FULL)
                    .withDescription(
                            "Where a new streaming read starts: full (the table's state, then every"
                                    + " change), earliest (what the changelog still holds), latest,"
                                    + " or timestamp. A restored job goes on where it was.");

    public static final ConfigOption<Long> SCAN_STARTUP_TIMESTAMP_MILLIS =
            ConfigOptions.key("scan.startup.timestamp-millis")
                    .longType()
                    .noDefaultValue()
                    .withDescription(
                            "Start of scan.startup.mode=timestamp: the first change whose commit"
                                    + " timestamp is at or after it, milliseconds since the epoch.");

    public static final ConfigOption<Tier> SCAN_TIER =
            ConfigOptions.key("scan.tier")
                    .enumType(Tier.class)
                    .defaultValue(Tier.UNION)
                    .withDescription(
                            "Which tiers are read: union (complete and fresh), hot (the hot tier"
                                    + " alone), or lake (the newest lake snapshot alone).");

    public static final ConfigOption<Integer> SCAN_PARALLELISM = FactoryUtil.SOURCE_PARALLELISM;

    public static final ConfigOption<MemorySize> SCAN_KEY_MEMORY =
            ConfigOptions.key("scan.key-memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Memory of one set of keys that a batch read of a primary-key table"
                                    + " keeps to leave out superseded rows. Keys beyond it are"
                                    + " spilled to disk. Raise it when batch reads of tables with a"
                                    + " long hot tail spend their time on spill files.");

    public static final ConfigOption<Duration> SCAN_LEASE_DURATION =
            ConfigOptions.key("scan.lease-duration")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription(
                            "How long a lake snapshot and changelog range stay claimed for a read"
                                    + " whose coordinator is gone. A running read renews its claim.");

    public static final ConfigOption<Boolean> LOOKUP_ASYNC =
            ConfigOptions.key("lookup.async")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether lookup joins ask for many keys at a time (true), or wait for"
                                    + " one answer before the next question (false).");

    private SourceOptions() {}

    /** All options of sources and lookups, for factories. */
    public static Set<ConfigOption<?>> all() {
        return Set.of(
                SCAN_STARTUP_MODE,
                SCAN_STARTUP_TIMESTAMP_MILLIS,
                SCAN_TIER,
                SCAN_PARALLELISM,
                SCAN_KEY_MEMORY,
                SCAN_LEASE_DURATION,
                LOOKUP_ASYNC,
                LookupOptions.CACHE_TYPE,
                LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_ACCESS,
                LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE,
                LookupOptions.PARTIAL_CACHE_CACHE_MISSING_KEY,
                LookupOptions.PARTIAL_CACHE_MAX_ROWS);
    }
}
