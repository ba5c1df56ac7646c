package io.thermocline.hotstore.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.local.file.FormatVersion;
import java.io.IOException;
import java.nio.file.Path;

/** The store's files that are one JSON object with a format version. */
final class JsonFile {

    /** Field with the format version. */
    static final String VERSION_FIELD = "formatVersion";

    static final ObjectMapper JSON = new ObjectMapper();

    private JsonFile() {}

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
