package io.thermocline.hotstore.local.journal;

import io.thermocline.hotstore.local.file.FormatVersion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Bytes of the journal's files; see {@code docs/format.md}. Everything is little-endian. */
final class JournalFormat {

    static final int VERSION = 1;
    static final int FILE_HEADER_BYTES = 64;
    static final int ROUND_HEADER_BYTES = 56;
    static final int ENTRY_HEADER_BYTES = 32;

    /** Most payload bytes of one round; a single entry may be larger. */
    static final int MAX_ROUND_BYTES = 64 << 20;

    private static final long FILE_MAGIC = 0x4c4e524a_4d524854L; // "THRMJRNL"
    private static final int ROUND_MAGIC = 0x444e5254; // "TRND"
    private static final int CRC_OFFSET = 12;
    private static final int ROUND_CRC_OFFSET = 4;

    private JournalFormat() {}

    /**
     * @param storeId store that the file belongs to
     * @param sequence number of the file
     * @param lastCommitTimestamp highest commit timestamp of all earlier files
     */
    record FileHeader(UUID storeId, long sequence, long lastCommitTimestamp) {

        ByteBuffer encode() {
            ByteBuffer buffer = littleEndian(FILE_HEADER_BYTES);
            buffer.putLong(FILE_MAGIC).putInt(VERSION).putInt(0);
            buffer.putLong(storeId.getMostSignificantBits());
            buffer.putLong(storeId.getLeastSignificantBits());
            buffer.putLong(sequence).putLong(lastCommitTimestamp);
            buffer.position(0).limit(FILE_HEADER_BYTES);
            buffer.putInt(CRC_OFFSET, crc(buffer, CRC_OFFSET + Integer.BYTES, FILE_HEADER_BYTES));
            return buffer;
        }

        /** Null if these bytes are no intact header. */
        static @Nullable FileHeader decode(ByteBuffer buffer, Path path) {
            if (buffer.limit() < FILE_HEADER_BYTES || buffer.getLong(0) != FILE_MAGIC) {
                return null;
            }
            int version = buffer.getInt(8);
            int crc = crc(buffer, CRC_OFFSET + Integer.BYTES, FILE_HEADER_BYTES);
            if (buffer.getInt(CRC_OFFSET) != crc) {
                return null;
            }
            FormatVersion.check(path, "journal ", version, VERSION);
            return new FileHeader(
                    new UUID(buffer.getLong(16), buffer.getLong(24)),
                    buffer.getLong(32),
                    buffer.getLong(40));
        }
    }

    /**
     * @param fileSequence number of the file it is in, and
     * @param position its own position there: bytes that were copied from elsewhere are no header
     * @param durableSequence file and
     * @param durablePosition position up to which the journal was durable when it was written
     * @param commitTimestamp of the round
     * @param entryCount entries that follow
     * @param bodyBytes their bytes, entry headers included
     */
    record RoundHeader(
            long fileSequence,
            long position,
            long durableSequence,
            long durablePosition,
            long commitTimestamp,
            int entryCount,
            int bodyBytes) {

        ByteBuffer encode() {
            ByteBuffer buffer = littleEndian(ROUND_HEADER_BYTES);
            buffer.putInt(ROUND_MAGIC).putInt(0);
            buffer.putLong(fileSequence).putLong(position);
            buffer.putLong(durableSequence).putLong(durablePosition);
            buffer.putLong(commitTimestamp).putInt(entryCount).putInt(bodyBytes);
            buffer.flip();
            buffer.putInt(
                    ROUND_CRC_OFFSET,
                    crc(buffer, ROUND_CRC_OFFSET + Integer.BYTES, ROUND_HEADER_BYTES));
            return buffer;
        }

        /** Null if there is no intact header of this place at {@code at}. */
        static @Nullable RoundHeader decode(
                ByteBuffer buffer, int at, long fileSequence, long position) {
            if (buffer.limit() - at < ROUND_HEADER_BYTES
                    || buffer.getInt(at) != ROUND_MAGIC
                    || buffer.getLong(at + 8) != fileSequence
                    || buffer.getLong(at + 16) != position
                    || buffer.getInt(at + ROUND_CRC_OFFSET)
                            != crc(buffer, at + 8, at + ROUND_HEADER_BYTES)) {
                return null;
            }
            return new RoundHeader(
                    fileSequence,
                    position,
                    buffer.getLong(at + 24),
                    buffer.getLong(at + 32),
                    buffer.getLong(at + 40),
                    buffer.getInt(at + 48),
                    buffer.getInt(at + 52));
        }
    }

    /** Header of an entry; its CRC covers the header after it and the payload. */
    static ByteBuffer encodeEntryHeader(JournalEntry entry, ByteBuffer[] payload) {
        int length = 0;
        for (ByteBuffer part : payload) {
            length += part.remaining();
        }
        ByteBuffer buffer = littleEndian(ENTRY_HEADER_BYTES);
        buffer.putInt(length).putInt(0);
        buffer.putLong(entry.tableId().getMostSignificantBits());
        buffer.putLong(entry.tableId().getLeastSignificantBits());
        buffer.putInt(entry.bucket()).putInt(entry.kind().number());
        buffer.flip();
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().position(8));
        for (ByteBuffer part : payload) {
            crc.update(part.duplicate());
        }
        buffer.putInt(4, (int) crc.getValue());
        return buffer;
    }

    /** Whether the entry whose header is at {@code at} is intact and ends before {@code end}. */
    static boolean isEntryIntact(ByteBuffer buffer, int at, int end) {
        if (end - at < ENTRY_HEADER_BYTES) {
            return false;
        }
        int length = buffer.getInt(at);
        if (length < 0 || length > end - at - ENTRY_HEADER_BYTES) {
            return false;
        }
        return buffer.getInt(at + 4) == crc(buffer, at + 8, at + ENTRY_HEADER_BYTES + length);
    }

    static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static int crc(ByteBuffer buffer, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().limit(to).position(from));
        return (int) crc.getValue();
    }

    static boolean hasRoundMagic(ByteBuffer buffer, int at) {
        return buffer.getInt(at) == ROUND_MAGIC;
    }
}
