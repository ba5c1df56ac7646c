package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EndpointFile;
import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.hotserver.launch.EngineOptions.HostAndPort;
import io.thermocline.hotserver.launch.ServerLauncher;
import io.thermocline.hotserver.launch.ServerLauncher.Outcome;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.flight.Endpoint;
import io.thermocline.hotstore.flight.EndpointSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds the server of a store record: at {@code server.address}, else by the endpoint file of this
 * host's hot directory, starting a server where that is allowed. Thread-safe.
 */
final class LocalEndpointSource implements EndpointSource {

    private static final long POLL_MILLIS = 20;

    private final StoreRecord record;
    private final EngineOptions options;
    private final EndpointFile file;
    private final ServerLauncher launcher;
    private volatile boolean starts;

    LocalEndpointSource(
            StoreRecord record, EngineOptions options, ServerLauncher launcher, boolean starts) {
        this.record = record;
        this.options = options;
        this.file = new EndpointFile(Path.of(record.hotDirectory()));
        this.launcher = launcher;
        this.starts = starts;
    }

    /** From now on a missing server is started. */
    void allowStart() {
        starts = true;
    }

    @Override
    public Endpoint locate(@Nullable Endpoint failed, Duration timeout) {
        Optional<HostAndPort> address = options.address();
        if (address.isPresent()) {
            return elsewhere(address.get());
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean failedIsAlive = false;
        while (true) {
            Optional<Endpoint> endpoint = file.read();
            if (endpoint.isPresent() && (failedIsAlive || !endpoint.get().equals(failed))) {
                launcher.settled();
                return endpoint.get();
            }
            if (!starts) {
                // it may only have been slow: nobody else can tell
                return endpoint.orElseThrow(this::notRunning);
            }
            failedIsAlive = launcher.ensureStarted() == Outcome.OTHER_IS_RUNNING;
            if (System.nanoTime() > deadline) {
                throw unreachable(
                        "the server did not come up within " + timeout.toSeconds() + " s");
            }
            pause();
        }
    }

    @Override
    public String describe() {
        return options.address().map(at -> at.host() + ":" + at.port() + ", store of ").orElse("")
                + "host "
                + record.host()
                + ", directory "
                + record.hotDirectory();
    }

    private Endpoint elsewhere(HostAndPort address) {
        String token =
                options.token()
                        .or(() -> file.read().map(Endpoint::token))
                        .orElseThrow(
                                () ->
                                        new HotStoreException(
                                                ErrorCode.AUTHENTICATION_FAILED,
                                                "option "
                                                        + EngineOptions.ADDRESS
                                                        + " needs option "
                                                        + EngineOptions.TOKEN
                                                        + ": the token that the server at "
                                                        + address.host()
                                                        + ":"
                                                        + address.port()
                                                        + " was started with"));
        return new Endpoint(
                address.host(),
                address.port(),
                token,
                record.identity().map(StoreIdentity::storeId).orElse(null),
                record.identity().map(StoreIdentity::epoch).orElse(0L),
                0,
                null);
    }

    private HotStoreException notRunning() {
        return unreachable(
                "no server is running for it. It is started by the first job that uses the"
                        + " warehouse, or by './thermocline server start'");
    }

    private HotStoreException unreachable(String why) {
        return new HotStoreException(
                ErrorCode.STORE_UNREACHABLE,
                "the hot store at "
                        + describe()
                        + " cannot be reached: "
                        + why
                        + ". Its log is "
                        + record.hotDirectory()
                        + "/server.log");
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HotStoreException(
                    ErrorCode.TABLE_CLOSED, "interrupted while waiting for the server to start", e);
        }
    }
}
