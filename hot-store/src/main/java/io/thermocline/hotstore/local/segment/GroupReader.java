package io.thermocline.hotstore.local.segment;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.format.FrameGroupHeader;
import io.thermocline.hotstore.format.FrameGroupReader;
import io.thermocline.hotstore.format.FrameSource;
import io.thermocline.hotstore.local.file.SharedFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Opens frame groups where the index says they are. The caller holds a claim on the file. */
public final class GroupReader {

    /** A group of at most this many bytes is read at once; of larger ones only what is wanted. */
    private static final int SMALL_GROUP_BYTES = 64 << 10;

    private GroupReader() {}

    /**
     * Opens a group.
     *
     * @throws HotStoreException {@code CORRUPT_CHANGELOG} naming file, position and offset
     */
    public static FrameGroupReader open(GroupPlace place) {
        try {
            FrameGroupReader reader =
                    FrameGroupReader.open(new PlacedBytes(place), place.position());
            FrameGroupHeader header = reader.header();
            if (header.baseOffset() != place.baseOffset()
                    || header.recordCount() != place.recordCount()) {
                throw corrupt(
                        place,
                        "it holds "
                                + header.recordCount()
                                + " records from offset "
                                + header.baseOffset(),
                        null);
            }
            return reader;
        } catch (UncheckedIOException e) {
            throw corrupt(place, e.getMessage(), e);
        }
    }

    /** Commit timestamp of every record of a group, milliseconds since the epoch. */
    public static long[] timestamps(GroupPlace place) {
        return open(place).commitTimestamps();
    }

    /** The bytes of a group as they are. */
    static ByteBuffer bytes(GroupPlace place) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(place.length());
        place.file().read(bytes, place.position());
        return bytes.flip();
    }

    static HotStoreException corrupt(GroupPlace place, String what, Throwable cause) {
        return new HotStoreException(
                ErrorCode.CORRUPT_CHANGELOG,
                "the changelog in "
                        + place.file().path()
                        + " is damaged at byte "
                        + place.position()
                        + ", where offset "
                        + place.baseOffset()
                        + " should be: "
                        + what
                        + ". Restore the hot directory from a copy, or remove it to start again"
                        + " from what the lake holds.",
                cause);
    }

    /** A file around one group, which is kept in memory if it is small. */
    private static final class PlacedBytes implements FrameSource {

        private final SharedFile file;
        private final long start;
        private final long end;
        private final ByteBuffer small;

        private PlacedBytes(GroupPlace place) {
            file = place.file();
            start = place.position();
            end = start + place.length();
            small = place.length() <= SMALL_GROUP_BYTES ? load(place) : null;
        }

        private ByteBuffer load(GroupPlace place) {
            ByteBuffer bytes = ByteBuffer.allocate(place.length());
            read(start, bytes);
            return bytes.flip();
        }

        @Override
        public String name() {
            return file.path().toString();
        }

        @Override
        public long size() {
            return end;
        }

        @Override
        public void readFully(long position, ByteBuffer target) {
            if (small == null || position < start || position + target.remaining() > end) {
                read(position, target);
            } else {
                target.put(small.slice((int) (position - start), target.remaining()));
            }
        }

        private void read(long position, ByteBuffer target) {
            try {
                file.read(target, position);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + name() + " at byte " + position, e);
            }
        }
    }
}
