package io.thermocline.unionread;

import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.LakeTableDefinition;
import java.io.Serializable;

/**
 * One logical table: both tiers of it, as source, sink and lookup functions need them.
 * Serializable, travels in job graphs.
 *
 * @param spec the hot tier's view of the definition
 * @param lake the lake table
 * @param store how to reach the hot store
 */
public record LogicalTable(HotTableSpec spec, LakeTable lake, HotStoreProvider store)
        implements Serializable {

    /** The hot tier's view of a lake table that has one. */
    public static HotTableSpec specOf(LakeTableDefinition definition) {
        return new HotTableSpec(
                definition.path(),
                definition
                        .tableId()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "table "
                                                        + definition.path()
                                                        + " has no hot tier: option thermocline.table-id"
                                                        + " is not set")),
                definition.schemaVersion(),
                definition.rowType(),
                definition.primaryKey(),
                definition.partitionKeys(),
                definition.bucketKeys(),
                definition.bucketCount(),
                definition.hotOptions());
    }
}
