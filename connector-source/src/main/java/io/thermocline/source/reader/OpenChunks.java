package io.thermocline.source.reader;

import io.thermocline.unionread.reader.RowChunk;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Chunks between fetcher and task thread. Those that are never emitted, because the task ends, are
 * closed with the reader. Thread-safe.
 */
final class OpenChunks implements AutoCloseable {

    private final Set<Held> chunks = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** A chunk by identity. */
    private static final class Held {
        private final RowChunk chunk;

        private Held(RowChunk chunk) {
            this.chunk = chunk;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Held held && held.chunk == chunk;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(chunk);
        }
    }

    void add(RowChunk chunk) {
        chunks.add(new Held(chunk));
        if (closed) {
            // its fetcher outlived the reader; nobody will emit it
            close(chunk);
        }
    }

    /** Closes a chunk, once. */
    void close(RowChunk chunk) {
        if (chunks.remove(new Held(chunk))) {
            chunk.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        chunks.forEach(held -> close(held.chunk));
    }
}
