package io.thermocline.hotstore.format;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/** Constants and bounds of the frame group format. */
public final class FrameFormat {

    /** First four bytes of every frame group: "TCFG", read as a little-endian number. */
    public static final int MAGIC = 0x47464354;

    /** The lowest format version that is read, and that of all groups without a mark. */
    public static final int VERSION = 1;

    /** The highest format version that is read: that of groups with a mark. */
    public static final int MARKED_VERSION = 2;

    /** Length of the part whose layout is the same in every format version. */
    public static final int PREFIX_BYTES = 20;

    /** Upper bound of a header's length. */
    public static final int MAX_HEADER_BYTES = 4 << 20;

    /** Upper bound of a body's length. */
    public static final int MAX_BODY_BYTES = 256 << 20;

    /** Upper bound of the records of a group. */
    public static final int MAX_RECORDS = 1 << 24;

    /** Partitions that a header lists; a group with more of them lists none. */
    public static final int MAX_LISTED_PARTITIONS = 16;

    /** Bytes that the partitions of a header may have together. */
    public static final int MAX_PARTITION_BYTES = 1024;

    /** Bytes of a zone-map bound; longer values are shortened. */
    public static final int MAX_BOUND_BYTES = 32;

    static final int KIND_DATA = 1;
    static final int KIND_CONTROL = 2;

    static final int FLAG_WRITER = 1;
    static final int FLAG_STAGING_ID = 1 << 1;
    static final int FLAG_INPUT_POSITION = 1 << 2;
    static final int FLAG_PARTITIONS = 1 << 3;
    static final int FLAG_ONE_ROW_KIND = 1 << 4;
    static final int FLAG_RECORD_TIMESTAMPS = 1 << 5;
    static final int KNOWN_FLAGS = (1 << 6) - 1;

    /** Of format version 2, in every group. */
    static final int FLAG_MARK = 1 << 6;

    static final int VERSION_POSITION = 4;
    static final int HEADER_LENGTH_POSITION = 8;
    static final int BODY_LENGTH_POSITION = 12;
    static final int CRC_POSITION = 16;
    static final int BASE_OFFSET_POSITION = 44;
    static final int FIRST_TIMESTAMP_POSITION = 52;
    static final int LAST_TIMESTAMP_POSITION = 60;
    static final int FIXED_BYTES = 76;

    static final int RANGE_HAS_MIN = 1;
    static final int RANGE_HAS_MAX = 1 << 1;
    static final int RANGE_EXACT = 1 << 2;

    private FrameFormat() {}

    /** CRC of a whole header: everything but the CRC field itself. */
    static int headerCrc(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(0, CRC_POSITION));
        crc.update(header.slice(PREFIX_BYTES, header.limit() - PREFIX_BYTES));
        return (int) crc.getValue();
    }

    static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** UUIDs are written as 16 bytes, the most significant first. */
    static void putUuid(ByteBuffer target, UUID uuid) {
        target.putLong(Long.reverseBytes(uuid.getMostSignificantBits()));
        target.putLong(Long.reverseBytes(uuid.getLeastSignificantBits()));
    }

    static UUID getUuid(ByteBuffer source) {
        long most = Long.reverseBytes(source.getLong());
        return new UUID(most, Long.reverseBytes(source.getLong()));
    }

    static HotStoreException corrupt(String where, String reason) {
        return new HotStoreException(
                ErrorCode.CORRUPT_CHANGELOG,
                where
                        + " is damaged: "
                        + reason
                        + ". Restore the file from a copy, or rebuild the table's hot tier from the"
                        + " lake.");
    }
}
