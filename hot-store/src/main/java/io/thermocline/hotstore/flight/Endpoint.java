package io.thermocline.hotstore.flight;

import org.jspecify.annotations.Nullable;

/**
 * Where a hot store's Flight service answers.
 *
 * @param host host name or address
 * @param port TCP port
 * @param token secret that every call carries
 * @param storeId id of the store behind it; null if not known
 * @param epoch epoch of the store's life behind it
 * @param pid process id of the server on its host
 * @param metricsUrl where the server offers metrics; null if it does not, or it is not known
 */
public record Endpoint(
        String host,
        int port,
        String token,
        @Nullable String storeId,
        long epoch,
        long pid,
        @Nullable String metricsUrl) {

    /** Without the token, so that it can be logged. */
    @Override
    public String toString() {
        return host
                + ":"
                + port
                + " (store "
                + storeId
                + ", epoch "
                + epoch
                + ", pid "
                + pid
                + (metricsUrl == null ? ")" : ", metrics " + metricsUrl + ")");
    }
}
