package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreProvider;
import io.thermocline.lake.LakeConfig;
import java.util.Map;

/**
 * Reaches the hot store of a warehouse whose engine is {@code local}: one server process, started
 * by itself.
 *
 * @param lake the warehouse
 * @param options the {@code server.*} options
 */
public record LocalEngine(LakeConfig lake, EngineOptions options) implements HotStoreProvider {

    /**
     * An engine with options as a catalog has them.
     *
     * @param serverOptions keys with the prefix {@code server.}
     * @throws io.thermocline.hotstore.HotStoreException {@code INVALID_ARGUMENT} naming a wrong
     *     option
     */
    public static LocalEngine of(LakeConfig lake, Map<String, String> serverOptions) {
        return new LocalEngine(lake, new EngineOptions(serverOptions));
    }

    @Override
    public HotStore connect(WhenStopped whenStopped) {
        return SharedConnections.connect(this, whenStopped);
    }
}
