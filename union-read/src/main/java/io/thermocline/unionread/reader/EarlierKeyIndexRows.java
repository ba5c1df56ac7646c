package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import io.thermocline.hotstore.KeyIndexSnapshot;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.key.KeyEncoder;
import io.thermocline.unionread.plan.OffsetRange;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows of one bucket as a key-index snapshot held them that is gone, in the same order: those of a
 * new snapshot, with the changes undone that came between the two. A key's first record since then
 * tells what it was: +I nothing, -U and -D the row that they carry.
 *
 * <p>Keeps those rows in memory, within the bound of a key set.
 */
final class EarlierKeyIndexRows implements BoundedStepReader.Rows {

    private static final Logger LOG = LoggerFactory.getLogger(EarlierKeyIndexRows.class);

    /** The snapshot ends by itself when it was not read for this long. */
    private static final Duration MAX_IDLE = Duration.ofMinutes(10);

    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

    /** What an entry takes besides its key and row. */
    private static final int ENTRY_BYTES = 120;

    private final ReadContext context;
    private final int bucket;
    private final ColumnSelection columns;
    private final KeyEncoder keyEncoder;

    /** Per changed key the row that it had, if any; in key order. */
    private final TreeMap<byte[], Optional<BinaryRowData>> before =
            new TreeMap<>(Arrays::compareUnsigned);

    private final KeyIndexSnapshot snapshot;
    private KeyIndexSnapshot.@Nullable Scan scan;
    private @Nullable RowBatch batch;
    private int row;

    /** Key of the row that {@link #batch} and {@link #row} point to; null behind the last row. */
    private byte @Nullable [] key;

    /** Whether the present row was handed out or replaced. */
    private boolean done = true;

    /** The store may be away: closing the snapshot would wait for it, and it ends by itself. */
    private boolean unreachable;

    /**
     * @param offset the lost snapshot held the effects of the bucket's records below it
     * @throws LostPositionException if the changelog does not reach back, or changed too much
     */
    EarlierKeyIndexRows(ReadContext context, int bucket, long offset) {
        HotTable table = context.hotTable();
        this.context = context;
        this.bucket = bucket;
        this.columns =
                ColumnSelection.of(
                        table.spec().rowType(),
                        context.scan().projection(),
                        table.spec().primaryKey());
        this.keyEncoder = KeyEncoder.forRows(table.spec(), columns.readColumns());
        this.snapshot = table.openKeyIndexSnapshot(MAX_IDLE.toMillis());
        try {
            long end = snapshot.offsets().offsets().get(bucket);
            readChanges(table, new OffsetRange(offset, Math.max(offset, end)));
            this.scan = snapshot.scan(bucket, columns.readColumns());
        } catch (RuntimeException e) {
            unreachable = !(e instanceof LostPositionException);
            close();
            throw e;
        }
    }

    @Override
    public @Nullable RowData next() {
        while (true) {
            if (done) {
                advance();
            }
            Map.Entry<byte[], Optional<BinaryRowData>> changed = before.firstEntry();
            int order = order(changed == null ? null : changed.getKey());
            if (order > 0) {
                if (key == null) {
                    return null;
                }
                done = true;
                return columns.select(batch.row(row));
            }
            before.pollFirstEntry();
            done = order == 0;
            if (changed.getValue().isPresent()) {
                return columns.select(changed.getValue().get());
            }
        }
    }

    @Override
    public void close() {
        before.clear();
        closeBatch();
        if (scan != null) {
            scan.close();
        }
        if (!unreachable) {
            try {
                snapshot.close();
            } catch (HotStoreException e) {
                LOG.debug("A key-index snapshot was not closed, it ends when it idled", e);
            }
        }
    }

    /**
     * Whether a changed key comes before the present row (negative), is its key, or comes after.
     */
    private int order(byte @Nullable [] changed) {
        if (changed == null) {
            return 1;
        }
        return key == null ? -1 : Arrays.compareUnsigned(changed, key);
    }

    private void advance() {
        done = false;
        row++;
        while (batch == null || row == batch.rowCount()) {
            closeBatch();
            batch = nextBatch();
            row = 0;
            if (batch == null) {
                key = null;
                return;
            }
        }
        key = keyEncoder.encode(batch.row(row));
    }

    private @Nullable RowBatch nextBatch() {
        try {
            return scan.next();
        } catch (RuntimeException e) {
            unreachable = true;
            throw e;
        }
    }

    private void closeBatch() {
        if (batch != null) {
            batch.close();
            batch = null;
        }
    }

    // No filter: the rows must be all that the snapshot had, because they are counted.
    private void readChanges(HotTable table, OffsetRange range) {
        if (range.isEmpty()) {
            return;
        }
        RowDataSerializer serializer = new RowDataSerializer(columns.readType());
        ChangelogScan changes =
                new ChangelogScan(bucket, range.start(), range.end(), columns.readColumns(), null);
        long bytes = 0;
        try (ChangelogReader reader = table.readChangelog(changes)) {
            while (!reader.isFinished()) {
                try (ChangelogBatch read = reader.poll(POLL_TIMEOUT)) {
                    if (read != null) {
                        bytes += addFirst(read.rows(), serializer);
                        checkMemory(bytes, range);
                    }
                }
                ReaderInterruption.check(bucket);
            }
        } catch (HotStoreException e) {
            if (e.code() != ErrorCode.OFFSET_OUT_OF_RANGE) {
                throw e;
            }
            throw lost("the changelog does not hold them all any more", range, e);
        }
    }

    private long addFirst(RowBatch changes, RowDataSerializer serializer) {
        long bytes = 0;
        for (int i = 0; i < changes.rowCount(); i++) {
            RowData change = changes.row(i);
            byte[] changedKey = keyEncoder.encode(change);
            if (before.containsKey(changedKey)) {
                continue;
            }
            Optional<BinaryRowData> old =
                    changes.rowKind(i) == RowKind.INSERT
                            ? Optional.empty()
                            : Optional.of(serializer.toBinaryRow(change).copy());
            before.put(changedKey, old);
            bytes +=
                    ENTRY_BYTES
                            + changedKey.length
                            + old.map(BinaryRowData::getSizeInBytes).orElse(0);
        }
        return bytes;
    }

    private void checkMemory(long bytes, OffsetRange range) {
        if (bytes > context.spill().memoryBytes()) {
            throw lost(
                    "they take more than the "
                            + context.spill().memoryBytes()
                            + " bytes of scan.key-memory",
                    range,
                    null);
        }
    }

    private LostPositionException lost(
            String why, OffsetRange range, @Nullable HotStoreException cause) {
        return new LostPositionException(
                ErrorCode.SNAPSHOT_NOT_FOUND,
                "cannot go on reading the state of table "
                        + context.table().spec().path()
                        + " bucket "
                        + bucket
                        + ": the key-index snapshot that was read ended with the hot store that made"
                        + " it, or was not used for too long, and the changes since, offsets "
                        + range.start()
                        + " to "
                        + range.end()
                        + ", cannot be undone: "
                        + why
                        + ". Start the query again without the old state; raise scan.key-memory and"
                        + " hot.log.retention to survive longer interruptions",
                cause);
    }
}
