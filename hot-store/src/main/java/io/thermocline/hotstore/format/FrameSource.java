package io.thermocline.hotstore.format;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Bytes that hold frame groups. Positions are absolute; reading does not move anything. */
public interface FrameSource {

    /** What it is, for messages: a file name. */
    String name();

    /** Number of bytes that may be read. */
    long size();

    /**
     * Fills {@code target} up to its limit with the bytes from {@code position}.
     *
     * @throws UncheckedIOException if reading fails or there are not enough bytes
     */
    void readFully(long position, ByteBuffer target);

    /**
     * A file, as long as it is at the time of each call.
     *
     * @param channel open for reading; not closed here
     */
    static FrameSource of(FileChannel channel, String name) {
        return new FrameSource() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public long size() {
                try {
                    return channel.size();
                } catch (IOException e) {
                    throw new UncheckedIOException("cannot read the size of " + name, e);
                }
            }

            @Override
            public void readFully(long position, ByteBuffer target) {
                long next = position;
                try {
                    while (target.hasRemaining()) {
                        int read = channel.read(target, next);
                        if (read < 0) {
                            throw new EOFException("the file ends at byte " + next);
                        }
                        next += read;
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException("cannot read " + name + " at byte " + next, e);
                }
            }
        };
    }

    /**
     * Bytes in memory, from index 0 to the buffer's limit.
     *
     * @param bytes must not change while it is read; its position is ignored
     */
    static FrameSource of(ByteBuffer bytes, String name) {
        ByteBuffer all = bytes.duplicate().rewind();
        return new FrameSource() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public long size() {
                return all.limit();
            }

            @Override
            public void readFully(long position, ByteBuffer target) {
                if (position < 0 || position + target.remaining() > all.limit()) {
                    throw new UncheckedIOException(
                            "cannot read " + name + " at byte " + position,
                            new EOFException("it has " + all.limit() + " bytes"));
                }
                target.put(all.slice((int) position, target.remaining()));
            }
        };
    }
}
