package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.AppendBatch;
import io.thermocline.hotstore.WriterEpoch;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds the batches of each writer to each bucket that have no answer: a batch that is repeated
 * must still be known to the store.
 */
final class AppendWindow {

    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();
    private final Map<Line, Integer> unanswered = new HashMap<>(); // guarded by lock
    private boolean closed; // guarded by lock

    AppendWindow(int limit) {
        this.limit = limit;
    }

    private record Line(WriterEpoch writer, int bucket) {

        private static Line of(AppendBatch batch) {
            return new Line(batch.writer(), batch.bucket());
        }
    }

    /** Waits until there is room for the batch; returns false once closed. */
    boolean acquire(AppendBatch batch) throws InterruptedException {
        Line line = Line.of(batch);
        lock.lockInterruptibly();
        try {
            while (!closed && unanswered.getOrDefault(line, 0) >= limit) {
                freed.await();
            }
            if (closed) {
                return false;
            }
            unanswered.merge(line, 1, Integer::sum);
            return true;
        } finally {
            lock.unlock();
        }
    }

    void release(AppendBatch batch) {
        lock.lock();
        try {
            unanswered.computeIfPresent(
                    Line.of(batch), (line, count) -> count == 1 ? null : count - 1);
            freed.signalAll();
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
