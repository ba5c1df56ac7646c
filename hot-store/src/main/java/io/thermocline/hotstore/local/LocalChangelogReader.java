package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import io.thermocline.hotstore.LakeMark;
import io.thermocline.hotstore.arrow.RowBatch;
import io.thermocline.hotstore.filter.ZoneMapFilter;
import io.thermocline.hotstore.format.ColumnMapping;
import io.thermocline.hotstore.format.ControlType;
import io.thermocline.hotstore.format.FrameGroupHeader;
import io.thermocline.hotstore.format.FrameGroupReader;
import io.thermocline.hotstore.local.segment.GroupIndex;
import io.thermocline.hotstore.local.segment.GroupPlace;
import io.thermocline.hotstore.local.segment.GroupReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/** Reads a bucket's changelog from segments and journal. */
final class LocalChangelogReader implements ChangelogReader {

    /** Looks at the index while its groups are being replaced; more than a few cannot fail. */
    private static final int MAX_FIND_ATTEMPTS = 1000;

    private final TableState table;
    private final ChangelogScan scan;
    private final GroupIndex groups;
    private final ColumnMapping columns;
    private final @Nullable ZoneMapFilter skipFilter;
    private volatile long position;
    private volatile boolean woken;
    private volatile boolean closed;

    /** Whether there is more to come for it, as far as it knows. */
    private final AtomicBoolean tailing;

    LocalChangelogReader(TableState table, ChangelogScan scan) {
        this.table = table;
        this.scan = scan;
        this.groups = table.buckets().bucket(scan.bucket()).groups();
        this.columns =
                new ColumnMapping(table.spec().rowType(), wanted(table.spec(), scan.projection()));
        this.skipFilter =
                scan.skipFilter() == null
                        ? null
                        : ZoneMapFilter.of(
                                scan.skipFilter(),
                                table.spec().rowType(),
                                table.spec().rowType(),
                                table.spec().partitionKeys());
        this.position = scan.startOffset();
        if (scan.startOffset() < table.changelogs().start(scan.bucket())
                || scan.startOffset() > end()) {
            throw table.outOfRange(scan.bucket(), scan.startOffset());
        }
        this.tailing = new AtomicBoolean(scan.endOffset() == ChangelogScan.UNBOUNDED);
        if (tailing.get()) {
            table.tailingReaderOpened(scan.bucket());
        }
    }

    private static RowType wanted(HotTableSpec spec, List<String> projection) {
        List<RowType.RowField> fields = new ArrayList<>();
        for (String column : projection) {
            int position = spec.rowType().getFieldIndex(column);
            if (position < 0) {
                throw new HotStoreException(
                        ErrorCode.INVALID_ARGUMENT,
                        "table "
                                + spec.path()
                                + " has no column '"
                                + column
                                + "'; its columns are "
                                + spec.rowType().getFieldNames());
            }
            fields.add(spec.rowType().getFields().get(position));
        }
        return new RowType(false, fields);
    }

    private long end() {
        return table.buckets().ends().ends()[scan.bucket()];
    }

    @Override
    public @Nullable ChangelogBatch poll(Duration timeout) {
        table.touch();
        long deadline = System.nanoTime() + saturatedNanos(timeout);
        while (!isFinished() && !closed) {
            if (woken) {
                woken = false;
                return null;
            }
            table.buckets().checkOpen();
            long end = Math.min(end(), scan.endOffset());
            if (position < end) {
                ChangelogBatch batch = next(end);
                if (batch != null) {
                    return batch;
                }
            } else {
                long remaining = deadline - System.nanoTime();
                boolean advanced =
                        table.buckets()
                                .awaitBeyond(
                                        scan.bucket(), position, remaining, () -> woken || closed);
                if (!advanced && !woken && !closed) {
                    table.buckets().checkOpen();
                    return null;
                }
            }
        }
        return null;
    }

    private static long saturatedNanos(Duration timeout) {
        // Half of the range: a deadline must not wrap around.
        long max = Long.MAX_VALUE / 2;
        return timeout.getSeconds() >= max / 1_000_000_000L ? max : timeout.toNanos();
    }

    /** The next batch; null if the group was skipped. */
    private @Nullable ChangelogBatch next(long end) {
        GroupPlace group = claimGroup();
        try {
            long from = position;
            long to = Math.min(end, group.endOffset());
            FrameGroupReader reader = GroupReader.open(group);
            checkNotDetached(reader.header());
            if (reader.header().isControl()
                    || (skipFilter != null && !skipFilter.mayMatch(reader.header().zoneMap()))) {
                position = to;
                return null;
            }
            ChangelogBatch batch = read(reader, group, from, to);
            position = to;
            return batch;
        } finally {
            group.file().release();
        }
    }

    /** A reader that waits for more than there is now waits in vain once the table is detached. */
    private void checkNotDetached(FrameGroupHeader header) {
        if (header.controlType() == ControlType.DETACH
                && scan.endOffset() == ChangelogScan.UNBOUNDED
                && table.buckets().isDetaching()) {
            endTailing();
            throw table.buckets()
                    .detachingException(
                            "has no more changes: its hot tier is being taken away. The lake table"
                                    + " has every row; read it on with the lake's own connector.");
        }
    }

    private GroupPlace claimGroup() {
        for (int attempt = 0; attempt < MAX_FIND_ATTEMPTS; attempt++) {
            if (position < table.changelogs().start(scan.bucket())) {
                throw table.outOfRange(scan.bucket(), position);
            }
            GroupPlace group = groups.find(position);
            if (group != null && group.file().claim()) {
                return group;
            }
            table.buckets().checkOpen();
            Thread.onSpinWait();
        }
        throw new HotStoreException(
                ErrorCode.INTERNAL,
                "offset "
                        + position
                        + " of bucket "
                        + scan.bucket()
                        + " of table "
                        + table.spec().path()
                        + " is in no file, although the changelog holds it");
    }

    private ChangelogBatch read(FrameGroupReader reader, GroupPlace group, long from, long to) {
        long[] timestamps = reader.commitTimestamps();
        RowBatch rows = reader.decode(columns, table.allocator());
        int first = (int) (from - group.baseOffset());
        int last = (int) (to - group.baseOffset());
        LakeMark mark = reader.header().origin().mark();
        if (first == 0 && last == rows.rowCount()) {
            return new ChangelogBatch(from, rows, timestamps, mark);
        }
        try (rows) {
            return new ChangelogBatch(
                    from,
                    rows.slice(first, last),
                    Arrays.copyOfRange(timestamps, first, last),
                    mark);
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public boolean isFinished() {
        return position >= scan.endOffset();
    }

    @Override
    public void wakeUp() {
        woken = true;
        table.buckets().wakeReaders();
    }

    @Override
    public void close() {
        closed = true;
        endTailing();
        table.buckets().wakeReaders();
    }

    private void endTailing() {
        if (tailing.compareAndSet(true, false)) {
            table.tailingReaderEnded(scan.bucket());
        }
    }
}
