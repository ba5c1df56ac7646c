package io.thermocline.source.reader;

import io.thermocline.unionread.reader.RowChunk;

/**
 * A place in a chunk: a row, or, behind the last one, only the position that the chunk leads to.
 */
final class ChunkCursor {

    private final RowChunk chunk;
    private int index = -1;

    ChunkCursor(RowChunk chunk) {
        this.chunk = chunk;
    }

    RowChunk chunk() {
        return chunk;
    }

    int index() {
        return index;
    }

    boolean isAtRow() {
        return index < chunk.rowCount();
    }

    /** Moves on; false behind the end position. */
    boolean advance() {
        if (index >= chunk.rowCount()) {
            return false;
        }
        index++;
        return true;
    }
}
