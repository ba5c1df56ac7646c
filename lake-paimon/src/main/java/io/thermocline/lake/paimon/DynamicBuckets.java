package io.thermocline.lake.paimon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.index.PartitionIndex;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.PartitionKeyExtractor;
import org.apache.paimon.table.sink.RowPartitionKeyExtractor;
import org.jspecify.annotations.Nullable;

/**
 * Buckets of a table whose keys Paimon's index places: a key that is there stays in its bucket, a
 * new one comes where there is room. Right from the newest snapshot on; a commit of another program
 * that changes rows meanwhile has to refuse what was placed.
 *
 * <p>Such a table is made for one writer at a time. A program that began before a round and commits
 * after it does not know the keys of the round: it may put them into another bucket, and writes
 * indexes without them. {@link BucketIndexes} finds such keys. The next round, which writes all of
 * them again, deletes them where they do not belong and puts the indexes right.
 */
final class DynamicBuckets {

    private final FileStoreTable table;
    private final PartitionKeyExtractor<InternalRow> keys;
    private final BucketIndexes indexes;
    private final Map<BinaryRow, Partition> partitions = new HashMap<>();

    /** Keys of a partition, and what is wrong about them. */
    private static final class Partition {

        private final PartitionIndex index;
        private final BucketIndexes.Corrections corrections;
        private int lastBucket;

        private Partition(PartitionIndex index, BucketIndexes.Corrections corrections) {
            this.index = index;
            this.corrections = corrections;
            this.lastBucket = index.totalBucketSet.stream().mapToInt(b -> b).max().orElse(-1);
            corrections.places().forEach(index.hash2Bucket::put);
        }

        private int bucket(int hash, int maxBuckets) {
            int bucket = index.assign(hash, any -> true, maxBuckets, lastBucket);
            lastBucket = Math.max(lastBucket, bucket);
            return bucket;
        }
    }

    DynamicBuckets(ObjectPath path, FileStoreTable table) {
        this.table = table;
        this.keys = new RowPartitionKeyExtractor(table.schema());
        Snapshots snapshots = new Snapshots(path, table);
        Snapshot newest = snapshots.latest().orElse(null);
        Snapshot tiered =
                newest == null
                        ? null
                        : snapshots
                                .tieredAtOrBelow(newest.id())
                                .map(Snapshots.Tiered::snapshot)
                                .orElse(newest);
        this.indexes = new BucketIndexes(table, snapshots, tiered, newest);
        indexes.changedPartitions().forEach(this::partition);
    }

    /** The bucket of a row. */
    int bucket(InternalRow row) {
        return partition(keys.partition(row))
                .bucket(hash(row), table.coreOptions().dynamicBucketMaxBuckets());
    }

    /** Buckets in which the row's key may be, too, and has to be deleted. */
    Set<Integer> otherBuckets(InternalRow row) {
        return partition(keys.partition(row)).corrections.elsewhere(hash(row));
    }

    private int hash(InternalRow row) {
        return keys.trimmedPrimaryKey(row).hashCode();
    }

    private Partition partition(BinaryRow partition) {
        Partition known = partitions.get(partition);
        if (known == null) {
            CoreOptions options = table.coreOptions();
            BinaryRow copy = partition.copy();
            PartitionIndex index =
                    PartitionIndex.loadIndex(
                            indexes.handler(),
                            copy,
                            options.dynamicBucketTargetRowNum(),
                            hash -> true,
                            bucket -> true);
            known = new Partition(index, indexes.corrections(copy));
            partitions.put(copy, known);
        }
        return known;
    }

    private record Place(BinaryRow partition, int bucket) {}

    /** What a round has written, with indexes that have each key once. */
    List<CommitMessage> corrected(List<CommitMessage> written) {
        Map<Place, CommitMessage> messages = new LinkedHashMap<>();
        for (CommitMessage message : written) {
            messages.put(new Place(message.partition(), message.bucket()), message);
        }
        partitions.forEach(
                (partition, known) ->
                        known.corrections
                                .buckets()
                                .forEach(
                                        bucket ->
                                                messages.compute(
                                                        new Place(partition, bucket),
                                                        (place, message) ->
                                                                corrected(place, message))));
        return new ArrayList<>(messages.values());
    }

    private CommitMessage corrected(Place place, @Nullable CommitMessage message) {
        CommitMessageImpl written =
                message == null
                        ? new CommitMessageImpl(
                                place.partition(),
                                place.bucket(),
                                table.coreOptions().bucket(),
                                DataIncrement.emptyIncrement(),
                                CompactIncrement.emptyIncrement())
                        : (CommitMessageImpl) message;
        DataIncrement data = written.newFilesIncrement();
        IndexFileMeta index =
                indexes.corrected(
                        place.partition(),
                        place.bucket(),
                        data.newIndexFiles(),
                        partitions.get(place.partition()).corrections);
        return new CommitMessageImpl(
                place.partition(),
                place.bucket(),
                written.totalBuckets(),
                new DataIncrement(
                        data.newFiles(),
                        data.deletedFiles(),
                        data.changelogFiles(),
                        List.of(index),
                        data.deletedIndexFiles()),
                written.compactIncrement());
    }
}
