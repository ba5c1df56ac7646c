package io.thermocline.hotstore.flight;

/**
 * How the service is offered.
 *
 * @param bindHost address to listen on
 * @param port port to listen on; 0 lets the system choose
 * @param token secret that every call must carry
 * @param maxAppendBytes bytes of appended rows under way in the whole server; append streams are
 *     not read above it
 */
public record ServerOptions(String bindHost, int port, String token, long maxAppendBytes) {

    /** Default bound of appended bytes under way. */
    public static final long DEFAULT_MAX_APPEND_BYTES = 128L << 20;
}
