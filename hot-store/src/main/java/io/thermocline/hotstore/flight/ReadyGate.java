package io.thermocline.hotstore.flight;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;

/**
 * Lets a serving thread wait until the client takes more, or has gone. Registered inside the gRPC
 * callback, which must return at once; waited on by another thread.
 */
final class ReadyGate {

    /** gRPC's ready signal is not repeated, so a lost one must not hang a stream for ever. */
    private static final long RECHECK_MILLIS = 500;

    private final ServerStreamListener listener;
    private final Runnable onCancel;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    ReadyGate(ServerStreamListener listener, Runnable onCancel) {
        this.listener = listener;
        this.onCancel = onCancel;
        listener.setOnReadyHandler(this::signal);
        listener.setOnCancelHandler(this::cancelled);
    }

    /**
     * Waits for room.
     *
     * @return false if the client has cancelled the call
     */
    boolean awaitReady() throws InterruptedException {
        if (listener.isReady()) {
            return true;
        }
        lock.lockInterruptibly();
        try {
            while (!listener.isReady() && !listener.isCancelled()) {
                changed.await(RECHECK_MILLIS, TimeUnit.MILLISECONDS);
            }
            return !listener.isCancelled();
        } finally {
            lock.unlock();
        }
    }

    private void cancelled() {
        onCancel.run();
        signal();
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
