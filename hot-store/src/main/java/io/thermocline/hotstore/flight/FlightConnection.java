package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.StoreIdentity;
import io.thermocline.hotstore.flight.WireErrors.ConnectionLost;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.Result;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to a store across restarts of its server: finds the endpoint again when the connection is
 * lost, checks that the same store answers, and repeats calls within the retry time. Thread-safe.
 */
final class FlightConnection implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FlightConnection.class);

    private static final long HANDSHAKE_SECONDS = 10;
    private static final long KEEP_ALIVE_SECONDS = 20;
    private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 20;
    private static final long FIRST_BACKOFF_MILLIS = 20;
    private static final long MAX_BACKOFF_MILLIS = 500;

    private final EndpointSource source;
    private final RemoteOptions options;
    private final BufferAllocator allocator;
    private final ReentrantLock connecting = new ReentrantLock();
    private final ReentrantLock closing = new ReentrantLock();
    private final Condition closedSignal = closing.newCondition();
    private volatile @Nullable Session session;
    private volatile @Nullable StoreIdentity identity;
    private volatile boolean closed;
    private @Nullable Endpoint failed; // guarded by connecting

    FlightConnection(EndpointSource source, RemoteOptions options, BufferAllocator allocator) {
        this.source = source;
        this.options = options;
        this.allocator = allocator;
    }

    BufferAllocator allocator() {
        return allocator;
    }

    RemoteOptions options() {
        return options;
    }

    boolean isClosed() {
        return closed;
    }

    /** Who answered last. */
    StoreIdentity identity() {
        StoreIdentity known = identity;
        if (known == null) {
            throw new IllegalStateException("not connected yet");
        }
        return known;
    }

    /** A clock for the attempts at one thing. */
    Attempts attempts(String what) {
        return new Attempts(what, options.retryTimeout());
    }

    /** Runs a small call, again if the connection is lost. */
    <T> T call(String what, Function<FlightClient, T> call) {
        Attempts attempts = attempts(what);
        while (true) {
            Session held = null;
            try {
                held = hold();
                return call.apply(held.client());
            } catch (RuntimeException e) {
                attempts.failed(e, held);
            } finally {
                if (held != null) {
                    held.release();
                }
            }
        }
    }

    /** Runs an action with a JSON body and a JSON answer. */
    byte[] action(String type, Object body) {
        byte[] json = WireJson.bytes(body);
        return call(type, client -> action(client, type, json));
    }

    /**
     * Holds a live session, connecting if there is none. The caller releases it.
     *
     * @throws ConnectionLost if that does not succeed now
     */
    Session hold() {
        Session live = session;
        if (live != null && live.hold()) {
            return live;
        }
        lockConnecting();
        try {
            checkOpen();
            live = session;
            if (live != null && live.hold()) {
                return live;
            }
            Session fresh = connect();
            fresh.hold();
            session = fresh;
            if (closed) {
                fresh.retire();
            }
            return fresh;
        } finally {
            connecting.unlock();
        }
    }

    private void lockConnecting() {
        try {
            // somebody else may be waiting here for a server to start
            connecting.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HotStoreException(
                    ErrorCode.STORE_UNREACHABLE,
                    "interrupted while connecting to the hot store at " + source.describe(),
                    e);
        }
    }

    /** Holds a live session, trying for the retry time. */
    Session holdPatiently(String what) {
        return holdPatiently(attempts(what));
    }

    /** Makes the first connection. */
    void connect(Duration patience) {
        holdPatiently(new Attempts("connecting", patience)).release();
    }

    private Session holdPatiently(Attempts attempts) {
        while (true) {
            try {
                return hold();
            } catch (RuntimeException e) {
                attempts.failed(e, null);
            }
        }
    }

    private Session connect() {
        Endpoint endpoint;
        try {
            endpoint = source.locate(failed, options.retryTimeout());
        } catch (HotStoreException e) {
            if (e.code() == ErrorCode.STORE_UNREACHABLE) {
                throw new ConnectionLost(e.getMessage(), e);
            }
            throw e;
        }
        Session fresh = open(endpoint);
        boolean accepted = false;
        try {
            greet(fresh);
            accepted = true;
            failed = null;
            return fresh;
        } catch (RuntimeException e) {
            RuntimeException meaning = WireErrors.fromFlight(e);
            boolean sameAgain = endpoint.equals(failed);
            failed = endpoint;
            if (meaning instanceof HotStoreException error
                    && error.code() == ErrorCode.AUTHENTICATION_FAILED
                    && !sameAgain) {
                // the file may belong to a server that has just been replaced: read it once more
                throw new ConnectionLost(error.getMessage(), error);
            }
            throw meaning;
        } finally {
            if (!accepted) {
                fresh.retire();
            }
        }
    }

    private Session open(Endpoint endpoint) {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress(endpoint.host(), endpoint.port())
                        .usePlaintext()
                        .flowControlWindow(FlightProtocol.FLOW_CONTROL_WINDOW)
                        .maxInboundMessageSize(FlightProtocol.MAX_MESSAGE_BYTES)
                        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                        .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                        .directExecutor()
                        .intercept(new TokenInterceptor(endpoint.token()))
                        .build();
        return new Session(
                endpoint, channel, FlightGrpcUtils.createFlightClient(allocator, channel));
    }

    private void greet(Session fresh) {
        JsonNode answer =
                WireJson.parse(
                        action(
                                fresh.client(),
                                FlightProtocol.HANDSHAKE,
                                WireJson.bytes(WireJson.object())));
        long version = WireJson.number(answer, "protocolVersion");
        if (version != FlightProtocol.VERSION) {
            throw new HotStoreException(
                    ErrorCode.UNSUPPORTED_FORMAT_VERSION,
                    "the server at "
                            + fresh.endpoint()
                            + " speaks protocol version "
                            + version
                            + ", this client version "
                            + FlightProtocol.VERSION
                            + ": they are of different Thermocline releases. Stop the server"
                            + " with './thermocline server stop' (its next use starts one of this"
                            + " release), or use the server's release here");
        }
        StoreIdentity answered =
                new StoreIdentity(
                        WireJson.text(answer, "storeId"), WireJson.number(answer, "epoch"));
        StoreIdentity known = identity;
        String expected = known == null ? fresh.endpoint().storeId() : known.storeId();
        if (expected != null && !answered.storeId().equals(expected)) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "the server at "
                            + fresh.endpoint()
                            + " holds store "
                            + answered.storeId()
                            + ", not "
                            + expected
                            + ". Check server.address and the store record of the warehouse");
        }
        identity = answered;
        LOG.debug("connected to {}", fresh.endpoint());
    }

    private static byte[] action(FlightClient client, String type, byte[] body) {
        boolean quick = type.equals(FlightProtocol.HANDSHAKE);
        Action action = new Action(type, body);
        Iterator<Result> results =
                quick
                        ? client.doAction(
                                action,
                                org.apache.arrow.flight.CallOptions.timeout(
                                        HANDSHAKE_SECONDS, TimeUnit.SECONDS))
                        : client.doAction(action);
        byte[] answer = results.next().getBody();
        while (results.hasNext()) {
            results.next();
        }
        return answer;
    }

    private void checkOpen() {
        if (closed) {
            throw closedFailure();
        }
    }

    HotStoreException closedFailure() {
        return new HotStoreException(
                ErrorCode.TABLE_CLOSED,
                "the connection to the hot store at " + source.describe() + " is closed");
    }

    @Override
    public void close() {
        closing.lock();
        try {
            closed = true;
            closedSignal.signalAll();
        } finally {
            closing.unlock();
        }
        Session live = session;
        if (live != null) {
            live.retire();
        }
    }

    /** Counts the failures of one thing that is tried again and again. Not thread-safe. */
    final class Attempts {

        private final String what;
        private final Duration patience;
        private long deadlineNanos;
        private long backoffMillis = FIRST_BACKOFF_MILLIS;
        private boolean failing;

        private Attempts(String what, Duration patience) {
            this.what = what;
            this.patience = patience;
        }

        /** Something went well: the retry time starts anew with the next failure. */
        void progressed() {
            failing = false;
            backoffMillis = FIRST_BACKOFF_MILLIS;
        }

        /**
         * Returns after a pause if another attempt makes sense, else throws.
         *
         * @param used the session that failed, if it came to that
         */
        void failed(Throwable failure, @Nullable Session used) {
            RuntimeException meaning = WireErrors.fromFlight(failure);
            if (!(meaning instanceof ConnectionLost)) {
                throw meaning;
            }
            if (used != null) {
                used.retire();
            }
            checkOpen();
            long now = System.nanoTime();
            if (!failing) {
                failing = true;
                deadlineNanos = now + patience.toNanos();
                LOG.info("{}: no connection ({})", what, meaning.getMessage());
            }
            if (now >= deadlineNanos) {
                LOG.info("{} failed", what, meaning);
                throw unreachable(meaning);
            }
            pause();
        }

        /** Without a cause, because SQL clients show the innermost message alone. */
        private HotStoreException unreachable(RuntimeException last) {
            return new HotStoreException(
                    ErrorCode.STORE_UNREACHABLE,
                    what
                            + " failed: the hot store at "
                            + source.describe()
                            + " did not answer"
                            + (patience.isZero()
                                    ? ""
                                    : " for " + patience.toSeconds() + " s (server.retry-timeout)")
                            + ". Last error: "
                            + WireErrors.describe(last)
                            + ". See server.log in the server's hot directory");
        }

        private void pause() {
            closing.lock();
            try {
                if (!closed) {
                    closedSignal.await(backoffMillis, TimeUnit.MILLISECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new HotStoreException(
                        ErrorCode.STORE_UNREACHABLE, what + " was interrupted while waiting", e);
            } finally {
                closing.unlock();
            }
            checkOpen();
            backoffMillis = Math.min(2 * backoffMillis, MAX_BACKOFF_MILLIS);
        }
    }

    /** Adds the token to every call, and lets a call be watched. */
    private static final class TokenInterceptor implements ClientInterceptor {

        private final String header;

        private TokenInterceptor(String token) {
            this.header = CallGuard.header(token);
        }

        @Override
        public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
                MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
            CallWatch watch = options.getOption(CallWatch.KEY);
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<RespT> listener, Metadata headers) {
                    headers.put(CallGuard.AUTHORIZATION, header);
                    if (watch != null && watch.smallMessages()) {
                        headers.put(FlightProtocol.SMALL_MESSAGES, "true");
                    }
                    super.start(watch == null ? listener : watch.watch(listener), headers);
                }
            };
        }
    }
}
