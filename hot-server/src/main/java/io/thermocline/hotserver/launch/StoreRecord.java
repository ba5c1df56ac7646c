package io.thermocline.hotserver.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.StoreIdentity;
import java.io.IOException;
import java.util.Optional;

/**
 * The one record of a warehouse's hot store: which host and directory have it.
 *
 * @param host name of the host
 * @param hotDirectory absolute path on that host
 * @param identity of the store in it; empty until it was opened for the first time
 */
public record StoreRecord(String host, String hotDirectory, Optional<StoreIdentity> identity) {

    private static final int FORMAT_VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    public StoreRecord withIdentity(StoreIdentity known) {
        return new StoreRecord(host, hotDirectory, Optional.of(known));
    }

    public StoreRecord withHost(String newHost, String newDirectory) {
        return new StoreRecord(newHost, newDirectory, identity);
    }

    byte[] write() {
        ObjectNode node =
                JSON.createObjectNode()
                        .put("formatVersion", FORMAT_VERSION)
                        .put("host", host)
                        .put("hotDirectory", hotDirectory);
        identity.ifPresent(
                known -> node.put("storeId", known.storeId()).put("epoch", known.epoch()));
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(node);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.INTERNAL, "cannot write the store record " + this, e);
        }
    }

    static StoreRecord read(byte[] content, String file) {
        JsonNode node;
        try {
            node = JSON.readTree(content);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "the store record " + file + " cannot be read: " + e.getMessage(),
                    e);
        }
        int version = node.path("formatVersion").asInt(-1);
        if (version != FORMAT_VERSION) {
            throw new HotStoreException(
                    ErrorCode.UNSUPPORTED_FORMAT_VERSION,
                    "the store record "
                            + file
                            + " has format version "
                            + version
                            + ", this version reads "
                            + FORMAT_VERSION);
        }
        Optional<StoreIdentity> identity =
                node.hasNonNull("storeId")
                        ? Optional.of(
                                new StoreIdentity(
                                        node.get("storeId").asText(), node.path("epoch").asLong()))
                        : Optional.empty();
        return new StoreRecord(
                node.path("host").asText(), node.path("hotDirectory").asText(), identity);
    }
}
