package io.thermocline.catalog.option;

import io.thermocline.lake.DeleteStyle;
import io.thermocline.unionread.tiering.ForeignCommitPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * Options of a table that has a hot tier. They are kept in the lake table's options under a prefix
 * of ours, so that the lake never acts on them.
 */
public final class TableOptions {

    /** Highest number of buckets of a table. */
    public static final int MAX_BUCKETS = 1024;

    public static final ConfigOption<Boolean> HOT_ENABLED =
            ConfigOptions.key("hot.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether the table has a hot tier. 'false' at CREATE TABLE makes a plain"
                                    + " lake table. ALTER TABLE gives a table a hot tier, or takes it"
                                    + " away.");

    public static final ConfigOption<Duration> HOT_LOG_RETENTION =
            ConfigOptions.key("hot.log.retention")
                    .durationType()
                    .defaultValue(Duration.ofDays(1))
                    .withDescription(
                            "How long the changelog is kept at least. Raise it for readers that stay"
                                    + " away for longer; records that are not yet in the lake are"
                                    + " always kept.");

    public static final ConfigOption<Integer> BUCKET =
            ConfigOptions.key("bucket")
                    .intType()
                    .defaultValue(1)
                    .withDescription(
                            "Number of buckets, the same as DISTRIBUTED INTO n BUCKETS. More buckets"
                                    + " spread a table over more writers and readers.");

    public static final ConfigOption<String> BUCKET_KEY =
            ConfigOptions.key("bucket-key")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Columns, separated by commas, whose hash gives a row's bucket; the same as"
                                    + " DISTRIBUTED BY (…). Default: the primary key without the"
                                    + " partition columns.");

    public static final ConfigOption<String> MERGE_ENGINE =
            ConfigOptions.key("merge-engine")
                    .stringType()
                    .defaultValue("deduplicate")
                    .withDescription(
                            "What becomes of rows with the same primary key. 'deduplicate': the last"
                                    + " one is kept.");

    public static final ConfigOption<String> CHANGELOG_IMAGE =
            ConfigOptions.key("changelog.image")
                    .stringType()
                    .defaultValue("full")
                    .withDescription(
                            "What the changelog holds of an update. 'full': the row before and the row"
                                    + " after.");

    public static final ConfigOption<Boolean> TIERING_ENABLED =
            ConfigOptions.key("tiering.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether the server writes the changelog into the lake by itself. 'false':"
                                    + " only CALL sys.tier does.");

    public static final ConfigOption<Duration> TIERING_FRESHNESS =
            ConfigOptions.key("tiering.freshness")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(1))
                    .withDescription(
                            "How far the lake may lag behind. Shorter: fresher for other engines, but"
                                    + " more and smaller files.");

    public static final ConfigOption<ForeignCommitPolicy> HOT_ON_FOREIGN_COMMIT =
            ConfigOptions.key(ForeignCommitPolicy.OPTION)
                    .enumType(ForeignCommitPolicy.class)
                    .defaultValue(ForeignCommitPolicy.FAIL)
                    .withDescription(
                            "What happens when another program changes rows of a primary-key table"
                                    + " in the lake. 'fail': tiering stops, with an error that"
                                    + " names the commit. 'absorb': the hot tier takes the rows"
                                    + " over.");

    public static final ConfigOption<DeleteStyle> TIERING_DELETES =
            ConfigOptions.key(DeleteStyle.OPTION)
                    .enumType(DeleteStyle.class)
                    .defaultValue(DeleteStyle.EQUALITY)
                    .withDescription(
                            "How tiering deletes rows of primary-key tables in Iceberg. 'equality': by"
                                    + " key. 'position': by data file and position, which every"
                                    + " engine reads well, for a look at the keys in the lake each"
                                    + " round.");

    private static final Map<String, ConfigOption<?>> BY_KEY = new LinkedHashMap<>();

    static {
        for (ConfigOption<?> option :
                new ConfigOption<?>[] {
                    HOT_ENABLED,
                    HOT_LOG_RETENTION,
                    BUCKET,
                    BUCKET_KEY,
                    MERGE_ENGINE,
                    CHANGELOG_IMAGE,
                    TIERING_ENABLED,
                    TIERING_FRESHNESS,
                    TIERING_DELETES,
                    HOT_ON_FOREIGN_COMMIT
                }) {
            BY_KEY.put(option.key(), option);
        }
    }

    private static final Set<String> CHANGEABLE =
            Set.of(
                    HOT_LOG_RETENTION.key(),
                    TIERING_ENABLED.key(),
                    TIERING_FRESHNESS.key(),
                    TIERING_DELETES.key(),
                    HOT_ON_FOREIGN_COMMIT.key());

    private TableOptions() {}

    /** Every option of this class by key. */
    static Map<String, ConfigOption<?>> byKey() {
        return BY_KEY;
    }

    /** Whether ALTER TABLE may change an option of this class. */
    static boolean isChangeable(String key) {
        return CHANGEABLE.contains(key);
    }
}
