package io.thermocline.hotstore.local;

import io.thermocline.hotstore.AppendResult;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.WriterEpoch;
import io.thermocline.hotstore.local.bucket.WriterState;
import io.thermocline.hotstore.local.bucket.WriterStates;
import io.thermocline.hotstore.local.file.FormatVersion;
import io.thermocline.hotstore.local.file.StorageFiles;
import io.thermocline.hotstore.local.segment.SegmentDescription;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What is in a table's segments, bucket by bucket. It is replaced as a whole: segments come and go
 * for readers after a restart at the moment it is. See {@code docs/format.md}.
 *
 * @param buckets in bucket order
 */
record Manifest(List<BucketManifest> buckets) {

    static final String NAME = "manifest";

    private static final int MAGIC = 0x54434d46; // "TCMF"
    private static final int VERSION = 1;
    private static final int CRC_AT = 8;
    private static final int HEADER_BYTES = 12;

    Manifest {
        buckets = List.copyOf(buckets);
    }

    /**
     * @param startOffset first offset that can be read
     * @param endOffset exclusive end of what is in segments
     * @param lastCommitTimestamp highest commit timestamp below {@code endOffset}, -1 for none
     * @param segments in offset order, without gaps from {@code startOffset} to {@code endOffset}
     * @param writers what is known of the writers
     */
    record BucketManifest(
            long startOffset,
            long endOffset,
            long lastCommitTimestamp,
            List<SegmentDescription> segments,
            WriterStates writers) {

        static final BucketManifest EMPTY =
                new BucketManifest(0, 0, -1, List.of(), WriterStates.NONE);

        BucketManifest {
            segments = List.copyOf(segments);
        }
    }

    static Manifest empty(int bucketCount) {
        List<BucketManifest> buckets = new ArrayList<>();
        for (int bucket = 0; bucket < bucketCount; bucket++) {
            buckets.add(BucketManifest.EMPTY);
        }
        return new Manifest(buckets);
    }

    void write(Path directory, StorageFiles files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            out.writeInt(VERSION);
            out.writeInt(0);
            out.writeInt(buckets.size());
            for (BucketManifest bucket : buckets) {
                writeBucket(out, bucket);
            }
        }
        byte[] content = bytes.toByteArray();
        ByteBuffer.wrap(content).putInt(CRC_AT, crc(content));
        files.replace(directory.resolve(NAME), content);
    }

    private static void writeBucket(DataOutputStream out, BucketManifest bucket)
            throws IOException {
        out.writeLong(bucket.startOffset());
        out.writeLong(bucket.endOffset());
        out.writeLong(bucket.lastCommitTimestamp());
        out.writeInt(bucket.segments().size());
        for (SegmentDescription segment : bucket.segments()) {
            out.writeUTF(segment.name());
            out.writeLong(segment.baseOffset());
            out.writeLong(segment.endOffset());
            out.writeLong(segment.minTimestamp());
            out.writeLong(segment.maxTimestamp());
            out.writeLong(segment.sizeBytes());
        }
        writeWriters(out, bucket.writers());
    }

    private static void writeWriters(DataOutputStream out, WriterStates states) throws IOException {
        out.writeLong(states.forgottenEpoch());
        out.writeInt(states.writers().size());
        for (WriterState writer : states.writers()) {
            out.writeLong(writer.writer().writerId().getMostSignificantBits());
            out.writeLong(writer.writer().writerId().getLeastSignificantBits());
            out.writeLong(writer.writer().epoch());
            out.writeLong(writer.lastSequence());
            out.writeInt(writer.results().size());
            for (AppendResult result : writer.results()) {
                out.writeLong(result.baseOffset());
                out.writeLong(result.endOffset());
                out.writeLong(result.commitTimestamp());
            }
        }
    }

    /**
     * Reads the manifest of the table in a directory.
     *
     * @throws HotStoreException {@code UNSUPPORTED_FORMAT_VERSION}, {@code CORRUPT_CHANGELOG}
     */
    static Manifest read(Path directory, int bucketCount) {
        Path file = directory.resolve(NAME);
        try {
            byte[] content = Files.readAllBytes(file);
            if (content.length < HEADER_BYTES || ByteBuffer.wrap(content).getInt(0) != MAGIC) {
                throw new IOException("it is no manifest");
            }
            FormatVersion.check(file, "", ByteBuffer.wrap(content).getInt(4), VERSION);
            if (ByteBuffer.wrap(content).getInt(CRC_AT) != crc(content)) {
                throw new IOException("its checksum is wrong");
            }
            Manifest manifest = parse(content);
            if (manifest.buckets().size() != bucketCount) {
                throw new IOException(
                        "it has "
                                + manifest.buckets().size()
                                + " buckets, the table has "
                                + bucketCount);
            }
            return manifest;
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.CORRUPT_CHANGELOG,
                    file + " cannot be read: " + e.getMessage() + ". Restore it from a copy.",
                    e);
        }
    }

    private static Manifest parse(byte[] content) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        in.skipNBytes(HEADER_BYTES);
        int count = in.readInt();
        List<BucketManifest> buckets = new ArrayList<>();
        for (int bucket = 0; bucket < count; bucket++) {
            buckets.add(
                    new BucketManifest(
                            in.readLong(),
                            in.readLong(),
                            in.readLong(),
                            readSegments(in),
                            readWriters(in)));
        }
        return new Manifest(buckets);
    }

    private static List<SegmentDescription> readSegments(DataInputStream in) throws IOException {
        int count = in.readInt();
        List<SegmentDescription> segments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            segments.add(
                    new SegmentDescription(
                            in.readUTF(),
                            in.readLong(),
                            in.readLong(),
                            in.readLong(),
                            in.readLong(),
                            in.readLong()));
        }
        return segments;
    }

    private static WriterStates readWriters(DataInputStream in) throws IOException {
        long forgottenEpoch = in.readLong();
        int count = in.readInt();
        List<WriterState> writers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            WriterEpoch writer =
                    new WriterEpoch(new UUID(in.readLong(), in.readLong()), in.readLong());
            long lastSequence = in.readLong();
            int resultCount = in.readInt();
            List<AppendResult> results = new ArrayList<>();
            for (int j = 0; j < resultCount; j++) {
                results.add(new AppendResult(in.readLong(), in.readLong(), in.readLong()));
            }
            writers.add(new WriterState(writer, lastSequence, results));
        }
        return new WriterStates(forgottenEpoch, writers);
    }

    // Over everything but the checksum itself.
    private static int crc(byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(content, 0, CRC_AT);
        crc.update(content, HEADER_BYTES, content.length - HEADER_BYTES);
        return (int) crc.getValue();
    }
}
