package io.thermocline.hotstore.flight;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.flight.WireErrors.ConnectionLost;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightClient.ExchangeReaderWriter;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A DoExchange stream that stays open and outlives its server: requests are kept until they are
 * answered, and those without an answer are sent again, in order, on the next connection. Requests
 * may come from any thread; one thread, started with the first request, connects and receives.
 *
 * <p>A stream that is cut while nothing is under way is opened again only by the next request, so
 * an idle client does not keep starting servers.
 */
abstract class ExchangeStream implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExchangeStream.class);

    /** What is sent and waits for its answer. */
    interface Message {

        /** Puts the data into the stream's root. May happen more than once. */
        void load(VectorSchemaRoot root);

        /** Metadata to send with it. */
        byte[] metadata(long requestId);

        /** It will get no answer. */
        void fail(RuntimeException failure);
    }

    private final String what;
    private final FlightConnection connection;
    private final FlightDescriptor descriptor;
    private final ConcurrentSkipListMap<Long, Message> unanswered = new ConcurrentSkipListMap<>();
    private final ReentrantLock sending = new ReentrantLock();
    private final Condition work = sending.newCondition();
    private long nextRequestId; // guarded by sending
    private @Nullable Line line; // guarded by sending
    private @Nullable Thread receiver; // guarded by sending
    private boolean interruptible; // guarded by sending
    private volatile boolean closed;
    private volatile @Nullable CallWatch watch; // of the line that is open or being opened

    ExchangeStream(String what, FlightConnection connection, ObjectNode command) {
        this.what = what;
        this.connection = connection;
        this.descriptor = FlightDescriptor.command(WireJson.bytes(command));
    }

    /** An open exchange and the root that is written through it. */
    private static final class Line {
        private final ExchangeReaderWriter exchange;
        private final VectorSchemaRoot root;
        private final CallWatch watch;

        private Line(ExchangeReaderWriter exchange, VectorSchemaRoot root, CallWatch watch) {
            this.exchange = exchange;
            this.root = root;
            this.watch = watch;
        }
    }

    /** The root that requests are loaded into. */
    abstract VectorSchemaRoot newRequestRoot();

    /**
     * Handles what arrived; called by the receiving thread only.
     *
     * @return id of the request that is answered in full with it; -1 if more is to come
     */
    abstract long receive(byte[] metadata, FlightStream stream);

    /** The message of a request that is not answered yet. */
    @Nullable Message unanswered(long requestId) {
        return unanswered.get(requestId);
    }

    /**
     * Sends a message as soon as there is a connection. Never fails by itself: the message does.
     */
    void submit(Message message) {
        sending.lock();
        try {
            if (!closed) {
                long requestId = nextRequestId++;
                unanswered.put(requestId, message);
                if (line != null) {
                    trySend(line, requestId, message);
                } else {
                    startReceiver();
                    work.signal();
                }
                return;
            }
        } finally {
            sending.unlock();
        }
        message.fail(closedFailure());
    }

    /** Makes the receiving thread end, and with it the stream. Requests under way fail. */
    @Override
    public void close() {
        Thread running;
        Line open;
        closed = true;
        CallWatch waitedOn = watch;
        if (waitedOn != null) {
            // a sender that waits for room has the lock
            waitedOn.end();
        }
        sending.lock();
        try {
            running = receiver;
            open = line;
            work.signal();
            if (interruptible) {
                running.interrupt();
            }
        } finally {
            sending.unlock();
        }
        if (open != null) {
            open.watch.end();
            open.exchange.getReader().cancel("closed by the client", null);
        }
        if (running == null) {
            failAll(closedFailure());
        } else if (running != Thread.currentThread()) {
            joinUninterruptibly(running);
        }
    }

    private static void joinUninterruptibly(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void startReceiver() {
        if (receiver == null) {
            receiver = new Thread(this::receiveAll, "hot-" + what);
            receiver.setDaemon(true);
            receiver.start();
        }
    }

    private void receiveAll() {
        FlightConnection.Attempts attempts = connection.attempts(what);
        while (awaitWork()) {
            Session held = null;
            try {
                held = waiting(connection::hold);
                receiveFrom(held, attempts);
                throw new ConnectionLost("the server ended the stream", null);
            } catch (Exception e) {
                recover(e, held, attempts);
            } catch (Error e) {
                // without this thread nobody would ever be answered
                LOG.error("{}: the receiving thread failed", what, e);
                failAll(WireErrors.toHotStore(e));
            } finally {
                if (held != null) {
                    held.release();
                }
            }
        }
        failAll(closedFailure());
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
        sending.lock();
        try {
            if (allowed && closed) {
                throw closedFailure();
            }
            interruptible = allowed;
            if (!allowed) {
                Thread.interrupted();
            }
        } finally {
            sending.unlock();
        }
    }

    private boolean awaitWork() {
        sending.lock();
        try {
            while (!closed && unanswered.isEmpty()) {
                work.await();
            }
            return !closed;
        } catch (InterruptedException e) {
            return false;
        } finally {
            sending.unlock();
        }
    }

    private void receiveFrom(Session held, FlightConnection.Attempts attempts) throws Exception {
        CallWatch callWatch = new CallWatch(smallMessages());
        watch = callWatch;
        try (ExchangeReaderWriter exchange = held.client().doExchange(descriptor, callWatch);
                VectorSchemaRoot root = newRequestRoot()) {
            FlightStream stream = exchange.getReader();
            Line fresh = new Line(exchange, root, callWatch);
            try {
                open(fresh);
                while (stream.next()) {
                    byte[] metadata = WireBuffers.metadata(stream);
                    if (metadata != null) {
                        long answered = receive(metadata, stream);
                        if (answered >= 0) {
                            attempts.progressed();
                            unanswered.remove(answered);
                        }
                    }
                }
            } finally {
                // first of all, or a sender that waits for room would keep the lock
                callWatch.end();
                sending.lock();
                try {
                    line = null;
                } finally {
                    sending.unlock();
                }
            }
        }
    }

    private void open(Line fresh) {
        sending.lock();
        try {
            if (closed) {
                throw closedFailure();
            }
            ClientStreamListener writer = fresh.exchange.getWriter();
            writer.setUseZeroCopy(true);
            writer.start(fresh.root);
            line = fresh;
            for (Map.Entry<Long, Message> entry : unanswered.entrySet()) {
                trySend(fresh, entry.getKey(), entry.getValue());
            }
        } finally {
            sending.unlock();
        }
    }

    /** Whether every message is small. */
    boolean smallMessages() {
        return false;
    }

    private void trySend(Line open, long requestId, Message message) {
        ClientStreamListener writer = open.exchange.getWriter();
        try {
            // putNext itself would spin
            if (!open.watch.awaitReady(writer::isReady)) {
                return;
            }
            message.load(open.root);
            writer.putNext(WireBuffers.copy(connection.allocator(), message.metadata(requestId)));
            open.root.clear();
        } catch (RuntimeException e) {
            LOG.debug("{}: request {} was not sent", what, requestId, e);
            // makes the receiving thread connect and send again
            open.watch.end();
            open.exchange.getReader().cancel("request could not be sent", e);
        }
    }

    private void recover(
            Exception failure, @Nullable Session held, FlightConnection.Attempts attempts) {
        if (closed) {
            return;
        }
        try {
            waiting(
                    () -> {
                        attempts.failed(failure, held);
                        return null;
                    });
        } catch (RuntimeException e) {
            attempts.progressed();
            failAll(e);
        }
    }

    private void failAll(RuntimeException failure) {
        Map.Entry<Long, Message> entry = unanswered.pollFirstEntry();
        while (entry != null) {
            entry.getValue().fail(failure);
            entry = unanswered.pollFirstEntry();
        }
    }

    private HotStoreException closedFailure() {
        return new HotStoreException(ErrorCode.TABLE_CLOSED, what + ": the table is closed");
    }
}
