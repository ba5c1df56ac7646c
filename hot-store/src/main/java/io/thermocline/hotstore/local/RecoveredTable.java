package io.thermocline.hotstore.local;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.format.FrameGroupHeader;
import io.thermocline.hotstore.format.GroupOrigin;
import io.thermocline.hotstore.local.Manifest.BucketManifest;
import io.thermocline.hotstore.local.bucket.Bucket;
import io.thermocline.hotstore.local.bucket.TableBuckets;
import io.thermocline.hotstore.local.bucket.TableContext;
import io.thermocline.hotstore.local.bucket.TableEnds;
import io.thermocline.hotstore.local.journal.Journal;
import io.thermocline.hotstore.local.journal.JournalPlace;
import io.thermocline.hotstore.local.segment.GroupPlace;
import io.thermocline.hotstore.local.segment.Segment;
import io.thermocline.hotstore.local.segment.SegmentDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** A table while the store is being opened: what its directory and the journal say. */
final class RecoveredTable {

    private final TableFile definition;
    private final Path directory;
    private final Manifest manifest;
    private final List<List<Segment>> segments = new ArrayList<>();
    private final List<List<GroupPlace>> journalGroups = new ArrayList<>();
    private final List<Batch> batches = new ArrayList<>();
    private final long[] ends;
    private long lastCommitTimestamp = -1;

    private record Batch(int bucket, WriterEpoch writer, long sequence, AppendResult result) {}

    private RecoveredTable(TableFile definition, Path directory, Manifest manifest) {
        this.definition = definition;
        this.directory = directory;
        this.manifest = manifest;
        this.ends = new long[definition.spec().bucketCount()];
    }

    /**
     * Reads the directory of a table, and removes what its manifest does not list.
     *
     * @throws HotStoreException {@code CORRUPT_CHANGELOG}, {@code UNSUPPORTED_FORMAT_VERSION}
     */
    static RecoveredTable read(Path directory) throws IOException {
        TableFile definition = TableFile.read(directory);
        Manifest manifest = Manifest.read(directory, definition.spec().bucketCount());
        RecoveredTable table = new RecoveredTable(definition, directory, manifest);
        try {
            for (int bucket = 0; bucket < table.ends.length; bucket++) {
                table.readBucket(bucket);
            }
            return table;
        } catch (IOException | RuntimeException e) {
            table.close();
            throw e;
        }
    }

    private void readBucket(int bucket) throws IOException {
        BucketManifest bucketManifest = manifest.buckets().get(bucket);
        Path changelog = TableContext.bucketDirectory(directory, bucket).resolve("changelog");
        List<Segment> opened = new ArrayList<>();
        segments.add(opened);
        journalGroups.add(new ArrayList<>());
        Set<String> listed = new HashSet<>();
        for (SegmentDescription description : bucketManifest.segments()) {
            opened.add(
                    Segment.open(
                            changelog,
                            description,
                            UUID.fromString(definition.spec().tableId()),
                            bucket));
            listed.add(description.name());
        }
        if (Files.isDirectory(changelog)) {
            List<Path> orphans;
            try (Stream<Path> listing = Files.list(changelog)) {
                orphans =
                        listing.filter(path -> !listed.contains(path.getFileName().toString()))
                                .toList();
            }
            for (Path orphan : orphans) {
                Files.delete(orphan);
            }
        }
        ends[bucket] = bucketManifest.endOffset();
        lastCommitTimestamp = Math.max(lastCommitTimestamp, bucketManifest.lastCommitTimestamp());
    }

    TableFile definition() {
        return definition;
    }

    Path directory() {
        return directory;
    }

    Manifest manifest() {
        return manifest;
    }

    List<List<Segment>> segments() {
        return segments;
    }

    /** Whether an entry of the journal is of this table, not of an earlier one of the same id. */
    boolean owns(JournalPlace place) {
        return new Journal.Position(place.file().sequence(), place.position())
                        .compareTo(definition.createdAt())
                > 0; // The place is that of its payload, which may be empty.
    }

    /** Takes a frame group found in the journal. */
    void add(int bucket, FrameGroupHeader header, JournalPlace place) {
        if (bucket < 0 || bucket >= ends.length) {
            throw corrupt(bucket, header, place, "the table has " + ends.length + " buckets");
        }
        long end = header.baseOffset() + header.recordCount();
        lastCommitTimestamp = Math.max(lastCommitTimestamp, place.commitTimestamp());
        GroupOrigin.Writer writer = header.origin().writer();
        if (writer != null) {
            batches.add(
                    new Batch(
                            bucket,
                            new WriterEpoch(writer.id(), writer.epoch()),
                            writer.sequence(),
                            new AppendResult(header.baseOffset(), end, place.commitTimestamp())));
        }
        if (header.recordCount() == 0 || end <= ends[bucket]) {
            return; // No record, or in a segment already.
        }
        if (header.baseOffset() != ends[bucket]) {
            throw corrupt(bucket, header, place, "the next offset is " + ends[bucket]);
        }
        journalGroups
                .get(bucket)
                .add(
                        new GroupPlace(
                                header.baseOffset(),
                                header.recordCount(),
                                place.commitTimestamp(),
                                place.commitTimestamp(),
                                place.file().file(),
                                place.position(),
                                place.length()));
        ends[bucket] = end;
    }

    private HotStoreException corrupt(
            int bucket, FrameGroupHeader header, JournalPlace place, String what) {
        return new HotStoreException(
                ErrorCode.CORRUPT_CHANGELOG,
                "the changelog in "
                        + place.file().file().path()
                        + " is damaged at byte "
                        + place.position()
                        + ": a frame group of table "
                        + definition.spec().path()
                        + " bucket "
                        + bucket
                        + " starts at offset "
                        + header.baseOffset()
                        + ", but "
                        + what
                        + ". Restore the hot directory from a copy, or remove it to start again"
                        + " from what the lake holds.");
    }

    /** Hands everything over to the buckets. */
    void recover(TableBuckets buckets, long storeTimestamp) {
        for (Bucket bucket : buckets.buckets()) {
            int number = bucket.number();
            bucket.restoreWriters(manifest.buckets().get(number).writers());
            segments.get(number)
                    .forEach(segment -> segment.groups().forEach(bucket.groups()::append));
            journalGroups.get(number).forEach(bucket.groups()::append);
        }
        for (Batch batch : batches) {
            buckets.bucket(batch.bucket())
                    .recoveredBatch(batch.writer(), batch.sequence(), batch.result());
        }
        buckets.recovered(
                new TableEnds(ends.clone(), Math.max(lastCommitTimestamp, storeTimestamp)));
    }

    /** Gives the files back, when the store cannot be opened or the table was dropped. */
    void close() {
        segments.forEach(list -> list.forEach(segment -> segment.file().release()));
    }
}
