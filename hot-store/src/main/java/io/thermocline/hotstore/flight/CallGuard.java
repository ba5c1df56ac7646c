package io.thermocline.hotstore.flight;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stands before every call: checks the token, refuses calls while stopping, counts open calls. */
final class CallGuard implements ServerInterceptor {

    static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private static final String SCHEME = "Bearer ";

    private final byte[] expected;
    private volatile boolean stopping;
    private int openCalls; // guarded by this
    private boolean called; // guarded by this
    private long quietSinceNanos = System.nanoTime(); // guarded by this

    CallGuard(String token) {
        this.expected = header(token).getBytes(StandardCharsets.UTF_8);
    }

    static String header(String token) {
        return SCHEME + token;
    }

    @Override
    public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
            ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
        String given = headers.get(AUTHORIZATION);
        if (given == null
                || !MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) {
            return refuse(
                    call,
                    ErrorCode.AUTHENTICATION_FAILED,
                    (given == null ? "the call carries no token" : "the token is not this server's")
                            + ". Send the header 'authorization: Bearer <token>' with the token of"
                            + " the endpoint file in the hot directory");
        }
        if (stopping) {
            return refuse(call, ErrorCode.STORE_UNREACHABLE, "the server is shutting down");
        }
        opened();
        AtomicBoolean open = new AtomicBoolean(true);
        AnsweredCall<ReqT, RespT> answered = new AnsweredCall<>(call);
        ServerCall.Listener<ReqT> listener;
        try {
            listener = next.startCall(answered, headers);
        } catch (RuntimeException | Error e) {
            closed(open);
            throw e;
        }
        return new SimpleForwardingServerCallListener<>(listener) {
            @Override
            public void onMessage(ReqT message) {
                if (answered.malformed) {
                    return;
                }
                try {
                    super.onMessage(message);
                } catch (RuntimeException e) {
                    answered.refuse(WireInput.malformed("a message", e));
                    super.onCancel();
                }
            }

            @Override
            public void onComplete() {
                closed(open);
                if (answered.ended.get()) {
                    super.onComplete();
                } else {
                    // gRPC has ended the call, over a message that it could not read. Nobody else
                    // tells whoever waits for the next one.
                    answered.malformed = true;
                    super.onCancel();
                }
            }

            @Override
            public void onCancel() {
                closed(open);
                super.onCancel();
            }
        };
    }

    /** A call that can be ended from outside while it is served. */
    private static final class AnsweredCall<ReqT, RespT>
            extends SimpleForwardingServerCall<ReqT, RespT> {

        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile boolean malformed;

        private AnsweredCall(ServerCall<ReqT, RespT> call) {
            super(call);
        }

        private void refuse(HotStoreException error) {
            malformed = true;
            close(WireErrors.toGrpc(error), new Metadata());
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (!ended.getAndSet(true)) {
                super.close(status, trailers);
            }
        }

        @Override
        public boolean isCancelled() {
            return malformed || super.isCancelled();
        }
    }

    /** Refuses calls from now on. */
    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Nanoseconds since the last call ended; 0 while one is open. */
    synchronized long quietNanos() {
        return openCalls > 0 ? 0 : System.nanoTime() - quietSinceNanos;
    }

    /** Whether there was any call. */
    synchronized boolean wasCalled() {
        return called;
    }

    synchronized int openCalls() {
        return openCalls;
    }

    private synchronized void opened() {
        openCalls++;
        called = true;
    }

    private synchronized void closed(AtomicBoolean open) {
        if (open.getAndSet(false)) {
            openCalls--;
            quietSinceNanos = System.nanoTime();
        }
    }

    private static <ReqT, RespT> ServerCall.Listener<ReqT> refuse(
            ServerCall<ReqT, RespT> call, ErrorCode code, String message) {
        call.close(WireErrors.toGrpc(new HotStoreException(code, message)), new Metadata());
        return new ServerCall.Listener<>() {};
    }
}
