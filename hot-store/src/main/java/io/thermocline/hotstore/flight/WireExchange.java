package io.thermocline.hotstore.flight;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reading of exchange streams on the serving side. */
final class WireExchange {

    private static final Logger LOG = LoggerFactory.getLogger(WireExchange.class);

    /** How long a client may take to send the first message of a stream. */
    static final int DESCRIPTOR_SECONDS = 30;

    private WireExchange() {}

    /**
     * @throws HotStoreException {@code INVALID_ARGUMENT} if metadata is shorter
     */
    static void checkLength(byte[] metadata, int least) {
        if (metadata.length < least) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the metadata of a message has "
                            + metadata.length
                            + " bytes, it needs "
                            + least);
        }
    }

    /**
     * What the stream is for. A client that never says would hold a thread for ever.
     *
     * @throws HotStoreException {@code INVALID_ARGUMENT} if it does not say so in time
     */
    static FlightDescriptor descriptor(FlightStream requests) {
        AtomicReference<Thread> waiting = new AtomicReference<>(Thread.currentThread());
        CompletableFuture.delayedExecutor(DESCRIPTOR_SECONDS, TimeUnit.SECONDS)
                .execute(
                        () -> {
                            synchronized (waiting) {
                                Thread late = waiting.getAndSet(null);
                                if (late != null) {
                                    late.interrupt();
                                }
                            }
                        });
        try {
            return requests.getDescriptor();
        } catch (FlightRuntimeException e) {
            throw waiting.get() != null ? e : late(e);
        } finally {
            synchronized (waiting) {
                if (waiting.getAndSet(null) == null && Thread.interrupted()) {
                    LOG.debug("an exchange that did not say what it is for was ended");
                }
            }
        }
    }

    private static HotStoreException late(FlightRuntimeException cause) {
        return new HotStoreException(
                ErrorCode.INVALID_ARGUMENT,
                "an exchange did not say what it is for within "
                        + DESCRIPTOR_SECONDS
                        + " s: its first message needs a descriptor and a schema",
                cause);
    }

    /** Whether there is another message; the client's fault if it cannot be read. */
    static boolean next(FlightStream requests) {
        return WireInput.read("a message", requests::next);
    }

    /** Metadata of the message just read. */
    static byte[] metadata(FlightStream requests) {
        byte[] metadata = WireBuffers.metadata(requests);
        if (metadata == null) {
            throw new HotStoreException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a message on an exchange stream must carry a request id in its metadata");
        }
        return metadata;
    }
}
