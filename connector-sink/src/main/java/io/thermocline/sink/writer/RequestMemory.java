package io.thermocline.sink.writer;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory that a writer's rows live in. Requests under way may outlive the writer, when its task
 * fails or is cancelled; the memory is given back when the last of them has ended. Thread-safe.
 */
final class RequestMemory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RequestMemory.class);

    private final BufferAllocator allocator;
    private final AtomicInteger users = new AtomicInteger(1);

    RequestMemory(BufferAllocator allocator) {
        this.allocator = allocator;
    }

    BufferAllocator allocator() {
        return allocator;
    }

    void requestStarts() {
        users.incrementAndGet();
    }

    /** A request has ended and its rows are closed. */
    void requestEnded() {
        if (users.decrementAndGet() == 0) {
            try {
                allocator.close();
            } catch (IllegalStateException e) {
                LOG.error("Rows of a request that outlived its writer were not closed", e);
            }
        }
    }

    /**
     * The writer has closed its buffers.
     *
     * @throws IllegalStateException if rows were not closed
     */
    @Override
    public void close() {
        if (users.decrementAndGet() == 0) {
            allocator.close();
        }
    }
}
