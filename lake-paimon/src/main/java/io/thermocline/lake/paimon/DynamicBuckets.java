package io.thermocline.lake.paimon;

import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.index.HashBucketAssigner;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.PartitionKeyExtractor;
import org.apache.paimon.table.sink.RowPartitionKeyExtractor;

/**
 * Buckets of a table whose keys Paimon's index places: a key that is there stays in its bucket, a
 * new one comes where there is room. Right for one writer at a time, from the newest snapshot on; a
 * commit of another program that changed rows meanwhile has to refuse what was placed.
 */
final class DynamicBuckets {

    private final PartitionKeyExtractor<InternalRow> keys;
    private final HashBucketAssigner assigner;

    DynamicBuckets(FileStoreTable table, String commitUser) {
        CoreOptions options = table.coreOptions();
        this.keys = new RowPartitionKeyExtractor(table.schema());
        this.assigner =
                new HashBucketAssigner(
                        table.snapshotManager(),
                        commitUser,
                        table.store().newIndexFileHandler(),
                        1,
                        1,
                        0,
                        options.dynamicBucketTargetRowNum(),
                        options.dynamicBucketMaxBuckets());
    }

    int bucket(InternalRow row) {
        return assigner.assign(keys.partition(row), keys.trimmedPrimaryKey(row).hashCode());
    }
}
