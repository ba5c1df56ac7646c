package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.key.KeyEncoder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * The last record of every key in a changelog range of a primary-key table. Changelog rows are
 * merged already, so this is the net change of the range for every merge engine.
 *
 * <p>Reads the range backwards in chunks: the first record met of a key is its last one, so that
 * only the keys met are remembered ({@link SpillableKeySet}), never the rows. The order of the rows
 * is that of their offsets, descending. Confined to one thread.
 */
public final class NetChangeReader implements AutoCloseable {

    private static final long FIRST_CHUNK_RECORDS = 8_192;
    private static final long MIN_CHUNK_RECORDS = 1_024;
    private static final long MAX_CHUNK_RECORDS = 262_144;
    private static final long CHUNK_TARGET_BYTES = 16L << 20;
    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

    private final HotTable table;
    private final NetChangeScan scan;
    private final ColumnSelection columns;
    private final KeyEncoder keyEncoder;
    private final SpillableKeySet seen;

    /** The present chunk's batches, the last one on top. */
    private final Deque<ChangelogBatch> chunk = new ArrayDeque<>();

    private long chunkRecords = FIRST_CHUNK_RECORDS;

    /** Everything at and above this offset is in the present chunk or done. */
    private long chunkStart;

    /** Row of the top batch that comes next, counting down. */
    private int nextRow = -1;

    /**
     * @param table the table; it must outlive this reader
     * @param scan what to read
     * @param spill bounds of the memory for keys
     */
    public NetChangeReader(HotTable table, NetChangeScan scan, SpillSettings spill) {
        this.table = table;
        this.scan = scan;
        this.columns =
                ColumnSelection.of(
                        table.spec().rowType(), scan.projection(), table.spec().primaryKey());
        this.keyEncoder = KeyEncoder.forRows(table.spec(), columns.readColumns());
        this.seen = new SpillableKeySet(spill);
        this.chunkStart = scan.endOffset();
    }

    /**
     * Next row: exactly the projected columns; of kind -D for a deleted key, else of the kind that
     * its last record has (+I or +U).
     *
     * @return null at the end; the row is valid until the next call
     */
    public @Nullable RowData next() {
        while (true) {
            while (nextRow < 0) {
                if (!nextBatch()) {
                    return null;
                }
            }
            RowData row = takeIfLast(chunk.getLast(), nextRow--);
            if (row != null) {
                return row;
            }
        }
    }

    @Override
    public void close() {
        chunk.forEach(ChangelogBatch::close);
        chunk.clear();
        seen.close();
    }

    private @Nullable RowData takeIfLast(ChangelogBatch batch, int index) {
        RowKind kind = batch.rows().rowKind(index);
        // a -U is always followed by its +U, which stands for the key
        if (kind == RowKind.UPDATE_BEFORE) {
            return null;
        }
        RowData row = batch.rows().row(index);
        if (!seen.add(keyEncoder.encode(row)) || (kind == RowKind.DELETE && !scan.withDeletes())) {
            return null;
        }
        return columns.select(row);
    }

    /** Moves to the batch below; reads the chunk below when the present one is done. */
    private boolean nextBatch() {
        if (!chunk.isEmpty()) {
            chunk.removeLast().close();
        }
        while (chunk.isEmpty()) {
            if (chunkStart <= scan.startOffset()) {
                return false;
            }
            readChunk();
        }
        nextRow = chunk.getLast().rows().rowCount() - 1;
        return true;
    }

    private void readChunk() {
        long end = chunkStart;
        long start = Math.max(scan.startOffset(), end - chunkRecords);
        List<String> names = columns.readColumns();
        long bytes = 0;
        long records = 0;
        try (ChangelogReader reader =
                table.readChangelog(
                        new ChangelogScan(scan.bucket(), start, end, names, scan.skipFilter()))) {
            while (!reader.isFinished()) {
                ChangelogBatch batch = reader.poll(POLL_TIMEOUT);
                if (batch != null) {
                    chunk.addLast(batch);
                    bytes += batch.rows().sizeBytes();
                    records += batch.rows().rowCount();
                } else {
                    ReaderInterruption.check(scan.bucket());
                }
            }
        }
        if (records > 0) {
            long fitting = CHUNK_TARGET_BYTES / Math.max(1, bytes / records);
            chunkRecords = Math.max(MIN_CHUNK_RECORDS, Math.min(MAX_CHUNK_RECORDS, fitting));
        }
        chunkStart = start;
    }
}
