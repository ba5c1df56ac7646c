package io.thermocline.hotstore.local.segment;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.file.FormatVersion;
import io.thermocline.hotstore.local.file.SharedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/** Bytes of a segment around its frame groups; see {@code docs/format.md}. Little-endian. */
final class SegmentFormat {

    static final int VERSION = 1;
    static final int HEADER_BYTES = 40;

    private static final long HEADER_MAGIC = 0x4d474553_4d524854L; // "THRMSEGM"
    private static final long TAIL_MAGIC = 0x444e4553_4d524854L; // "THRMSEND"
    private static final int INDEX_ENTRY_BYTES = 40;
    private static final int TAIL_BYTES = 16;

    private SegmentFormat() {}

    static ByteBuffer header(UUID tableId, int bucket) {
        ByteBuffer header = littleEndian(HEADER_BYTES);
        header.putLong(HEADER_MAGIC).putInt(VERSION).putInt(0);
        header.putLong(tableId.getMostSignificantBits());
        header.putLong(tableId.getLeastSignificantBits());
        header.putInt(bucket).putInt(0).flip();
        header.putInt(12, crc(header, 16, HEADER_BYTES));
        return header;
    }

    /** Index of the groups and the tail that says where it starts. */
    static ByteBuffer footer(List<GroupPlace> groups) {
        int indexBytes = groups.size() * INDEX_ENTRY_BYTES;
        ByteBuffer footer = littleEndian(indexBytes + TAIL_BYTES);
        for (GroupPlace group : groups) {
            footer.putLong(group.baseOffset()).putInt(group.recordCount()).putInt(group.length());
            footer.putLong(group.position());
            footer.putLong(group.minTimestamp()).putLong(group.maxTimestamp());
        }
        footer.putInt(indexBytes).putInt(crc(footer, 0, indexBytes)).putLong(TAIL_MAGIC).flip();
        return footer;
    }

    /**
     * Reads the group index of a segment.
     *
     * @throws HotStoreException {@code CORRUPT_CHANGELOG}, {@code UNSUPPORTED_FORMAT_VERSION}
     */
    static List<GroupPlace> readGroups(
            SharedFile file, SegmentDescription expected, UUID tableId, int bucket)
            throws IOException {
        long size = file.size();
        if (size != expected.sizeBytes() || size < HEADER_BYTES + TAIL_BYTES) {
            throw corrupt(
                    file.path(),
                    size,
                    "it has " + size + " bytes, the manifest says " + expected.sizeBytes());
        }
        checkHeader(file, tableId, bucket);
        ByteBuffer tail = littleEndian(TAIL_BYTES);
        file.read(tail, size - TAIL_BYTES);
        int indexBytes = tail.getInt(0);
        if (tail.getLong(8) != TAIL_MAGIC
                || indexBytes < 0
                || indexBytes % INDEX_ENTRY_BYTES != 0
                || indexBytes > size - HEADER_BYTES - TAIL_BYTES) {
            throw corrupt(file.path(), size - TAIL_BYTES, "its tail is damaged");
        }
        ByteBuffer index = littleEndian(indexBytes);
        file.read(index, size - TAIL_BYTES - indexBytes);
        index.flip();
        if (crc(index, 0, indexBytes) != tail.getInt(4)) {
            throw corrupt(
                    file.path(), size - TAIL_BYTES - indexBytes, "its group index is damaged");
        }
        return parseIndex(index, file, expected);
    }

    private static void checkHeader(SharedFile file, UUID tableId, int bucket) throws IOException {
        ByteBuffer header = littleEndian(HEADER_BYTES);
        file.read(header, 0);
        header.flip();
        if (header.getLong(0) == HEADER_MAGIC) {
            FormatVersion.check(file.path(), "segment ", header.getInt(8), VERSION);
        }
        if (!header.equals(header(tableId, bucket))) {
            throw corrupt(file.path(), 0, "its header is damaged or of another bucket");
        }
    }

    private static List<GroupPlace> parseIndex(
            ByteBuffer index, SharedFile file, SegmentDescription expected) {
        List<GroupPlace> groups = new ArrayList<>(index.limit() / INDEX_ENTRY_BYTES);
        long offset = expected.baseOffset();
        while (index.hasRemaining()) {
            long baseOffset = index.getLong();
            int recordCount = index.getInt();
            int length = index.getInt();
            long position = index.getLong();
            groups.add(
                    new GroupPlace(
                            baseOffset,
                            recordCount,
                            index.getLong(),
                            index.getLong(),
                            file,
                            position,
                            length));
            if (baseOffset != offset) {
                throw corrupt(
                        file.path(), position, "offset " + offset + " is missing in its index");
            }
            offset = baseOffset + recordCount;
        }
        if (offset != expected.endOffset()) {
            throw corrupt(
                    file.path(),
                    file.path().toFile().length(),
                    "it ends at offset " + offset + ", the manifest says " + expected.endOffset());
        }
        return groups;
    }

    static HotStoreException corrupt(Path path, long position, String what) {
        return new HotStoreException(
                ErrorCode.CORRUPT_CHANGELOG,
                "the changelog segment "
                        + path
                        + " is damaged at byte "
                        + position
                        + ": "
                        + what
                        + ". Restore the hot directory from a copy, or remove it to start again"
                        + " from what the lake holds.");
    }

    static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int crc(ByteBuffer buffer, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().limit(to).position(from));
        return (int) crc.getValue();
    }
}
