package io.thermocline.catalog;

import io.thermocline.catalog.option.TableOptionRules;
import io.thermocline.catalog.option.TableOptions;
import io.thermocline.lake.LakeTableDefinition;
import io.thermocline.unionread.attach.TableAttachment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.TableChange;

/**
 * {@code ALTER TABLE … SET ('hot.enabled' = …)}.
 *
 * @param path the table
 * @param enabled whether it is to have a hot tier
 * @param hotOptions hot-tier options that are set with it
 */
record HotTierChange(ObjectPath path, boolean enabled, Map<String, String> hotOptions) {

    private static final String KEY = TableOptions.HOT_ENABLED.key();

    /** Whether changes of a table are about its hot tier. */
    static boolean isIn(List<TableChange> changes) {
        return changes.stream()
                .anyMatch(
                        change ->
                                change instanceof TableChange.SetOption set
                                        && set.getKey().equals(KEY));
    }

    /**
     * Reads and checks the changes.
     *
     * @throws ValidationException if they are not possible together
     */
    static HotTierChange of(ObjectPath path, List<TableChange> changes, TableOptionRules rules) {
        Map<String, String> options = new TreeMap<>();
        for (TableChange change : changes) {
            if (!(change instanceof TableChange.SetOption set)) {
                throw new ValidationException(
                        "'hot.enabled' of table %s cannot be set together with other changes than options"
                                .formatted(path.getFullName()));
            }
            options.put(set.getKey(), set.getValue());
        }
        boolean enabled = TableCreation.hotEnabled(path, options);
        options.remove(KEY);
        if (!enabled && !options.isEmpty()) {
            throw new ValidationException(
                    "options %s of table %s cannot be set by the statement that takes its hot tier away"
                            .formatted(options.keySet(), path.getFullName()));
        }
        return new HotTierChange(path, enabled, rules.checkWithHotTier(path, options));
    }

    /**
     * Makes the change.
     *
     * @param definition of the table now
     * @param table as the lake's catalog shows it
     */
    void run(LakeTableDefinition definition, CatalogTable table, TableAttachment attachment) {
        if (!enabled) {
            attachment.detach(path);
            return;
        }
        if (definition.tableId().isPresent() && !isSet(definition)) {
            throw new ValidationException(
                    "table %s has a hot tier already. Set %s by a statement without 'hot.enabled'."
                            .formatted(path.getFullName(), hotOptions.keySet()));
        }
        TableOptionRules.checkPrimaryKey(path, hotOptions, !definition.primaryKey().isEmpty());
        checkDefinition(definition, table);
        attachment.attach(path, hotOptions);
    }

    /** Whether an earlier statement, which may have been cut off, has set the options. */
    private boolean isSet(LakeTableDefinition definition) {
        Map<String, String> present = new HashMap<>(definition.hotOptions());
        present.put(TableOptions.BUCKET.key(), String.valueOf(definition.bucketCount()));
        return present.entrySet().containsAll(hotOptions.entrySet());
    }

    private void checkDefinition(LakeTableDefinition definition, CatalogTable table) {
        for (Schema.UnresolvedColumn column : table.getUnresolvedSchema().getColumns()) {
            if (column instanceof Schema.UnresolvedMetadataColumn) {
                throw refused(
                        "column '"
                                + column.getName()
                                + "' is a metadata column, and a hot tier has no metadata to read");
            }
        }
        if (!definition.primaryKey().isEmpty()) {
            for (String column : definition.partitionKeys()) {
                if (!definition.primaryKey().contains(column)) {
                    throw refused(
                            "partition column '%s' is not part of the primary key %s, so that a row that changes its partition would be there twice"
                                    .formatted(column, definition.primaryKey()));
                }
            }
            if (definition.primaryKey().size() == definition.partitionKeys().size()) {
                throw refused(
                        "the primary key %s has only partition columns"
                                .formatted(definition.primaryKey()));
            }
        }
        boolean placed = !definition.bucketKeys().isEmpty() || !definition.primaryKey().isEmpty();
        if (placed && hotOptions.containsKey(TableOptions.BUCKET.key())) {
            throw refused("its number of buckets is that of the lake, and 'bucket' cannot be set");
        }
        if (definition.bucketCount() > TableOptions.MAX_BUCKETS) {
            throw refused(
                    "it has %d buckets, more than %d"
                            .formatted(definition.bucketCount(), TableOptions.MAX_BUCKETS));
        }
    }

    private ValidationException refused(String why) {
        return new ValidationException(
                "table %s cannot get a hot tier: %s.".formatted(path.getFullName(), why));
    }
}
