package io.thermocline.hotstore;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.types.logical.RowType;

/**
 * A table as the hot tier sees it. Derived from the lake table's definition, never edited by
 * itself.
 *
 * @param path database and table name at the time of opening (a rename does not change the table)
 * @param tableId UUID written at CREATE TABLE
 * @param schemaVersion version of {@code rowType}; 0 is the version at CREATE TABLE
 * @param rowType physical columns in table order
 * @param primaryKey names of the primary-key columns in key order; empty for a log table
 * @param partitionKeys names of the partition columns; a subset of the primary key, if there is one
 * @param bucketKeys names of the bucket-key columns; empty only for log tables without one
 * @param bucketCount number of buckets, at least 1
 * @param options the table's hot-tier options (keys without the {@code thermocline.} prefix)
 */
public record HotTableSpec(
        ObjectPath path,
        String tableId,
        int schemaVersion,
        RowType rowType,
        List<String> primaryKey,
        List<String> partitionKeys,
        List<String> bucketKeys,
        int bucketCount,
        Map<String, String> options)
        implements Serializable {

    public HotTableSpec {
        primaryKey = List.copyOf(primaryKey);
        partitionKeys = List.copyOf(partitionKeys);
        bucketKeys = List.copyOf(bucketKeys);
        options = Map.copyOf(options);
    }

    /** Option with the state of the table's way to or from having a hot tier. */
    public static final String ATTACHMENT_STATE = "attachment.state";

    /** Option that counts the changes of that state. */
    public static final String ATTACHMENT_EPOCH = "attachment.epoch";

    private static final String ATTACHED_SINCE = "attachment.since-millis";
    private static final String ATTACHING = "attaching";
    private static final String DRAINING = "draining";

    /** Whether rows of the lake are still being taken over: nothing is tiered before that. */
    public boolean isAttaching() {
        return ATTACHING.equals(options.get(ATTACHMENT_STATE));
    }

    /** Whether the hot tier is being taken away: no more rows are accepted. */
    public boolean isDraining() {
        return DRAINING.equals(options.get(ATTACHMENT_STATE));
    }

    /**
     * How often the table has changed its state on the way to or from having a hot tier: of two
     * definitions that differ in it, the one with more is the newer one.
     */
    public long attachmentEpoch() {
        return Long.parseLong(options.getOrDefault(ATTACHMENT_EPOCH, "0"));
    }

    /**
     * When a table that existed before got its hot tier, milliseconds since the epoch: its
     * changelog tells nothing of changes before that. -1 if it always had it.
     */
    public long attachedSinceMillis() {
        return Long.parseLong(options.getOrDefault(ATTACHED_SINCE, "-1"));
    }

    /** Whether the table has a primary key; else it is a log table. */
    public boolean hasPrimaryKey() {
        return !primaryKey.isEmpty();
    }
}
