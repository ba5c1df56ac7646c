package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.ChangelogBatch;
import io.thermocline.hotstore.ChangelogReader;
import io.thermocline.hotstore.ChangelogScan;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.HotTableSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A changelog scan over Flight. A thread receives ahead of the reader, at most {@link
 * #MAX_BATCHES_AHEAD} batches, and opens the scan again at its position when the connection is
 * lost.
 */
final class RemoteChangelogReader implements ChangelogReader {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteChangelogReader.class);

    /** Batches that wait for {@link #poll}; beyond that, Flight's flow control stops the server. */
    private static final int MAX_BATCHES_AHEAD = 4;

    private final FlightConnection connection;
    private final TableAddress address;
    private final String what;
    private final ChangelogScan scan;
    private final RowType rowType;
    private final Thread receiver;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition taken = lock.newCondition();
    private final Deque<ChangelogBatch> batches = new ArrayDeque<>(); // guarded by lock
    private long received; // guarded by lock: position after all that arrived
    private boolean ended; // guarded by lock
    private boolean wokenUp; // guarded by lock
    private boolean closed; // guarded by lock
    private boolean interruptible; // guarded by lock
    private @Nullable RuntimeException failure; // guarded by lock
    private @Nullable FlightStream stream; // guarded by lock

    private volatile long position;

    private RemoteChangelogReader(
            FlightConnection connection, HotTableSpec spec, ChangelogScan scan) {
        this.connection = connection;
        this.address = TableAddress.of(spec.path(), spec.tableId());
        this.what = "scan of " + spec.path().getFullName() + " bucket " + scan.bucket();
        this.scan = scan;
        this.rowType = WireBatch.project(spec.rowType(), scan.projection());
        this.received = scan.startOffset();
        this.position = scan.startOffset();
        this.receiver = new Thread(this::receiveAll, "hot-" + what);
        this.receiver.setDaemon(true);
    }

    /** Opens a reader; returns once the store has accepted the scan. */
    static RemoteChangelogReader open(
            FlightConnection connection, HotTableSpec spec, ChangelogScan scan) {
        RemoteChangelogReader reader = new RemoteChangelogReader(connection, spec, scan);
        reader.receiver.start();
        try {
            reader.opened.join();
            return reader;
        } catch (CompletionException e) {
            reader.close();
            if (e.getCause() instanceof HotStoreException refused) {
                throw refused;
            }
            throw e;
        }
    }

    @Override
    public @Nullable ChangelogBatch poll(Duration timeout) {
        long nanos = timeout.toNanos();
        lock.lock();
        try {
            while (true) {
                ChangelogBatch batch = batches.poll();
                if (batch != null) {
                    taken.signal();
                    position = batches.isEmpty() ? received : batch.endOffset();
                    return batch;
                }
                position = received;
                if (failure != null) {
                    throw failure;
                }
                if (ended || closed || wokenUp || nanos <= 0) {
                    wokenUp = false;
                    return null;
                }
                nanos = arrived.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public boolean isFinished() {
        lock.lock();
        try {
            return batches.isEmpty() && (ended || position >= scan.endOffset());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wakeUp() {
        lock.lock();
        try {
            wokenUp = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        FlightStream open;
        lock.lock();
        try {
            closed = true;
            open = stream;
            arrived.signalAll();
            taken.signalAll();
            if (interruptible) {
                receiver.interrupt();
            }
        } finally {
            lock.unlock();
        }
        if (open != null) {
            open.cancel("closed by the reader", null);
        }
        boolean interrupted = false;
        while (receiver.isAlive()) {
            try {
                receiver.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        lock.lock();
        try {
            batches.forEach(ChangelogBatch::close);
            batches.clear();
        } finally {
            lock.unlock();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void receiveAll() {
        FlightConnection.Attempts attempts = connection.attempts(what);
        while (true) {
            Session held = null;
            try {
                held = waiting(connection::hold);
                if (receiveFrom(held, attempts)) {
                    end(null);
                    return;
                }
            } catch (Error e) {
                // without this thread the reader would wait for ever
                LOG.error("{}: the receiving thread failed", what, e);
                end(WireErrors.toHotStore(e));
                return;
            } catch (Exception e) {
                try {
                    if (isClosed()) {
                        end(connection.closedFailure());
                        return;
                    }
                    Session used = held;
                    waiting(
                            () -> {
                                attempts.failed(e, used);
                                return null;
                            });
                } catch (RuntimeException last) {
                    end(last);
                    return;
                }
            } finally {
                if (held != null) {
                    held.release();
                }
            }
        }
    }

    private boolean receiveFrom(Session held, FlightConnection.Attempts attempts) throws Exception {
        ChangelogScan rest =
                new ChangelogScan(
                        scan.bucket(),
                        receivedPosition(),
                        scan.endOffset(),
                        scan.projection(),
                        scan.skipFilter());
        Ticket ticket = new Ticket(WireJson.bytes(ScanStream.command(address, rest)));
        try (FlightStream open = held.client().getStream(ticket)) {
            if (!use(open)) {
                return true;
            }
            while (open.next()) {
                attempts.progressed();
                byte[] metadata = WireBuffers.metadata(open);
                if (metadata != null && !accept(ScanMetadata.read(metadata), open)) {
                    return true;
                }
                opened.complete(null);
            }
            return true;
        } finally {
            use(null);
        }
    }

    private boolean accept(ScanMetadata metadata, FlightStream open) throws InterruptedException {
        ChangelogBatch batch = null;
        if (metadata.commitTimestamps().length > 0) {
            batch =
                    new ChangelogBatch(
                            metadata.baseOffset(),
                            WireBatch.take(open.getRoot(), rowType, connection.allocator()),
                            metadata.commitTimestamps(),
                            metadata.mark());
        }
        lock.lock();
        try {
            while (batch != null && batches.size() >= MAX_BATCHES_AHEAD && !closed) {
                taken.await();
            }
            if (closed) {
                return false;
            }
            if (batch != null) {
                batches.add(batch);
                batch = null;
            }
            received = metadata.nextOffset();
            arrived.signalAll();
            return true;
        } finally {
            lock.unlock();
            if (batch != null) {
                batch.close();
            }
        }
    }

    private void end(@Nullable RuntimeException cause) {
        lock.lock();
        try {
            failure = cause;
            ended = cause == null;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        if (cause == null) {
            opened.complete(null);
        } else {
            opened.completeExceptionally(cause);
        }
    }

    private boolean use(@Nullable FlightStream open) {
        lock.lock();
        try {
            stream = open;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private long receivedPosition() {
        lock.lock();
        try {
            return received;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs what may take long and which {@link #close} may interrupt. Flight's own streams must not
     * be interrupted: they lose their end marker and then wait for ever.
     */
    private <T> T waiting(Supplier<T> step) {
        setInterruptible(true);
        try {
            return step.get();
        } finally {
            setInterruptible(false);
        }
    }

    private void setInterruptible(boolean allowed) {
        lock.lock();
        try {
            if (allowed && closed) {
                throw connection.closedFailure();
            }
            interruptible = allowed;
            if (!allowed) {
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }
}
