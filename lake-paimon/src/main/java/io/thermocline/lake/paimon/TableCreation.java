package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTableDefinition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.CoreOptions.ChangelogProducer;
import org.apache.paimon.CoreOptions.MergeEngine;
import org.apache.paimon.flink.FlinkCatalog;
import org.apache.paimon.options.Options;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the lake table of a table with a hot tier. It is a plain one for Paimon: rows arrive
 * already merged, so that nothing in its options may merge, order or expire them once more.
 */
final class TableCreation {

    private static final Logger LOG = LoggerFactory.getLogger(TableCreation.class);

    /**
     * Where the bucket count of a log table without bucket key is kept; Paimon has no place for it.
     */
    static final String BUCKET_OPTION = LakeTableDefinition.OPTION_PREFIX + "bucket";

    /** Options that must keep the given value. */
    static final Map<String, String> FIXED_OPTIONS =
            Map.of(
                    CoreOptions.MERGE_ENGINE.key(), MergeEngine.DEDUPLICATE.toString(),
                    CoreOptions.CHANGELOG_PRODUCER.key(), ChangelogProducer.NONE.toString(),
                    CoreOptions.IGNORE_DELETE.key(), "false");

    /** Options that would change which rows the table shows. */
    private static final List<String> REFUSED_OPTIONS =
            List.of(
                    CoreOptions.SEQUENCE_FIELD.key(),
                    CoreOptions.ROWKIND_FIELD.key(),
                    CoreOptions.RECORD_LEVEL_EXPIRE_TIME.key(),
                    CoreOptions.RECORD_LEVEL_TIME_FIELD.key(),
                    CoreOptions.PRIMARY_KEY.key(),
                    CoreOptions.PARTITION.key(),
                    CoreOptions.BRANCH.key(),
                    CoreOptions.SCAN_FALLBACK_BRANCH.key());

    private static final int UNAWARE_BUCKETS = -1;

    private final FlinkCatalog flinkCatalog;
    private final Options catalogOptions;

    TableCreation(FlinkCatalog flinkCatalog, Options catalogOptions) {
        this.flinkCatalog = flinkCatalog;
        this.catalogOptions = catalogOptions;
    }

    void create(
            ObjectPath path, ResolvedCatalogTable table, List<String> bucketKeys, int bucketCount) {
        List<String> primaryKey =
                table.getResolvedSchema()
                        .getPrimaryKey()
                        .map(UniqueConstraint::getColumns)
                        .orElse(List.of());
        ColumnTypes types = ColumnTypes.toCreate(path);
        types.check(table, primaryKey, bucketKeys);
        Map<String, String> effectiveOptions = withDefaults(catalogOptions, table.getOptions());
        checkOptions(path, effectiveOptions);
        types.checkFileFormats(table, effectiveOptions);
        Map<String, String> options = new HashMap<>(table.getOptions());
        options.putIfAbsent(
                LakeTableDefinition.OPTION_PREFIX + LakeTableDefinition.TABLE_ID,
                UUID.randomUUID().toString());
        options.putIfAbsent(CoreOptions.PARTITION_GENERATE_LEGACY_NAME.key(), "false");
        addBuckets(options, table.getPartitionKeys(), primaryKey, bucketKeys, bucketCount);
        try {
            flinkCatalog.createTable(path, table.copy(options), false);
        } catch (TableAlreadyExistException e) {
            throw new LakeException(
                    Reason.TABLE_ALREADY_EXISTS,
                    "table " + path.getFullName() + " exists already in the Paimon warehouse",
                    e);
        } catch (DatabaseNotExistException e) {
            throw new LakeException(
                    Reason.TABLE_NOT_FOUND,
                    "cannot create table "
                            + path.getFullName()
                            + ": database "
                            + path.getDatabaseName()
                            + " does not exist. Create it first.",
                    e);
        } catch (RuntimeException e) {
            // no cause: SQL clients show the innermost message alone
            LOG.info("Paimon refused to create table {}", path, e);
            throw new LakeException(
                    Reason.UNSUPPORTED,
                    "Paimon refused to create table " + path.getFullName() + ": " + rootMessage(e));
        }
    }

    /** Drops the table again after a failure; what fails here is added to the failure. */
    void undo(ObjectPath path, RuntimeException failure) {
        try {
            flinkCatalog.dropTable(path, true);
        } catch (TableNotExistException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private static void addBuckets(
            Map<String, String> options,
            List<String> partitionKeys,
            List<String> primaryKey,
            List<String> bucketKeys,
            int bucketCount) {
        if (bucketKeys.isEmpty()) {
            // Fixed buckets need a key in Paimon, so the lake holds these rows without buckets.
            options.remove(CoreOptions.BUCKET_KEY.key());
            options.put(CoreOptions.BUCKET.key(), String.valueOf(UNAWARE_BUCKETS));
            options.put(BUCKET_OPTION, String.valueOf(bucketCount));
            return;
        }
        options.put(CoreOptions.BUCKET.key(), String.valueOf(bucketCount));
        List<String> defaultKeys =
                primaryKey.stream().filter(key -> !partitionKeys.contains(key)).toList();
        if (bucketKeys.equals(defaultKeys)) {
            options.remove(CoreOptions.BUCKET_KEY.key());
        } else {
            options.put(CoreOptions.BUCKET_KEY.key(), String.join(",", bucketKeys));
        }
    }

    /** The options of a table on top of the catalog's defaults. */
    static Map<String, String> withDefaults(
            Options catalogOptions, Map<String, String> tableOptions) {
        Map<String, String> options = new HashMap<>();
        catalogOptions
                .toMap()
                .forEach(
                        (key, value) -> {
                            if (key.startsWith("table-default.")) {
                                options.put(key.substring("table-default.".length()), value);
                            }
                        });
        options.putAll(tableOptions);
        return options;
    }

    /** Refuses options that would change which rows the table shows. */
    static void checkOptions(ObjectPath path, Map<String, String> options) {
        FIXED_OPTIONS.forEach(
                (key, value) -> {
                    if (options.containsKey(key) && !options.get(key).equals(value)) {
                        throw refused(path, key, options.get(key), "must be '" + value + "'");
                    }
                });
        for (String key : REFUSED_OPTIONS) {
            if (options.containsKey(key)) {
                throw refused(path, key, options.get(key), "cannot be used");
            }
        }
        options.keySet().stream()
                .filter(key -> key.startsWith("fields.") && key.endsWith(".sequence-group"))
                .findFirst()
                .ifPresent(
                        key -> {
                            throw refused(path, key, options.get(key), "cannot be used");
                        });
    }

    private static LakeException refused(ObjectPath path, String key, String value, String rule) {
        return new LakeException(
                Reason.INVALID_OPTION,
                "option '"
                        + key
                        + "'='"
                        + value
                        + "' "
                        + rule
                        + " on the lake table of "
                        + path.getFullName()
                        + ": its rows arrive already merged by the hot tier. Remove the option, or the"
                        + " catalog option 'lake.table-default."
                        + key
                        + "'.");
    }

    private static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }
}
