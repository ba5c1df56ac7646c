package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a store over from the host that its record names: after a move, or a new host name. */
final class Adoption {

    private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);

    private Adoption() {}

    /**
     * @throws HotStoreException {@code STORE_FAILED} if the store's directory is not here
     */
    static StoreRecord adopt(StoreRecord record, StoreRecords records, EngineOptions options) {
        Path directory = Path.of(options.hotDirectory().orElse(record.hotDirectory()));
        Path absolute = directory.toAbsolutePath().normalize();
        if (record.identity().isPresent() && !Files.exists(HostedStore.storeDirectory(absolute))) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "the hot store of this warehouse cannot be adopted: directory "
                            + absolute
                            + " does not hold it. Copy the hot directory of host "
                            + record.host()
                            + " ("
                            + record.hotDirectory()
                            + ") here first, and name it with "
                            + EngineOptions.HOT_DIRECTORY);
        }
        StoreRecord adopted = record.withHost(StoreRecords.hostName(options), absolute.toString());
        if (!adopted.equals(record)) {
            LOG.info("the store record changes from {} to {}", record, adopted);
            records.replace(adopted);
        }
        return adopted;
    }
}
