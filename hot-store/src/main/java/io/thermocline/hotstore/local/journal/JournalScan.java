package io.thermocline.hotstore.local.journal;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.file.SharedFile;
import io.thermocline.hotstore.local.journal.DurableEndFile.DurableEnd;
import io.thermocline.hotstore.local.journal.JournalFormat.FileHeader;
import io.thermocline.hotstore.local.journal.JournalFormat.RoundHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Reads a journal from its first byte to its last intact round. A bad round at the very end is a
 * write that was never acknowledged: it is left out. A bad round anywhere else is damage and an
 * error.
 */
final class JournalScan {

    private static final int SEARCH_BYTES = 1 << 20;

    private final Path directory;
    private final UUID storeId;
    private final DurableEnd durableEnd;
    private final Journal.Visitor visitor;
    private final List<JournalFile> files = new ArrayList<>();
    private long endPosition;
    private long lastCommitTimestamp = -1;
    private String lastEntry = "none";

    JournalScan(Path directory, UUID storeId, DurableEnd durableEnd, Journal.Visitor visitor) {
        this.directory = directory;
        this.storeId = storeId;
        this.durableEnd = durableEnd;
        this.visitor = visitor;
    }

    /** The files, oldest first; the last one is to be continued at {@link #endPosition}. */
    List<JournalFile> files() {
        return files;
    }

    long endPosition() {
        return endPosition;
    }

    long lastCommitTimestamp() {
        return lastCommitTimestamp;
    }

    void run() throws IOException {
        List<Path> paths = paths();
        if (paths.size() > 1 && !hasHeader(paths.get(paths.size() - 1))) {
            // A roll that was cut short. Nothing was ever written to it.
            Files.delete(paths.remove(paths.size() - 1));
        }
        if (paths.isEmpty()) {
            throw corrupt(directory, 0, "there is no journal file in it");
        }
        for (int i = 0; i < paths.size(); i++) {
            scanFile(paths.get(i), i == paths.size() - 1);
        }
        JournalFile last = files.get(files.size() - 1);
        if (!durableEnd.isBehind(last.sequence(), endPosition)) {
            throw corrupt(
                    last.file().path(),
                    endPosition,
                    "the journal ends here, but was durable up to file "
                            + durableEnd.fileSequence()
                            + " position "
                            + durableEnd.position());
        }
    }

    private List<Path> paths() throws IOException {
        List<Path> paths;
        try (Stream<Path> listing = Files.list(directory)) {
            paths = new ArrayList<>(listing.filter(JournalFile::isJournal).sorted().toList());
        }
        for (int i = 1; i < paths.size(); i++) {
            long expected = JournalFile.sequenceOf(paths.get(0)) + i;
            if (JournalFile.sequenceOf(paths.get(i)) != expected) {
                throw corrupt(JournalFile.path(directory, expected), 0, "the file is missing");
            }
        }
        return paths;
    }

    private boolean hasHeader(Path path) throws IOException {
        return Files.size(path) > JournalFormat.FILE_HEADER_BYTES || readHeader(path) != null;
    }

    private FileHeader readHeader(Path path) throws IOException {
        ByteBuffer buffer = JournalFormat.littleEndian(JournalFormat.FILE_HEADER_BYTES);
        if (Files.size(path) < JournalFormat.FILE_HEADER_BYTES) {
            return null;
        }
        SharedFile file = SharedFile.open(path);
        try {
            file.read(buffer, 0);
        } finally {
            file.release();
        }
        return FileHeader.decode(buffer.flip(), path);
    }

    private void scanFile(Path path, boolean last) throws IOException {
        FileHeader header = readHeader(path);
        long sequence = JournalFile.sequenceOf(path);
        if (header == null || header.sequence() != sequence || !header.storeId().equals(storeId)) {
            throw corrupt(path, 0, "its header is damaged or of another store");
        }
        lastCommitTimestamp = Math.max(lastCommitTimestamp, header.lastCommitTimestamp());
        JournalFile file = JournalFile.open(directory, sequence);
        files.add(file);
        long size = file.file().size();
        long position = JournalFormat.FILE_HEADER_BYTES;
        while (position < size) {
            long next = scanRound(file, position, size);
            if (next < 0) {
                checkTornTail(file, position, size, last);
                break;
            }
            position = next;
        }
        endPosition = position;
    }

    /** Where the next round starts; -1 if there is no intact round here. */
    private long scanRound(JournalFile file, long position, long size) throws IOException {
        if (size - position < JournalFormat.ROUND_HEADER_BYTES) {
            return -1;
        }
        ByteBuffer headerBytes = JournalFormat.littleEndian(JournalFormat.ROUND_HEADER_BYTES);
        file.file().read(headerBytes, position);
        RoundHeader header = RoundHeader.decode(headerBytes.flip(), 0, file.sequence(), position);
        long bodyPosition = position + JournalFormat.ROUND_HEADER_BYTES;
        if (header == null || header.bodyBytes() < 0 || header.bodyBytes() > size - bodyPosition) {
            return -1;
        }
        ByteBuffer body = JournalFormat.littleEndian(header.bodyBytes());
        file.file().read(body, bodyPosition);
        body.flip();
        if (!isBodyIntact(header, body)) {
            return -1;
        }
        visitBody(file, header, body, bodyPosition);
        lastCommitTimestamp = Math.max(lastCommitTimestamp, header.commitTimestamp());
        return bodyPosition + header.bodyBytes();
    }

    private static boolean isBodyIntact(RoundHeader header, ByteBuffer body) {
        int at = 0;
        for (int i = 0; i < header.entryCount(); i++) {
            if (!JournalFormat.isEntryIntact(body, at, body.limit())) {
                return false;
            }
            at += JournalFormat.ENTRY_HEADER_BYTES + body.getInt(at);
        }
        return at == body.limit();
    }

    private void visitBody(JournalFile file, RoundHeader header, ByteBuffer body, long position) {
        int at = 0;
        for (int i = 0; i < header.entryCount(); i++) {
            int length = body.getInt(at);
            UUID tableId = new UUID(body.getLong(at + 8), body.getLong(at + 16));
            int bucket = body.getInt(at + 24);
            EntryKind kind = EntryKind.ofNumber(body.getInt(at + 28));
            int payload = at + JournalFormat.ENTRY_HEADER_BYTES;
            JournalPlace place =
                    new JournalPlace(file, position + payload, length, header.commitTimestamp());
            lastEntry = "table " + tableId + " bucket " + bucket + " at " + place.position();
            visitor.entry(
                    kind, tableId, bucket, place, body.slice(payload, length).order(body.order()));
            at = payload + length;
        }
    }

    private void checkTornTail(JournalFile file, long position, long size, boolean last)
            throws IOException {
        Path path = file.file().path();
        if (!last) {
            throw corrupt(path, position, "a round is damaged and later files follow");
        }
        if (!durableEnd.isBehind(file.sequence(), position)) {
            throw corrupt(
                    path,
                    position,
                    "a round is damaged below the durable end " + durableEnd.position());
        }
        long later = findRound(file, position + 1, size);
        if (later >= 0) {
            throw corrupt(path, position, "a round is damaged, an intact one follows at " + later);
        }
    }

    private static long findRound(JournalFile file, long from, long size) throws IOException {
        ByteBuffer buffer = JournalFormat.littleEndian(SEARCH_BYTES);
        long start = from;
        while (size - start >= JournalFormat.ROUND_HEADER_BYTES) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), size - start));
            file.file().read(buffer, start);
            buffer.flip();
            int end = buffer.limit() - JournalFormat.ROUND_HEADER_BYTES;
            for (int at = 0; at <= end; at++) {
                if (JournalFormat.hasRoundMagic(buffer, at)
                        && RoundHeader.decode(buffer, at, file.sequence(), start + at) != null) {
                    return start + at;
                }
            }
            start += end + 1;
        }
        return -1;
    }

    private HotStoreException corrupt(Path path, long position, String what) {
        return new HotStoreException(
                ErrorCode.CORRUPT_CHANGELOG,
                "the changelog in "
                        + path
                        + " is damaged at byte "
                        + position
                        + ": "
                        + what
                        + ". Last intact entry: "
                        + lastEntry
                        + ". Restore the hot directory from a copy, or remove it to start again"
                        + " from what the lake holds.");
    }
}
