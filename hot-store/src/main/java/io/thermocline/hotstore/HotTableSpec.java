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

    /** Whether the table has a primary key; else it is a log table. */
    public boolean hasPrimaryKey() {
        return !primaryKey.isEmpty();
    }
}
