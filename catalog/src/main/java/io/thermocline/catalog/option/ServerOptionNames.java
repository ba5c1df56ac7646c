package io.thermocline.catalog.option;

import io.thermocline.hotserver.launch.EngineOptions;
import java.util.Set;

/** Names of the options of the hot store's server, to find the one that was meant. */
final class ServerOptionNames {

    private ServerOptionNames() {}

    /** With their prefix. */
    static Set<String> all() {
        return Set.of(
                EngineOptions.ADDRESS,
                EngineOptions.HOT_DIRECTORY,
                EngineOptions.BIND_HOST,
                EngineOptions.PORT,
                EngineOptions.TOKEN,
                EngineOptions.IDLE_TIMEOUT,
                EngineOptions.MEMORY,
                EngineOptions.RETRY_TIMEOUT,
                EngineOptions.HOST_NAME);
    }
}
