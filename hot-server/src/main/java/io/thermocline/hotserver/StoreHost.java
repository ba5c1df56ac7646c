package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;

/** Whether a store lives on this host. */
final class StoreHost {

    private StoreHost() {}

    /**
     * @throws HotStoreException {@code STORE_ON_OTHER_HOST} naming host, directory and the ways out
     */
    static void check(StoreRecord record, StoreRecords records, EngineOptions options) {
        String here = StoreRecords.hostName(options);
        if (record.host().equals(here)) {
            return;
        }
        throw new HotStoreException(
                ErrorCode.STORE_ON_OTHER_HOST,
                "the hot store of this warehouse is on host "
                        + record.host()
                        + ", directory "
                        + record.hotDirectory()
                        + ", but this is host "
                        + here
                        + " (store record "
                        + records.file()
                        + "). To use it from here, start its server there with "
                        + EngineOptions.BIND_HOST
                        + ", "
                        + EngineOptions.PORT
                        + " and "
                        + EngineOptions.TOKEN
                        + ", and set "
                        + EngineOptions.ADDRESS
                        + " and "
                        + EngineOptions.TOKEN
                        + " here. If this is the same machine under a new name, or the directory was"
                        + " moved here, run './thermocline server start --adopt' once, or set "
                        + EngineOptions.HOST_NAME);
    }
}
