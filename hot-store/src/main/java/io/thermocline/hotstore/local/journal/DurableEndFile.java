package io.thermocline.hotstore.local.journal;

import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Remembers up to where the journal is durable, so that recovery can tell a torn tail from damage.
 * Two slots are written in turn, each with a checksum; it is not forced after every round: a
 * position that is too low only makes damage of the very last rounds look like a torn tail, and
 * only after a power loss. Confined to the journal's thread.
 */
final class DurableEndFile implements AutoCloseable {

    static final String FILE_NAME = "durable-end";

    private static final int SLOT_BYTES = 512;
    private static final int RECORD_BYTES = 28;

    private final FileChannel channel;
    private final StorageFiles files;
    private final ByteBuffer record = JournalFormat.littleEndian(RECORD_BYTES);
    private long count;

    private DurableEndFile(FileChannel channel, StorageFiles files) {
        this.channel = channel;
        this.files = files;
    }

    /**
     * @param fileSequence number of the journal file, -1 if nothing is known
     * @param position exclusive end of what is durable in it
     * @param count of the record: the higher one is the newer
     */
    record DurableEnd(long fileSequence, long position, long count) {

        static final DurableEnd UNKNOWN = new DurableEnd(-1, 0, 0);

        boolean isBehind(long otherSequence, long otherPosition) {
            return fileSequence < otherSequence
                    || (fileSequence == otherSequence && position <= otherPosition);
        }
    }

    static DurableEndFile open(Path directory, StorageFiles files) throws IOException {
        return new DurableEndFile(
                FileChannel.open(
                        directory.resolve(FILE_NAME),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE),
                files);
    }

    /** What was recorded last. */
    DurableEnd read() throws IOException {
        DurableEnd first = readSlot(0);
        DurableEnd second = readSlot(1);
        DurableEnd newest = first.count() >= second.count() ? first : second;
        count = newest.count();
        return newest;
    }

    private DurableEnd readSlot(int slot) throws IOException {
        ByteBuffer buffer = JournalFormat.littleEndian(RECORD_BYTES);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, (long) slot * SLOT_BYTES + buffer.position()) < 0) {
                return DurableEnd.UNKNOWN;
            }
        }
        if (buffer.getInt(0) != JournalFormat.crc(buffer.flip(), 4, RECORD_BYTES)) {
            return DurableEnd.UNKNOWN;
        }
        return new DurableEnd(buffer.getLong(12), buffer.getLong(20), buffer.getLong(4));
    }

    void write(long fileSequence, long position) throws IOException {
        count++;
        record.clear();
        record.putInt(0).putLong(count).putLong(fileSequence).putLong(position).flip();
        record.putInt(0, JournalFormat.crc(record, 4, RECORD_BYTES));
        long at = (count & 1) * SLOT_BYTES;
        while (record.hasRemaining()) {
            channel.write(record, at + record.position());
        }
    }

    void force() throws IOException {
        files.force(channel);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
