package io.thermocline.hotstore.local.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is only appended to. Confined to one thread. */
public interface AppendFile extends Closeable {

    /** Writes all remaining bytes of the buffers, in order, at the end of the file. */
    void write(ByteBuffer[] buffers) throws IOException;

    /** Returns once everything written is on the device. */
    void force() throws IOException;

    /** Cuts the file; the next write goes to {@code length}. */
    void truncate(long length) throws IOException;

    /** Where the next write goes: the length of the file. */
    long position();
}
