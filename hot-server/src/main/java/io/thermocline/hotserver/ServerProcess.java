package io.thermocline.hotserver;

import io.thermocline.hotserver.launch.EndpointFile;
import io.thermocline.hotserver.launch.EngineOptions;
import io.thermocline.hotserver.launch.ServerCommand;
import io.thermocline.hotserver.launch.StoreRecord;
import io.thermocline.hotserver.launch.StoreRecords;
import io.thermocline.hotserver.metrics.MetricsServer;
import io.thermocline.hotserver.metrics.StoreCollector;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.flight.Endpoint;
import io.thermocline.hotstore.flight.HotStoreFlightServer;
import io.thermocline.hotstore.flight.ServerOptions;
import io.thermocline.lake.LakeCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a server: lock, store, service, endpoint file; then, when it is idle or asked to end,
 * the same in reverse with everything tiered.
 */
final class ServerProcess {

    private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);

    /** How long a start waits for a predecessor that is ending. */
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(45);

    /** Time for the last tiering when somebody waits for the end. */
    private static final Duration LAST_TIERING = Duration.ofSeconds(15);

    /** Time for the last tiering when nobody is there. */
    private static final Duration IDLE_TIERING = Duration.ofMinutes(10);

    private static final Duration SERVICE_GRACE = Duration.ofSeconds(3);
    private static final long IDLE_CHECK_MILLIS = 100;
    private static final int TOKEN_BYTES = 32;

    /** Whoever started the server gets this time to come, however short the idle timeout. */
    private static final long FIRST_CALL_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ServerLock lock;
    private final LakeCatalog lake;
    private final HostedStore hosted;
    private final HotStoreFlightServer service;
    private final @Nullable MetricsServer metrics;
    private final EndpointFile endpointFile;
    private final Endpoint endpoint;
    private final Duration idleTimeout;
    private final CountDownLatch askedToEnd;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean ending = new AtomicBoolean();
    private volatile long servingSinceNanos;

    /** What a start has opened so far, closed in reverse when it fails. */
    private record Opened(ServerLock lock, LakeCatalog lake, HostedStore hosted) {}

    private ServerProcess(
            Opened opened, Path hotDirectory, EngineOptions options, CountDownLatch askedToEnd)
            throws IOException {
        this.lock = opened.lock();
        this.lake = opened.lake();
        this.hosted = opened.hosted();
        this.askedToEnd = askedToEnd;
        this.idleTimeout = options.idleTimeout();
        this.endpointFile = new EndpointFile(hotDirectory);
        String token = options.token().orElseGet(ServerProcess::randomToken);
        this.service =
                HotStoreFlightServer.start(
                        hosted.served(),
                        new ServerOptions(
                                options.bindHost(),
                                options.port(),
                                token,
                                ServerOptions.DEFAULT_MAX_APPEND_BYTES),
                        askedToEnd::countDown);
        this.metrics = startMetrics(options);
        this.endpoint =
                new Endpoint(
                        reachable(options.bindHost()),
                        service.port(),
                        token,
                        hosted.served().identity().storeId(),
                        hosted.served().identity().epoch(),
                        ProcessHandle.current().pid(),
                        metrics == null ? null : metrics.url());
        endpointFile.write(endpoint);
    }

    private @Nullable MetricsServer startMetrics(EngineOptions options) {
        if (options.metricsPort().isEmpty()) {
            return null;
        }
        try {
            return MetricsServer.start(
                    options.metricsBindHost(),
                    options.metricsPort().getAsInt(),
                    new StoreCollector(hosted::figures, service::openCalls));
        } catch (HotStoreException e) {
            service.close();
            throw e;
        }
    }

    /**
     * Starts the server of a warehouse in this process.
     *
     * @return empty if another process serves it already
     * @throws HotStoreException if it cannot be started
     */
    static Optional<ServerProcess> start(ServerCommand command) throws InterruptedException {
        AtomicReference<AutoCloseable> undo = new AtomicReference<>(() -> {});
        boolean started = false;
        try {
            LakeCatalog lake = LakeAccess.open(command.lake());
            undoFirst(undo, lake);
            StoreRecords records =
                    new StoreRecords(lake.warehouseFiles(), command.lake().warehouse());
            StoreRecord record = record(command, records);
            Path hotDirectory = Path.of(record.hotDirectory());
            Optional<ServerLock> lock = ServerLock.take(hotDirectory, LOCK_PATIENCE);
            if (lock.isEmpty()) {
                return Optional.empty();
            }
            undoFirst(undo, lock.get());
            if (command.logFile().isPresent()) {
                ServerLog.redirect(command.logFile().get());
            }
            new EndpointFile(hotDirectory).delete();
            HostedStore hosted = HostedStore.open(lake, records, record, command.options());
            undoFirst(undo, hosted);
            ServerProcess process =
                    new ServerProcess(
                            new Opened(lock.get(), lake, hosted),
                            hotDirectory,
                            command.options(),
                            new CountDownLatch(1));
            started = true;
            process.run();
            return Optional.of(process);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "the server of warehouse "
                            + command.lake().warehouse()
                            + " cannot be started: "
                            + e,
                    e);
        } catch (RuntimeException e) {
            LOG.error("the server cannot be started", e);
            throw e;
        } finally {
            if (!started) {
                closeQuietly(undo.get());
            }
        }
    }

    private static void undoFirst(AtomicReference<AutoCloseable> undo, AutoCloseable opened) {
        AutoCloseable before = undo.get();
        undo.set(
                () -> {
                    closeQuietly(opened);
                    closeQuietly(before);
                });
    }

    private static StoreRecord record(ServerCommand command, StoreRecords records) {
        StoreRecord record = records.readOrCreate(command.options());
        if (command.adopt()) {
            return Adoption.adopt(record, records, command.options());
        }
        StoreHost.check(record, records, command.options());
        return record;
    }

    private void run() {
        servingSinceNanos = System.nanoTime();
        hosted.startTiering();
        // SIGTERM
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end("signal"), "hot-server-end"));
        Thread watch = new Thread(this::watch, "hot-server-watch");
        watch.setDaemon(true);
        watch.start();
        LOG.info("serving {}", describe());
    }

    private void watch() {
        try {
            while (!askedToEnd.await(IDLE_CHECK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (endsIdle()) {
                    end("idle");
                    return;
                }
            }
            end("asked to");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean endsIdle() {
        try {
            if (!isIdle()) {
                return false;
            }
            hosted.tierPending(IDLE_TIERING);
            return isIdle();
        } catch (RuntimeException e) {
            // this thread must live: it alone hears that the server shall end
            LOG.warn("whether the server is idle is not known", e);
            return false;
        }
    }

    private boolean isIdle() {
        return !idleTimeout.isZero()
                && (service.wasCalled() || System.nanoTime() - servingSinceNanos > FIRST_CALL_NANOS)
                && service.quietTime().compareTo(idleTimeout) >= 0
                && !hosted.isBusy();
    }

    private void end(String why) {
        if (ending.getAndSet(true)) {
            awaitEndUninterrupted();
            return;
        }
        LOG.info("ending ({})", why);
        try {
            endpointFile.delete();
        } catch (IOException e) {
            LOG.warn("the endpoint file was not removed", e);
        }
        try {
            // each in any case: a lock that is kept would keep every successor out
            if (metrics != null) {
                closeQuietly(metrics);
            }
            closeQuietly(() -> service.stop(SERVICE_GRACE));
            closeQuietly(() -> hosted.endTiering(LAST_TIERING));
            closeQuietly(hosted);
            closeQuietly(lake);
            LOG.info("ended");
            closeQuietly(lock);
        } finally {
            ended.countDown();
        }
    }

    private void awaitEndUninterrupted() {
        try {
            ended.await(LAST_TIERING.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when the server has ended. */
    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Asks the server to end, as a client's shutdown action does. */
    void askToEnd() {
        askedToEnd.countDown();
    }

    Endpoint endpoint() {
        return endpoint;
    }

    String describe() {
        return endpoint + ", endpoint file " + endpointFile.path();
    }

    private static String reachable(String bindHost) {
        return switch (bindHost) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::" -> "::1";
            default -> bindHost;
        };
    }

    private static String randomToken() {
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        return HexFormat.of().formatHex(token);
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            LOG.warn("closing failed", e);
        }
    }
}
