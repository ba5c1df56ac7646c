package io.thermocline.hotstore.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.file.FormatVersion;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The store's files that are one JSON object with a format version. */
final class JsonFile {

    /** Field with the format version. */
    static final String VERSION_FIELD = "formatVersion";

    static final ObjectMapper JSON = new ObjectMapper();

    /** Field with the checksum of everything else; missing in files of earlier versions. */
    private static final String CHECKSUM_FIELD = "crc32c";

    private JsonFile() {}

    /** Replaces a file, durably. */
    static void write(Path file, ObjectNode json, StorageFiles files) throws IOException {
        json.put(CHECKSUM_FIELD, checksum(json));
        files.replace(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json));
    }

    private static long checksum(JsonNode json) throws JsonProcessingException {
        CRC32C crc = new CRC32C();
        crc.update(JSON.writeValueAsBytes(json));
        return crc.getValue();
    }

    private static void check(JsonNode json) throws IOException {
        if (json instanceof ObjectNode object && object.has(CHECKSUM_FIELD)) {
            ObjectNode content = object.deepCopy();
            long expected = content.remove(CHECKSUM_FIELD).asLong();
            if (checksum(content) != expected) {
                throw new IOException("its checksum is wrong");
            }
        }
    }

    /**
     * Reads a file.
     *
     * @param version format version that is read
     * @param wayOut what to do if it is damaged: a sentence, for the message
     * @throws HotStoreException {@code CORRUPT_CHANGELOG}, {@code UNSUPPORTED_FORMAT_VERSION}
     */
    static JsonNode read(Path file, int version, String wayOut) {
        JsonNode json;
        try {
            json = JSON.readTree(file.toFile());
            check(json);
        } catch (IOException e) {
            throw damaged(file, e, wayOut);
        }
        FormatVersion.check(file, "", json.path(VERSION_FIELD).asInt(-1), version);
        return json;
    }

    static HotStoreException damaged(Path file, Exception cause, String wayOut) {
        return new HotStoreException(
                ErrorCode.CORRUPT_CHANGELOG,
                file + " cannot be read: " + cause.getMessage() + ". " + wayOut,
                cause);
    }
}
