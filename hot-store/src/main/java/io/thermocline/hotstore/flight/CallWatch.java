package io.thermocline.hotstore.flight;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.AbstractStub;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.CallOptions.GrpcCallOption;

/**
 * Lets a sender wait until a call takes more, or has ended. Flight's client offers only to spin for
 * that. Given to a call as an option, heard by the connection's interceptor.
 */
final class CallWatch implements GrpcCallOption {

    static final CallOptions.Key<CallWatch> KEY = CallOptions.Key.create("call-watch");

    /** gRPC's ready signal is not repeated, so a lost one must not hang a sender for ever. */
    private static final long RECHECK_MILLIS = 100;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final boolean smallMessages;
    private volatile boolean ended;

    /**
     * @param smallMessages whether what the call sends is taken in at once: see {@link
     *     FlightProtocol#SMALL_MESSAGES}
     */
    CallWatch(boolean smallMessages) {
        this.smallMessages = smallMessages;
    }

    boolean smallMessages() {
        return smallMessages;
    }

    @Override
    public <T extends AbstractStub<T>> T wrapStub(T stub) {
        return stub.withOption(KEY, this);
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whoever waits goes on; nothing more will be sent. */
    void end() {
        ended = true;
        signal();
    }

    /**
     * Waits for room.
     *
     * @return false if the call has ended
     */
    boolean awaitReady(BooleanSupplier isReady) {
        if (!ended && isReady.getAsBoolean()) {
            return true;
        }
        lock.lock();
        boolean interrupted = false;
        try {
            while (!ended && !isReady.getAsBoolean()) {
                try {
                    changed.await(RECHECK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    // the message is kept and sent; the caller sees the interruption afterwards
                    interrupted = true;
                }
            }
            return !ended;
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The listener of a call, overheard. */
    <T> ClientCall.Listener<T> watch(ClientCall.Listener<T> listener) {
        return new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onReady() {
                signal();
                super.onReady();
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
                end();
                super.onClose(status, trailers);
            }
        };
    }
}
