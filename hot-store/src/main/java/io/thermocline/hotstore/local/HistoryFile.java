package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.file.AppendFile;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Lines of text that are appended durably. A line that a crash cut off does not count. Above {@link
 * #MAX_BYTES} the file is written anew with less. Thread-safe.
 */
final class HistoryFile {

    /** Size at which a history is shortened. */
    static final long MAX_BYTES = 1L << 20;

    private static final String HEADER = "{\"formatVersion\":1}";

    private final Path file;
    private final StorageFiles files;
    private final UnaryOperator<List<String>> shorten;

    /**
     * @param shorten what to keep of the lines when there are too many
     */
    HistoryFile(Path file, StorageFiles files, UnaryOperator<List<String>> shorten) {
        this.file = file;
        this.files = files;
        this.shorten = shorten;
    }

    synchronized void append(List<String> added) throws IOException {
        byte[] bytes = bytes(added);
        byte[] present = read();
        int length = completeLength(present);
        checkHeader(present, length);
        if (length == 0 || length + bytes.length > MAX_BYTES) {
            List<String> all = new ArrayList<>(lines(present));
            all.addAll(added);
            List<String> kept = new ArrayList<>(length == 0 ? all : shorten.apply(all));
            kept.add(0, HEADER);
            files.replace(file, bytes(kept));
        } else {
            try (AppendFile open = files.openAppend(file, length)) {
                open.write(new ByteBuffer[] {ByteBuffer.wrap(bytes)});
                open.force();
            }
        }
    }

    synchronized List<String> lines() throws IOException {
        return lines(read());
    }

    private byte[] read() throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return new byte[0];
        }
    }

    private List<String> lines(byte[] content) {
        int length = completeLength(content);
        checkHeader(content, length);
        return new String(content, 0, length, StandardCharsets.UTF_8).lines().skip(1).toList();
    }

    private void checkHeader(byte[] content, int length) {
        int end = 0;
        while (end < length && content[end] != '\n') {
            end++;
        }
        String first = new String(content, 0, end, StandardCharsets.UTF_8);
        if (length > 0 && !first.equals(HEADER)) {
            throw new HotStoreException(
                    ErrorCode.UNSUPPORTED_FORMAT_VERSION,
                    file
                            + " begins with "
                            + first
                            + ", this version reads "
                            + HEADER
                            + ". Delete the file: it is not needed for anything else.");
        }
    }

    /** Without a last line that lacks its end. */
    private static int completeLength(byte[] content) {
        int length = content.length;
        while (length > 0 && content[length - 1] != '\n') {
            length--;
        }
        return length;
    }

    private static byte[] bytes(List<String> lines) {
        return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
