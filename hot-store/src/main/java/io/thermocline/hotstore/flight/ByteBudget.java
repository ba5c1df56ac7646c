package io.thermocline.hotstore.flight;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds bytes that are under way. A request larger than the whole budget passes when it is alone.
 */
final class ByteBudget {

    private final long limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();
    private long used;
    private boolean closed;

    ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Waits until there is room; returns false once closed. */
    boolean acquire(long bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed && used > 0 && used + bytes > limit) {
                freed.await();
            }
            if (closed) {
                return false;
            }
            used += bytes;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void release(long bytes) {
        lock.lock();
        try {
            used -= bytes;
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    /** Lets everybody who waits go. */
    void close() {
        lock.lock();
        try {
            closed = true;
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
