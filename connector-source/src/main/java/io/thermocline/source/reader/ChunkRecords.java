package io.thermocline.source.reader;

import io.thermocline.unionread.reader.RowChunk;
import java.util.Set;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.jspecify.annotations.Nullable;

/** A chunk of one split on its way to the task thread. Its memory lives until it was emitted. */
final class ChunkRecords implements RecordsWithSplitIds<ChunkCursor> {

    private final @Nullable RowChunk chunk;
    private final Set<String> finishedSplits;
    private final OpenChunks openChunks;
    private @Nullable String splitId;
    private @Nullable ChunkCursor cursor;

    private ChunkRecords(
            @Nullable String splitId,
            @Nullable RowChunk chunk,
            Set<String> finishedSplits,
            OpenChunks openChunks) {
        this.splitId = splitId;
        this.chunk = chunk;
        this.finishedSplits = finishedSplits;
        this.openChunks = openChunks;
    }

    /** Rows of a split. */
    static ChunkRecords of(String splitId, RowChunk chunk, OpenChunks openChunks) {
        openChunks.add(chunk);
        return new ChunkRecords(splitId, chunk, Set.of(), openChunks);
    }

    /** Nothing came. */
    static ChunkRecords none(OpenChunks openChunks) {
        return new ChunkRecords(null, null, Set.of(), openChunks);
    }

    /** The last rows of a split were handed out before. */
    static ChunkRecords finished(String splitId, OpenChunks openChunks) {
        return new ChunkRecords(null, null, Set.of(splitId), openChunks);
    }

    @Override
    public @Nullable String nextSplit() {
        String next = splitId;
        splitId = null;
        cursor = next == null ? null : new ChunkCursor(chunk);
        return next;
    }

    @Override
    public @Nullable ChunkCursor nextRecordFromSplit() {
        return cursor != null && cursor.advance() ? cursor : null;
    }

    @Override
    public Set<String> finishedSplits() {
        return finishedSplits;
    }

    @Override
    public void recycle() {
        if (chunk != null) {
            openChunks.close(chunk);
        }
    }
}
