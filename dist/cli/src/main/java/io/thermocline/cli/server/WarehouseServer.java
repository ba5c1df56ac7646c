package io.thermocline.cli.server;

import io.thermocline.cli.CommandFailure;
import io.thermocline.hotserver.LocalEngine;
import io.thermocline.hotserver.launch.EndpointFile;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotStoreProvider.WhenStopped;
import io.thermocline.hotstore.flight.Endpoint;
import io.thermocline.lake.LakeBinding;
import io.thermocline.lake.LakeCatalog;
import io.thermocline.lake.LakeConfig;
import io.thermocline.lake.LakeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The server process of one warehouse's hot store, on this host. */
public final class WarehouseServer {

    private static final String MAIN_CLASS = "io.thermocline.hotserver.HotServer";

    /** A server that ends in good order tiers what is pending first. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);

    private final LakeConfig lake;

    /** The server of a warehouse, whether it runs or not. */
    public WarehouseServer(LakeConfig lake) {
        this.lake = lake;
    }

    /**
     * Starts the server unless it runs, and returns where it answers.
     *
     * @param options keys with the prefix {@code server.}
     * @throws CommandFailure why it did not start
     */
    public Endpoint start(Map<String, String> options) {
        try (HotStore store = LocalEngine.of(lake, options).connect(WhenStopped.START)) {
            String id = store.identity().storeId();
            return running()
                    .orElseThrow(
                            () -> new CommandFailure("Store " + id + " started and ended again."));
        } catch (HotStoreException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** Where the server answers; empty if none runs on this host. */
    public Optional<Endpoint> running() {
        try {
            return hotDirectory()
                    .flatMap(directory -> new EndpointFile(directory).read())
                    .filter(endpoint -> process(endpoint).isPresent());
        } catch (HotStoreException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** Ends the server in good order; says whether one was running. */
    public boolean stop() {
        Optional<ProcessHandle> process = running().flatMap(WarehouseServer::process);
        if (process.isEmpty()) {
            return false;
        }
        process.get().destroy();
        try {
            process.get().onExit().get(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            throw new CommandFailure(
                    "The server (pid "
                            + process.get().pid()
                            + ") did not end within "
                            + STOP_LIMIT.toSeconds()
                            + " s; it may still be tiering.",
                    e);
        } catch (ExecutionException e) {
            throw new CommandFailure("Cannot wait for pid " + process.get().pid() + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("Interrupted while the server was ending.", e);
        }
    }

    /** The hot directory; empty if no store was ever started for the warehouse. */
    public Optional<Path> hotDirectory() {
        try (LakeCatalog catalog = open()) {
            return new StoreRecords(catalog.warehouseFiles(), lake.warehouse())
                    .read()
                    .map(StoreRecord::hotDirectory)
                    .map(Path::of);
        } catch (LakeException e) {
            throw new CommandFailure(
                    "Cannot open warehouse " + lake.warehouse() + ": " + e.getMessage(), e);
        }
    }

    private LakeCatalog open() {
        ClassLoader loader = WarehouseServer.class.getClassLoader();
        Map<String, LakeBinding> bindings = LakeBinding.seenBy(loader);
        LakeBinding binding = bindings.get(lake.lake());
        if (binding == null) {
            throw new CommandFailure(
                    "There is no lake '"
                            + lake.lake()
                            + "'; --lake may be one of "
                            + bindings.keySet()
                            + ".");
        }
        return binding.open(lake, loader);
    }

    /** The live process, unless its id was given to another program since. */
    private static Optional<ProcessHandle> process(Endpoint endpoint) {
        return ProcessHandle.of(endpoint.pid())
                .filter(ProcessHandle::isAlive)
                .filter(
                        handle ->
                                handle.info()
                                        .arguments()
                                        .map(arguments -> String.join(" ", arguments))
                                        .orElse(MAIN_CLASS)
                                        .contains(MAIN_CLASS));
    }
}
