package io.thermocline.benchmarks.iceberg;

import io.thermocline.benchmarks.driver.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;

/** Notes when commits of a table can be seen, and which timed rows they bring. */
final class CommitWatch implements AutoCloseable {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Table table;
    private final List<Seen> seen = new ArrayList<>();
    private final Thread thread = new Thread(this::watch, "commits");
    private final AtomicInteger commits = new AtomicInteger();
    private volatile RuntimeException failure;
    private volatile boolean ending;

    private record Seen(Snapshot snapshot, long nanos) {}

    /** Begins to look. */
    CommitWatch(Path table) {
        this.table = TableHealth.load(table);
        thread.start();
    }

    private void watch() {
        try {
            while (!ending) {
                table.refresh();
                Snapshot current = table.currentSnapshot();
                boolean news =
                        current != null
                                && (seen.isEmpty()
                                        || seen.get(seen.size() - 1).snapshot().snapshotId()
                                                != current.snapshotId());
                if (news) {
                    seen.add(new Seen(current, System.nanoTime()));
                    commits.incrementAndGet();
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /**
     * Waits for commits.
     *
     * @param count how many
     * @param limitSeconds how long to wait for each of them
     */
    void await(int count, long limitSeconds) throws TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(count * limitSeconds);
        while (commits.get() < count && failure == null) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(commits + " of " + count + " commits have come in time");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    @Override
    public void close() throws InterruptedException {
        ending = true;
        thread.join();
        if (failure != null) {
            throw new IllegalStateException("the table could not be looked at", failure);
        }
    }

    /**
     * How long rows, made at a steady rate, took until they could be seen. Rows before the first
     * commit are left out: the job was starting.
     *
     * @param stepNanos time between two rows
     */
    long[] delays(long stepNanos) {
        List<Long> delays = new ArrayList<>();
        long newest = Long.MIN_VALUE;
        for (Seen commit : seen) {
            long last = newestRow(commit.snapshot());
            if (last == Long.MIN_VALUE) {
                continue;
            }
            if (newest != Long.MIN_VALUE) {
                for (long time = newest + stepNanos; time <= last; time += stepNanos) {
                    delays.add(commit.nanos() - time);
                }
            }
            newest = Math.max(newest, last);
        }
        return delays.stream().mapToLong(Long::longValue).toArray();
    }

    /** When the newest row of a commit was made, from the bounds in the metadata. */
    private long newestRow(Snapshot snapshot) {
        int column = table.schema().findField(Shape.NARROW.name(Shape.TIME)).fieldId();
        long newest = Long.MIN_VALUE;
        SnapshotChanges changes = SnapshotChanges.builderFor(table).snapshot(snapshot).build();
        for (DataFile file : changes.addedDataFiles()) {
            long bound =
                    Conversions.fromByteBuffer(
                            Types.LongType.get(), file.upperBounds().get(column));
            newest = Math.max(newest, bound);
        }
        return newest;
    }
}
