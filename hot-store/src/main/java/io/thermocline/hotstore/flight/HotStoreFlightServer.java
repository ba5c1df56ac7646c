package io.thermocline.hotstore.flight;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.netty.NettyServerBuilder;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStore;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.arrow.ArrowMemory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers a {@link HotStore} over Arrow Flight. Does not own the store: stop this first, then close
 * the store. Thread-safe.
 */
public final class HotStoreFlightServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HotStoreFlightServer.class);

    /** Calls and streams of one client connection. */
    private static final int MAX_CALLS_PER_CONNECTION = 4096;

    private static final long KEEP_ALIVE_SECONDS = 30;
    private static final long PERMITTED_KEEP_ALIVE_SECONDS = 5;
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);

    private final Server server;
    private final OpenTables tables;
    private final CallGuard guard;
    private final ByteBudget appendBudget;
    private final BufferAllocator allocator;
    private final ExecutorService threads;

    // Flight's own authentication is not used, but its factory wants a handler
    @SuppressWarnings("deprecation")
    private HotStoreFlightServer(HotStore store, ServerOptions options, Runnable shutdown)
            throws IOException {
        this.tables = new OpenTables(store);
        this.guard = new CallGuard(options.token());
        this.appendBudget = new ByteBudget(options.maxAppendBytes());
        this.allocator = ArrowMemory.newAllocator("flight-server");
        AtomicInteger number = new AtomicInteger();
        this.threads =
                Executors.newCachedThreadPool(
                        task -> {
                            Thread thread =
                                    new Thread(task, "hot-flight-" + number.incrementAndGet());
                            thread.setDaemon(true);
                            return thread;
                        });
        StoreProducer producer =
                new StoreProducer(
                        tables,
                        new StoreActions(store, tables, shutdown),
                        threads,
                        allocator,
                        new StoreProducer.CallLimits(appendBudget, guard));
        this.server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(options.bindHost(), options.port()))
                        .executor(threads)
                        .callExecutor(new SmallMessageExecutor())
                        .flowControlWindow(FlightProtocol.FLOW_CONTROL_WINDOW)
                        .maxInboundMessageSize(FlightProtocol.MAX_MESSAGE_BYTES)
                        .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
                        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                        .permitKeepAliveTime(PERMITTED_KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                        .permitKeepAliveWithoutCalls(true)
                        .intercept(guard)
                        .addService(
                                FlightGrpcUtils.createFlightService(
                                        allocator, producer, ServerAuthHandler.NO_OP, threads))
                        .build();
        server.start();
    }

    /**
     * Small messages are handed to the thread that serves the call by the thread that has read them
     * from the line: one more thread between would cost every lookup a switch. Large ones would
     * keep other calls of the connection waiting.
     */
    private static final class SmallMessageExecutor implements ServerCallExecutorSupplier {

        @Override
        public <ReqT, RespT> @Nullable Executor getExecutor(
                ServerCall<ReqT, RespT> call, Metadata metadata) {
            boolean exchange =
                    FlightProtocol.EXCHANGE.equals(call.getMethodDescriptor().getBareMethodName());
            return exchange && metadata.containsKey(FlightProtocol.SMALL_MESSAGES)
                    ? Runnable::run
                    : null;
        }
    }

    /**
     * Starts the service.
     *
     * @param shutdown what a client's {@code shutdown} action sets off; must return at once
     * @throws HotStoreException {@code STORE_FAILED} if the address cannot be bound
     */
    public static HotStoreFlightServer start(
            HotStore store, ServerOptions options, Runnable shutdown) {
        try {
            return new HotStoreFlightServer(store, options, shutdown);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "cannot listen on "
                            + options.bindHost()
                            + ":"
                            + options.port()
                            + ": "
                            + e.getMessage()
                            + ". Choose another server.bind-host or server.port",
                    e);
        }
    }

    /** The port listened on. */
    public int port() {
        return server.getPort();
    }

    /** Time since the last call ended; zero while a call or stream is open. */
    public Duration quietTime() {
        return Duration.ofNanos(guard.quietNanos());
    }

    /** Whether any client has called yet. */
    public boolean wasCalled() {
        return guard.wasCalled();
    }

    /** Calls and streams that are open. */
    public int openCalls() {
        return guard.openCalls();
    }

    /**
     * Ends the service: refuses new calls, gives appends under way {@code grace} to become durable
     * and be answered, then cuts all streams. Clients find out and try again elsewhere.
     */
    public void stop(Duration grace) {
        guard.stop();
        long deadline = System.nanoTime() + grace.toNanos();
        try {
            server.shutdown();
            while (appendBudget.used() > 0 && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            appendBudget.close();
            server.shutdownNow();
            // Cutting a stream needs the threads: without them, neither side would hear of it.
            server.awaitTermination(CLOSE_GRACE.toMillis(), TimeUnit.MILLISECONDS);
            threads.shutdown();
            if (!threads.awaitTermination(CLOSE_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                threads.shutdownNow();
                threads.awaitTermination(CLOSE_GRACE.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            server.shutdownNow();
            threads.shutdownNow();
        }
        tables.close();
        try {
            allocator.close();
        } catch (IllegalStateException e) {
            LOG.warn("buffers of cancelled streams were still held at the end: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        stop(CLOSE_GRACE);
    }
}
