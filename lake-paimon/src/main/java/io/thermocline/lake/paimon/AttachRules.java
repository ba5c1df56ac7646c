package io.thermocline.lake.paimon;

import io.thermocline.lake.LakeException;
import io.thermocline.lake.LakeException.Reason;
import io.thermocline.lake.LakeTableDefinition;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.options.ConfigOption;
import org.apache.paimon.options.Options;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;

/** What a Paimon table that exists must be like to get a hot tier. */
final class AttachRules {

    /** Options that say how partitions are named, which tiering leaves to Paimon. */
    private static final Set<String> HARMLESS =
            Set.of(
                    CoreOptions.PARTITION_GENERATE_LEGACY_NAME.key(),
                    CoreOptions.PARTITION_DEFAULT_NAME.key(),
                    CoreOptions.PATH.key());

    private final ObjectPath path;
    private final FileStoreTable table;
    private final Options catalogOptions;

    AttachRules(ObjectPath path, FileStoreTable table, Options catalogOptions) {
        this.path = path;
        this.table = table;
        this.catalogOptions = catalogOptions;
    }

    void check() {
        Map<String, String> options = new HashMap<>(table.schema().options());
        options.keySet().removeIf(key -> key.startsWith(LakeTableDefinition.OPTION_PREFIX));
        TableCreation.checkOptions(path, TableCreation.withDefaults(catalogOptions, options));
        options.forEach(this::checkOption);
        checkBuckets();
        ColumnTypes.toAttach(path).checkExisting(new PaimonLakeTable(path, table).definition());
        for (DataField field : table.schema().fields()) {
            if (field.defaultValue() != null) {
                throw refused(
                        "column '"
                                + field.name()
                                + "' has a default value, which rows that are written through a hot"
                                + " tier would not get",
                        "Drop the default value");
            }
        }
    }

    private void checkOption(String key, String value) {
        boolean dynamic = table.bucketMode() == BucketMode.HASH_DYNAMIC;
        if (HARMLESS.contains(key)
                || (dynamic && key.startsWith(OptionConflicts.DYNAMIC_BUCKET))
                || TableCreation.FIXED_OPTIONS.containsKey(key)
                || isDefault(key, value)) {
            return;
        }
        Optional<String> reason = OptionConflicts.reason(key);
        if (reason.isPresent()) {
            throw refused(
                    "its option '%s' = '%s' does not go with one: %s"
                            .formatted(key, value, reason.get()),
                    "ALTER TABLE … RESET ('%s') if the table can do without it".formatted(key));
        }
    }

    private static boolean isDefault(String key, String value) {
        for (ConfigOption<?> option : CoreOptions.getOptions()) {
            if (option.key().equals(key)) {
                return value.equalsIgnoreCase(String.valueOf(option.defaultValue()));
            }
        }
        return false;
    }

    private void checkBuckets() {
        if (table.bucketMode() == BucketMode.BUCKET_UNAWARE
                || table.bucketMode() == BucketMode.HASH_DYNAMIC) {
            return;
        }
        if (table.bucketMode() != BucketMode.HASH_FIXED) {
            throw refused(
                    "its buckets are of the kind %s ('bucket' = '%d'), in which no writer can tell where"
                                    .formatted(table.bucketMode(), table.coreOptions().bucket())
                            + " a key is",
                    "Rescale it to fixed buckets: ALTER TABLE … SET ('bucket'='n') and INSERT OVERWRITE,"
                            + " or copy its rows to a new table with 'bucket'='n'");
        }
        int buckets = table.coreOptions().bucket();
        for (ManifestEntry entry : table.store().newScan().plan().files()) {
            if (entry.totalBuckets() != buckets) {
                throw refused(
                        "partition %s has %d buckets, the table has %d: the bucket of a key must be the"
                                        .formatted(
                                                table.store()
                                                        .pathFactory()
                                                        .getPartitionString(entry.partition()),
                                                entry.totalBuckets(),
                                                buckets)
                                + " same everywhere",
                        "Rewrite the partition with INSERT OVERWRITE");
            }
        }
    }

    private LakeException refused(String why, String wayOut) {
        return new LakeException(
                Reason.UNSUPPORTED,
                "table "
                        + path.getFullName()
                        + " cannot get a hot tier: "
                        + why
                        + ". "
                        + wayOut
                        + ".");
    }
}
