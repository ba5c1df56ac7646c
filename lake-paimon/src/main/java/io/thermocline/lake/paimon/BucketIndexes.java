package io.thermocline.lake.paimon;

import static org.apache.paimon.index.HashIndexFile.HASH_INDEX;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.ScanMode;
import org.apache.paimon.utils.IntIterator;
import org.jspecify.annotations.Nullable;

/**
 * Paimon's indexes of a table with dynamic buckets: the hashes of the keys that each bucket has. In
 * tiering's newest snapshot a hash is in one bucket; what is not so any more in the newest one of
 * all, programs have done that did not know of each other.
 */
final class BucketIndexes {

    private final FileStoreTable table;
    private final IndexFileHandler handler;
    private final Map<BinaryRow, Map<Integer, IndexFileMeta>> before = new HashMap<>();
    private final Map<BinaryRow, Map<Integer, IndexFileMeta>> now;
    private final boolean othersMayHaveWritten;

    /**
     * @param tiered tiering's newest snapshot
     * @param newest the newest one
     */
    BucketIndexes(FileStoreTable table, Snapshots snapshots, Snapshot tiered, Snapshot newest) {
        this.table = table;
        this.handler = table.store().newIndexFileHandler();
        this.now = read(newest);
        this.othersMayHaveWritten = tiered.id() < newest.id();
        if (othersMayHaveWritten) {
            before.putAll(read(tiered));
            for (long id = tiered.id() + 1; id <= newest.id(); id++) {
                snapshots.find(id).ifPresent(this::noteOverwriting);
            }
        }
    }

    /** A partition that was written anew is from there on what it was made then. */
    private void noteOverwriting(Snapshot snapshot) {
        if (snapshot.commitKind() != Snapshot.CommitKind.OVERWRITE) {
            return;
        }
        Map<BinaryRow, Map<Integer, IndexFileMeta>> made = read(snapshot);
        for (ManifestEntry entry :
                table.store()
                        .newScan()
                        .withSnapshot(snapshot)
                        .withKind(ScanMode.DELTA)
                        .plan()
                        .files(FileKind.DELETE)) {
            before.put(entry.partition(), made.getOrDefault(entry.partition(), Map.of()));
        }
    }

    private Map<BinaryRow, Map<Integer, IndexFileMeta>> read(Snapshot snapshot) {
        Map<BinaryRow, Map<Integer, IndexFileMeta>> files = new HashMap<>();
        for (IndexManifestEntry entry : handler.scan(snapshot, HASH_INDEX)) {
            files.computeIfAbsent(entry.partition(), partition -> new TreeMap<>())
                    .put(entry.bucket(), entry.indexFile());
        }
        return files;
    }

    IndexFileHandler handler() {
        return handler;
    }

    /** Partitions in which something may be wrong. */
    Set<BinaryRow> changedPartitions() {
        Set<BinaryRow> changed = new HashSet<>();
        if (othersMayHaveWritten) {
            changed.addAll(now.keySet());
            changed.removeIf(partition -> now.get(partition).equals(before.get(partition)));
        }
        return changed;
    }

    /** What has to be done about a partition. */
    static final class Corrections {

        private final Map<Integer, Short> places = new TreeMap<>();
        private final Map<Integer, Set<Integer>> elsewhere = new HashMap<>();
        private final Map<Integer, Set<Integer>> lost = new TreeMap<>();
        private final Map<Integer, Set<Integer>> misplaced = new TreeMap<>();

        /**
         * @param own where tiering has left it
         * @param found where it is now
         */
        private void add(int hash, @Nullable Integer own, Set<Integer> found) {
            if (own == null ? found.size() == 1 : found.equals(Set.of(own))) {
                return;
            }
            // keys elsewhere are new since then, so that the round writes them in any case
            int bucket = own == null ? found.iterator().next() : own;
            places.put(hash, (short) bucket);
            Set<Integer> others = new TreeSet<>(found);
            if (!others.remove(bucket)) {
                lost.computeIfAbsent(bucket, b -> new HashSet<>()).add(hash);
            }
            if (!others.isEmpty()) {
                elsewhere.put(hash, others);
                others.forEach(
                        other -> misplaced.computeIfAbsent(other, b -> new HashSet<>()).add(hash));
            }
        }

        /** The buckets of hashes that the indexes do not say or say twice. */
        Map<Integer, Short> places() {
            return places;
        }

        /** Buckets in which keys with a hash may be, too. */
        Set<Integer> elsewhere(int hash) {
            return elsewhere.getOrDefault(hash, Set.of());
        }

        /** Buckets whose index has to be written anew. */
        Set<Integer> buckets() {
            Set<Integer> buckets = new TreeSet<>(lost.keySet());
            buckets.addAll(misplaced.keySet());
            return buckets;
        }

        /** Corrects the hashes of a bucket. */
        void apply(int bucket, Set<Integer> hashes) {
            hashes.addAll(lost.getOrDefault(bucket, Set.of()));
            hashes.removeAll(misplaced.getOrDefault(bucket, Set.of()));
        }
    }

    /** What has to be done about a partition; nothing where no other program has written. */
    Corrections corrections(BinaryRow partition) {
        Corrections corrections = new Corrections();
        if (!changedPartitions().contains(partition)) {
            return corrections;
        }
        Map<Integer, IndexFileMeta> present = now.get(partition);
        long[] left = places(partition, before.getOrDefault(partition, Map.of()));
        long[] found = places(partition, present);
        int l = 0;
        int f = 0;
        while (l < left.length || f < found.length) {
            int hash =
                    f == found.length || (l < left.length && hash(left[l]) < hash(found[f]))
                            ? hash(left[l])
                            : hash(found[f]);
            Integer own = null;
            for (; l < left.length && hash(left[l]) == hash; l++) {
                // a bucket without an index has lost all its keys
                own = present.containsKey(bucket(left[l])) ? bucket(left[l]) : own;
            }
            Set<Integer> buckets = new TreeSet<>();
            for (; f < found.length && hash(found[f]) == hash; f++) {
                buckets.add(bucket(found[f]));
            }
            corrections.add(hash, own, buckets);
        }
        return corrections;
    }

    /** Hashes and their buckets, ordered. */
    private long[] places(BinaryRow partition, Map<Integer, IndexFileMeta> files) {
        LongStream places =
                files.entrySet().stream()
                        .flatMapToLong(
                                file ->
                                        IntStream.of(
                                                        hashes(
                                                                partition,
                                                                file.getKey(),
                                                                file.getValue()))
                                                .mapToLong(
                                                        hash -> (long) hash << 32 | file.getKey()));
        return places.sorted().toArray();
    }

    private static int hash(long place) {
        return (int) (place >> 32);
    }

    private static int bucket(long place) {
        return (int) place;
    }

    private int[] hashes(BinaryRow partition, int bucket, IndexFileMeta file) {
        int[] hashes = new int[Math.toIntExact(file.rowCount())];
        try (IntIterator iterator = handler.hashIndex(partition, bucket).read(file)) {
            for (int i = 0; i < hashes.length; i++) {
                hashes[i] = iterator.next();
            }
            return hashes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The index of a bucket as a round has written it, or as it is, corrected. */
    IndexFileMeta corrected(
            BinaryRow partition, int bucket, List<IndexFileMeta> written, Corrections corrections) {
        IndexFileMeta present = now.get(partition).get(bucket);
        List<IndexFileMeta> files = written.isEmpty() ? List.of(present) : written;
        Set<Integer> hashes = new TreeSet<>();
        for (IndexFileMeta file : files) {
            IntStream.of(hashes(partition, bucket, file)).forEach(hashes::add);
        }
        corrections.apply(bucket, hashes);
        try {
            IndexFileMeta corrected =
                    handler.hashIndex(partition, bucket)
                            .write(hashes.stream().mapToInt(hash -> hash).toArray());
            written.forEach(file -> delete(handler, partition, bucket, file));
            return corrected;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes an index that no snapshot refers to. */
    static void delete(
            IndexFileHandler handler, BinaryRow partition, int bucket, IndexFileMeta file) {
        handler.deleteIndexFile(new IndexManifestEntry(FileKind.ADD, partition, bucket, file));
    }
}
