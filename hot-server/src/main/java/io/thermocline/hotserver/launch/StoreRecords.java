package io.thermocline.hotserver.launch;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.lake.WarehouseFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/** Reads and writes a warehouse's store record. Thread-safe. */
public final class StoreRecords {

    /** Name of the record below the warehouse's {@code .thermocline} directory. */
    static final String NAME = "store.json";

    private static final String STORE_DIRECTORY = ".thermocline";

    private final WarehouseFiles files;
    private final String warehouse;

    public StoreRecords(WarehouseFiles files, String warehouse) {
        this.files = files;
        this.warehouse = warehouse;
    }

    /** The record; empty if no store was ever started for the warehouse. */
    public Optional<StoreRecord> read() {
        try {
            return files.read(NAME).map(content -> StoreRecord.read(content, file()));
        } catch (IOException e) {
            throw failed("read", e);
        }
    }

    /**
     * The record; made with this host's name and hot directory if there is none. Of several
     * processes that make it at the same time one wins, and all see its record.
     */
    public StoreRecord readOrCreate(EngineOptions options) {
        Optional<StoreRecord> present = read();
        if (present.isPresent()) {
            return present.get();
        }
        StoreRecord fresh =
                new StoreRecord(
                        hostName(options), defaultDirectory(options).toString(), Optional.empty());
        try {
            files.createIfAbsent(NAME, fresh.write());
        } catch (IOException e) {
            throw failed("create", e);
        }
        return read().orElseThrow(() -> failed("create", null));
    }

    public void replace(StoreRecord record) {
        try {
            files.replace(NAME, record.write());
        } catch (IOException e) {
            throw failed("replace", e);
        }
    }

    /** Name of the record, for messages. */
    public String file() {
        return warehouse + "/" + STORE_DIRECTORY + "/" + NAME;
    }

    /** What this host is called in store records. */
    public static String hostName(EngineOptions options) {
        return options.hostName().orElseGet(StoreRecords::systemHostName);
    }

    private static String systemHostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "this host's name cannot be found: "
                            + e.getMessage()
                            + ". Set option "
                            + EngineOptions.HOST_NAME,
                    e);
        }
    }

    private Path defaultDirectory(EngineOptions options) {
        if (options.hotDirectory().isPresent()) {
            return Path.of(options.hotDirectory().get()).toAbsolutePath().normalize();
        }
        return files.localDirectory()
                .map(local -> local.resolve(STORE_DIRECTORY).resolve("hot"))
                .orElseGet(
                        () ->
                                Path.of(
                                        System.getProperty("user.home"),
                                        STORE_DIRECTORY,
                                        UUID.randomUUID().toString()))
                .toAbsolutePath()
                .normalize();
    }

    private HotStoreException failed(String what, IOException cause) {
        return new HotStoreException(
                ErrorCode.STORE_FAILED,
                "cannot "
                        + what
                        + " the store record "
                        + file()
                        + (cause == null ? "" : ": " + cause));
    }
}
