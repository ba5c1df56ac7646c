package io.thermocline.hotstore.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.local.file.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What a store knows of itself: {@code store.json}.
 *
 * @param identity who the store is
 * @param reservedWriterEpochs no epoch above this one was ever given to a writer
 */
record StoreFile(StoreIdentity identity, long reservedWriterEpochs) {

    static final String NAME = "store.json";

    private static final int FORMAT_VERSION = 1;

    /**
     * @throws HotStoreException {@code CORRUPT_CHANGELOG}, {@code UNSUPPORTED_FORMAT_VERSION}
     */
    static StoreFile read(Path root) {
        Path file = root.resolve(NAME);
        JsonNode json = JsonFile.read(file, FORMAT_VERSION, "Restore it from a copy.");
        JsonNode epochs = json.path("reservedWriterEpochs");
        if (!epochs.isIntegralNumber()) {
            throw new HotStoreException(
                    ErrorCode.CORRUPT_CHANGELOG,
                    file
                            + " does not say which writer epochs were given (reservedWriterEpochs)."
                            + " Restore it from a copy.");
        }
        return new StoreFile(
                new StoreIdentity(json.path("storeId").asText(), json.path("epoch").asLong()),
                epochs.asLong());
    }

    /** Durable once this returns. */
    void write(Path root, StorageFiles files) throws IOException {
        ObjectNode json = JsonFile.JSON.createObjectNode();
        json.put(JsonFile.VERSION_FIELD, FORMAT_VERSION);
        json.put("storeId", identity.storeId());
        json.put("epoch", identity.epoch());
        json.put("reservedWriterEpochs", reservedWriterEpochs);
        JsonFile.write(root.resolve(NAME), json, files);
    }
}
