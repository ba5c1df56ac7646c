package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;

/** Bounds the bytes of batches that are under way, and tells when none is. Thread-safe. */
final class PendingBytes {

    private final long limit;
    private long bytes;
    private int batches;
    private boolean closed;

    PendingBytes(long limit) {
        this.limit = limit;
    }

    /** Waits until there is room; a batch larger than the limit goes alone. */
    synchronized void acquire(long size) {
        // A thread that publishes must go on: room comes from it alone.
        while (!closed && bytes > 0 && bytes + size > limit && !PublishThread.isCurrent()) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new HotStoreException(
                        ErrorCode.STORE_FAILED,
                        "interrupted while waiting for room: "
                                + bytes
                                + " bytes of other batches are under way, "
                                + limit
                                + " are allowed",
                        e);
            }
        }
        if (closed) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED, "the hot store is closing and takes no more rows");
        }
        bytes += size;
        batches++;
    }

    synchronized void release(long size) {
        bytes -= size;
        batches--;
        notifyAll();
    }

    /** Refuses more, and waits until everything under way has ended. */
    synchronized void close() {
        closed = true;
        notifyAll();
        boolean interrupted = false;
        while (batches > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
