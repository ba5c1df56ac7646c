package io.thermocline.lake;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.RowType;

/**
 * What a lake table says about itself.
 *
 * @param path database and table name
 * @param schemaVersion the lake's version of the schema
 * @param rowType physical columns with the types as declared in Flink (where the lake stores a
 *     wider type, the declared one)
 * @param primaryKey primary-key columns; empty for a log table
 * @param partitionKeys identity partition columns
 * @param bucketKeys bucket-key columns; empty on log tables without one
 * @param bucketCount number of buckets
 * @param hotOptions options under {@link #OPTION_PREFIX}, without the prefix
 */
public record LakeTableDefinition(
        ObjectPath path,
        int schemaVersion,
        RowType rowType,
        List<String> primaryKey,
        List<String> partitionKeys,
        List<String> bucketKeys,
        int bucketCount,
        Map<String, String> hotOptions)
        implements Serializable {

    /** Prefix of our options in the lake table's options; the lake ignores them. */
    public static final String OPTION_PREFIX = "thermocline.";

    /** Key (without prefix) of the table id, written at CREATE TABLE or attach. */
    public static final String TABLE_ID = "table-id";

    public LakeTableDefinition {
        primaryKey = List.copyOf(primaryKey);
        partitionKeys = List.copyOf(partitionKeys);
        bucketKeys = List.copyOf(bucketKeys);
        hotOptions = Map.copyOf(hotOptions);
    }

    /** Where the table is on its way to or from having a hot tier. */
    public Attachment attachment() {
        return Attachment.of(hotOptions);
    }

    /**
     * The definition that a table will have once it is attached; empty if it is not being attached.
     */
    public Optional<LakeTableDefinition> whileAttaching() {
        Attachment attachment = attachment();
        if (attachment.state() != Attachment.State.ATTACHING) {
            return Optional.empty();
        }
        Map<String, String> options = new HashMap<>(hotOptions);
        options.put(TABLE_ID, attachment.tableId());
        return Optional.of(
                new LakeTableDefinition(
                        path,
                        schemaVersion,
                        rowType,
                        primaryKey,
                        partitionKeys,
                        bucketKeys,
                        bucketCount,
                        options));
    }

    /** The table id; empty for a plain lake table, which has no hot tier. */
    public Optional<String> tableId() {
        return Optional.ofNullable(hotOptions.get(TABLE_ID));
    }

    /** Whether the options of a lake table, with our prefix, are those of one with a hot tier. */
    public static boolean hasTableId(Map<String, String> lakeOptions) {
        return lakeOptions.containsKey(OPTION_PREFIX + TABLE_ID);
    }
}
