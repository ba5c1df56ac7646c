package io.thermocline.hotstore.flight;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
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
        ServerCall.Listener<ReqT> listener;
        try {
            listener = next.startCall(call, headers);
        } catch (RuntimeException | Error e) {
            closed(open);
            throw e;
        }
        return new SimpleForwardingServerCallListener<>(listener) {
            @Override
            public void onComplete() {
                closed(open);
                super.onComplete();
            }

            @Override
            public void onCancel() {
                closed(open);
                super.onCancel();
            }
        };
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
