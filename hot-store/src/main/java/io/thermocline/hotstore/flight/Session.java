package io.thermocline.hotstore.flight;

import io.grpc.ManagedChannel;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to one life of a server. Counted: calls and streams hold it, and its memory is
 * given back when it is retired and the last one lets go. Thread-safe.
 */
final class Session {

    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final long CLOSE_SECONDS = 5;

    private final Endpoint endpoint;
    private final ManagedChannel channel;
    private final FlightClient client;
    private int holders;
    private boolean retired;

    Session(Endpoint endpoint, ManagedChannel channel, FlightClient client) {
        this.endpoint = endpoint;
        this.channel = channel;
        this.client = client;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    FlightClient client() {
        return client;
    }

    /** Holds the session; false if it is retired already. */
    synchronized boolean hold() {
        if (retired) {
            return false;
        }
        holders++;
        return true;
    }

    void release() {
        synchronized (this) {
            holders--;
            if (!retired || holders > 0) {
                return;
            }
        }
        close();
    }

    /** Cuts all streams; nobody can hold it any more. */
    void retire() {
        synchronized (this) {
            if (retired) {
                return;
            }
            retired = true;
            channel.shutdownNow();
            if (holders > 0) {
                return;
            }
        }
        close();
    }

    private void close() {
        try {
            channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("connection to {} left buffers behind: {}", endpoint, e.getMessage());
        }
    }
}
