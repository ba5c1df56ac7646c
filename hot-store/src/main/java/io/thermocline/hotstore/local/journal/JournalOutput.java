package io.thermocline.hotstore.local.journal;

import io.thermocline.hotstore.local.file.AppendFile;
import io.thermocline.hotstore.local.journal.JournalFormat.FileHeader;
import io.thermocline.hotstore.local.journal.JournalFormat.RoundHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that a journal writes to at present, one after another. Written to by one thread at a
 * time; {@link #durable} and {@link #startedAt} may be asked for by any.
 */
final class JournalOutput {

    private static final Logger LOG = LoggerFactory.getLogger(JournalOutput.class);

    private final Journal.Settings settings;
    private final DurableEndFile durableEnd;
    private JournalFile file;
    private AppendFile output;
    private volatile Journal.Position durable;
    private volatile long beganAt;
    private volatile boolean isEmpty;

    private JournalOutput(
            Journal.Settings settings,
            DurableEndFile durableEnd,
            JournalFile file,
            AppendFile output) {
        this.settings = settings;
        this.durableEnd = durableEnd;
        this.file = file;
        this.output = output;
        this.durable = new Journal.Position(file.sequence(), output.position());
        this.beganAt = settings.clock().millis();
        this.isEmpty = output.position() == JournalFormat.FILE_HEADER_BYTES;
    }

    /** Goes on with a file, after cutting it to {@code end}. */
    static JournalOutput open(
            Journal.Settings settings, DurableEndFile durableEnd, JournalFile file, long end)
            throws IOException {
        AppendFile output = settings.files().openAppend(file.file().path(), end);
        output.force();
        durableEnd.write(file.sequence(), end);
        durableEnd.force();
        return new JournalOutput(settings, durableEnd, file, output);
    }

    /** Writes a file that holds nothing yet, durably. */
    static AppendFile createFile(Journal.Settings settings, long sequence, long lastTimestamp)
            throws IOException {
        Path path = JournalFile.path(settings.directory(), sequence);
        AppendFile file = settings.files().create(path);
        try {
            FileHeader header = new FileHeader(settings.storeId(), sequence, lastTimestamp);
            file.write(new ByteBuffer[] {header.encode()});
            file.force();
            settings.files().forceDirectory(settings.directory());
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** The present file. */
    JournalFile file() {
        return file;
    }

    /** Where the next round goes. */
    long position() {
        return output.position();
    }

    /** Up to where everything is durable. */
    Journal.Position durable() {
        return durable;
    }

    /** When the present file was begun, or -1 as long as nothing is in it. */
    long startedAt() {
        return isEmpty ? -1 : beganAt;
    }

    /** The header of a round that is written here. */
    ByteBuffer roundHeader(long timestamp, int entries, int bodyBytes) {
        return new RoundHeader(
                        file.sequence(),
                        output.position(),
                        file.sequence(),
                        durable.position(),
                        timestamp,
                        entries,
                        bodyBytes)
                .encode();
    }

    void write(ByteBuffer[] buffers) throws IOException {
        output.write(buffers);
    }

    /** Makes what was written durable. */
    void force() throws IOException {
        output.force();
        isEmpty = false;
        durable = new Journal.Position(file.sequence(), output.position());
        durableEnd.write(file.sequence(), output.position());
    }

    /** Takes back what was written, in part or as a whole, from a position on. */
    void undo(long from) throws IOException {
        output.truncate(from);
        output.force();
    }

    /**
     * Whether a write failed because the disk is full.
     *
     * @param bytes that were to be written
     */
    boolean isDiskFull(IOException failure, long bytes) {
        return settings.files().isFull(failure, settings.directory(), bytes);
    }

    /**
     * Goes on with a new file, if there is anything in the present one and a new one can be made.
     *
     * @param lastTimestamp highest commit timestamp so far
     * @return the file that is finished; null if it is the same still
     */
    @Nullable JournalFile roll(long lastTimestamp) {
        if (output.position() == JournalFormat.FILE_HEADER_BYTES) {
            return null;
        }
        long next = file.sequence() + 1;
        AppendFile nextOutput;
        JournalFile nextFile;
        try {
            nextOutput = createFile(settings, next, lastTimestamp);
            nextFile = openNext(next, nextOutput);
        } catch (IOException e) {
            Path path = JournalFile.path(settings.directory(), next);
            discard(path);
            LOG.warn("cannot begin {}, going on with the present file: {}", path, e.toString());
            return null;
        }
        JournalFile finished = file;
        try {
            output.close();
        } catch (IOException e) {
            LOG.warn("closing {} failed: {}", finished.file().path(), e.toString());
        }
        output = nextOutput;
        file = nextFile;
        durable = new Journal.Position(next, output.position());
        beganAt = settings.clock().millis();
        isEmpty = true;
        return finished;
    }

    private JournalFile openNext(long sequence, AppendFile nextOutput) throws IOException {
        try {
            return JournalFile.open(settings.directory(), sequence);
        } catch (IOException e) {
            nextOutput.close();
            throw e;
        }
    }

    // If it were there after a crash, a torn tail of the present file would look like damage.
    private void discard(Path path) {
        try {
            Files.deleteIfExists(path);
            settings.files().forceDirectory(settings.directory());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "removing " + path + ", which could not be begun, failed", e);
        }
    }

    void close() {
        try (AppendFile closing = output;
                DurableEndFile last = durableEnd) {
            last.force();
        } catch (IOException e) {
            LOG.warn("closing the journal in {} failed: {}", settings.directory(), e.toString());
        } finally {
            file.file().release();
        }
    }
}
