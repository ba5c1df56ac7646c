package io.thermocline.unionread.reader;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTable;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads a range that is readable already to its end. Confined to one thread. */
public final class RangeReader implements AutoCloseable {

    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(5);

    /** Polls without a record after which the store is taken for stuck. */
    private static final int MAX_EMPTY_POLLS = 24;

    private final ChangelogScan scan;
    private final String table;
    private final ChangelogReader reader;
    private @Nullable ChangelogBatch next;

    /** Opens a range of a bucket's changelog; its records are there already. */
    public RangeReader(HotTable hot, ChangelogScan scan) {
        this.scan = scan;
        this.table = hot.spec().path().getFullName();
        this.reader = hot.readChangelog(scan);
    }

    /** Waits for the next batch; false at the end of the range. */
    public boolean hasNext() {
        if (next == null) {
            next = poll();
        }
        return next != null;
    }

    /** The next batch, to be closed by the caller. Only after {@link #hasNext()}. */
    public ChangelogBatch next() {
        ChangelogBatch batch = Objects.requireNonNull(next, "hasNext() was not asked");
        next = null;
        return batch;
    }

    private @Nullable ChangelogBatch poll() {
        for (int poll = 0; poll < MAX_EMPTY_POLLS && !reader.isFinished(); poll++) {
            long before = reader.position();
            ChangelogBatch batch = reader.poll(POLL_TIMEOUT);
            if (batch != null) {
                return batch;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new HotStoreException(
                        ErrorCode.TABLE_CLOSED,
                        "reading the changelog of table " + table + " was interrupted");
            }
            if (reader.position() > before) {
                poll = -1;
            }
        }
        if (!reader.isFinished()) {
            throw new HotStoreException(
                    ErrorCode.STORE_UNREACHABLE,
                    "the hot store delivered nothing of bucket "
                            + scan.bucket()
                            + " of table "
                            + table
                            + " for "
                            + POLL_TIMEOUT.multipliedBy(MAX_EMPTY_POLLS).toSeconds()
                            + " s at offset "
                            + reader.position()
                            + ", though it can be read up to "
                            + scan.endOffset()
                            + ". Check the store, then try again.");
        }
        return null;
    }

    @Override
    public void close() {
        if (next != null) {
            next.close();
        }
        reader.close();
    }
}
