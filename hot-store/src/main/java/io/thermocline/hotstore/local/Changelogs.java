package io.thermocline.hotstore.local;

import io.thermocline.hotstore.local.Manifest.BucketManifest;
import io.thermocline.hotstore.local.bucket.Bucket;
import io.thermocline.hotstore.local.bucket.TableBuckets;
import io.thermocline.hotstore.local.bucket.TableContext;
import io.thermocline.hotstore.local.file.SharedFile;
import io.thermocline.hotstore.local.file.StorageFiles;
import io.thermocline.hotstore.local.segment.GroupPlace;
import io.thermocline.hotstore.local.segment.Segment;
import io.thermocline.hotstore.local.segment.SegmentBuilder;
import io.thermocline.hotstore.local.segment.SegmentDescription;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The segments of a table: built from finished journal files, merged, trimmed. Changes come from
 * one thread at a time; {@link #start} may be called from any.
 */
final class Changelogs {

    /** A segment this large is not merged with its neighbours any more. */
    private static final long MAX_MERGED_BYTES = 128L << 20;

    private final TableContext context;
    private final TableBuckets buckets;
    private final StorageFiles files;
    private final List<List<Segment>> segments; // by bucket, in offset order; guarded by this
    private Manifest manifest; // guarded by this
    private volatile long[] starts;
    private long manifestRounds = -1; // guarded by this

    /**
     * @param context of the table
     * @param buckets of the table
     * @param files the disk
     * @param manifest as on disk
     * @param segments that it lists, by bucket
     */
    Changelogs(
            TableContext context,
            TableBuckets buckets,
            StorageFiles files,
            Manifest manifest,
            List<List<Segment>> segments) {
        this.context = context;
        this.buckets = buckets;
        this.files = files;
        this.manifest = manifest;
        this.segments = new ArrayList<>();
        segments.forEach(list -> this.segments.add(new ArrayList<>(list)));
        this.starts = starts(manifest);
    }

    private static long[] starts(Manifest manifest) {
        return manifest.buckets().stream().mapToLong(BucketManifest::startOffset).toArray();
    }

    /** First offset of a bucket that can be read. */
    long start(int bucket) {
        return starts[bucket];
    }

    /** Moves everything of this table that is in a finished journal file into segments. */
    synchronized void absorb(SharedFile journalFile) throws IOException {
        long rounds = buckets.publishedRounds();
        if (rounds == manifestRounds && !hasGroupsIn(journalFile)) {
            return; // Neither records nor writers to move.
        }
        List<BucketManifest> next = new ArrayList<>();
        List<Segment> created = new ArrayList<>();
        List<List<Segment>> replaced = new ArrayList<>();
        try {
            for (Bucket bucket : buckets.buckets()) {
                BucketManifest old = manifest.buckets().get(bucket.number());
                List<Segment> merged = new ArrayList<>();
                Segment segment = build(bucket, old, journalFile, merged);
                created.add(segment);
                replaced.add(merged);
                next.add(after(bucket, old, segment, merged.size()));
            }
            Manifest written = new Manifest(next);
            written.write(context.directory(), files);
            manifest = written;
            manifestRounds = rounds;
        } catch (IOException | RuntimeException e) {
            for (Segment segment : created) {
                if (segment != null) {
                    // Not deleted: whether the new manifest is on disk is not known. What no
                    // manifest
                    // lists is removed at the next start.
                    segment.file().release();
                }
            }
            throw e;
        }
        for (Bucket bucket : buckets.buckets()) {
            install(bucket, created.get(bucket.number()), replaced.get(bucket.number()));
        }
    }

    private boolean hasGroupsIn(SharedFile journalFile) {
        for (Bucket bucket : buckets.buckets()) {
            long end = manifest.buckets().get(bucket.number()).endOffset();
            GroupPlace next = bucket.groups().find(end);
            if (next != null && next.file() == journalFile) {
                return true;
            }
        }
        return false;
    }

    private Segment build(
            Bucket bucket, BucketManifest old, SharedFile journalFile, List<Segment> merged)
            throws IOException {
        List<GroupPlace> groups = new ArrayList<>();
        long offset = old.endOffset();
        GroupPlace group = bucket.groups().find(offset);
        while (group != null && group.file() == journalFile) {
            groups.add(group);
            group = bucket.groups().find(group.endOffset());
        }
        if (groups.isEmpty()) {
            return null;
        }
        long bytes = 0;
        for (GroupPlace each : groups) {
            bytes += each.length();
        }
        List<Segment> present = segments.get(bucket.number());
        // Only neighbours that are not much larger: every record is rewritten a few times at most.
        for (int i = present.size() - 1; i >= 0; i--) {
            long size = present.get(i).description().sizeBytes();
            if (size > 2 * bytes || size + bytes > MAX_MERGED_BYTES) {
                break;
            }
            merged.add(0, present.get(i));
            groups.addAll(0, present.get(i).groups());
            bytes += size;
        }
        return new SegmentBuilder(context.spec(), bucket.number(), context.allocator())
                .build(groups, directory(bucket.number()), files);
    }

    private BucketManifest after(
            Bucket bucket, BucketManifest old, Segment segment, int mergedCount) {
        if (segment == null) {
            return new BucketManifest(
                    old.startOffset(),
                    old.endOffset(),
                    old.lastCommitTimestamp(),
                    old.segments(),
                    bucket.writerStates());
        }
        List<SegmentDescription> list =
                new ArrayList<>(old.segments().subList(0, old.segments().size() - mergedCount));
        list.add(segment.description());
        return new BucketManifest(
                old.startOffset(),
                segment.description().endOffset(),
                segment.description().maxTimestamp(),
                list,
                bucket.writerStates());
    }

    private void install(Bucket bucket, Segment segment, List<Segment> merged) {
        if (segment == null) {
            return;
        }
        bucket.groups().replace(segment.groups());
        List<Segment> list = segments.get(bucket.number());
        list.removeAll(merged);
        list.add(segment);
        merged.forEach(Segment::delete);
    }

    /** Whether a bucket's first segment is old enough to go. */
    synchronized boolean hasExpired(int bucket, long oldestKept) {
        List<Segment> list = segments.get(bucket);
        return !list.isEmpty() && list.get(0).description().maxTimestamp() < oldestKept;
    }

    /** Offset after a bucket's first segment; {@link Long#MAX_VALUE} if there is none. */
    synchronized long firstSegmentEnd(int bucket) {
        List<Segment> list = segments.get(bucket);
        return list.isEmpty() ? Long.MAX_VALUE : list.get(0).description().endOffset();
    }

    /**
     * Deletes whole segments from the start of each bucket.
     *
     * @param limits by bucket: nothing at or above goes
     * @param oldestKept nothing with this commit timestamp or a later one goes
     */
    synchronized void trim(long[] limits, long oldestKept) throws IOException {
        List<BucketManifest> next = new ArrayList<>();
        List<Integer> counts = new ArrayList<>();
        boolean changed = false;
        for (BucketManifest old : manifest.buckets()) {
            int count = 0;
            long start = old.startOffset();
            for (SegmentDescription segment : old.segments()) {
                if (segment.endOffset() > limits[next.size()]
                        || segment.maxTimestamp() >= oldestKept) {
                    break;
                }
                start = segment.endOffset();
                count++;
            }
            changed |= count > 0;
            counts.add(count);
            next.add(
                    new BucketManifest(
                            start,
                            old.endOffset(),
                            old.lastCommitTimestamp(),
                            old.segments().subList(count, old.segments().size()),
                            old.writers()));
        }
        if (!changed) {
            return;
        }
        Manifest written = new Manifest(next);
        written.write(context.directory(), files);
        manifest = written;
        starts = starts(written);
        for (int bucket = 0; bucket < counts.size(); bucket++) {
            List<Segment> gone = segments.get(bucket).subList(0, counts.get(bucket));
            buckets.bucket(bucket).groups().trim(starts[bucket]);
            gone.forEach(Segment::delete);
            gone.clear();
        }
    }

    private Path directory(int bucket) {
        return context.bucketDirectory(bucket).resolve("changelog");
    }

    /** Gives the files back. */
    synchronized void close() {
        segments.forEach(list -> list.forEach(segment -> segment.file().release()));
        segments.forEach(List::clear);
    }
}
