package io.thermocline.hotstore.flight;

import io.grpc.Metadata;

/** Names that client and server share. See {@code docs/flight.md}. */
final class FlightProtocol {

    /** Raised with every change that an older peer would misread. */
    static final int VERSION = 2;

    /** Name of the column that carries the row kind, as a byte: 0 +I, 1 -U, 2 +U, 3 -D. */
    static final String ROW_KIND = "_row_kind";

    /** Name of the column that says which key of the request a row answers. */
    static final String KEY_INDEX = "_key_index";

    static final String BUCKET = "bucket";
    static final String KEY = "key";
    static final String ROW = "row";

    static final String COMMAND = "command";

    /**
     * Header of an exchange whose messages are small: the server takes them in without handing them
     * to another thread first.
     */
    static final Metadata.Key<String> SMALL_MESSAGES =
            Metadata.Key.of("thermocline-small-messages", Metadata.ASCII_STRING_MARSHALLER);

    /** Name of Flight's method for exchanges. */
    static final String EXCHANGE = "DoExchange";

    // DoGet and DoExchange commands
    static final String SCAN = "scan";
    static final String SNAPSHOT_SCAN = "snapshot-scan";
    static final String APPEND = "append";
    static final String LOOKUP_BINARY = "lookup-binary";
    static final String LOOKUP = "lookup";

    // DoAction types
    static final String HANDSHAKE = "handshake";
    static final String OPEN_TABLE = "open-table";
    static final String BEGIN_WRITER = "begin-writer";
    static final String OFFSETS = "offsets";
    static final String STATUS = "status";
    static final String ACQUIRE_LEASE = "acquire-lease";
    static final String RENEW_LEASE = "renew-lease";
    static final String RELEASE_LEASES = "release-leases";
    static final String TIERING_ROUNDS = "tiering-rounds";
    static final String REPORT_TIERING = "report-tiering-round";
    static final String READ_PERIODS = "read-periods";
    static final String REPORT_READS = "report-reads";
    static final String REPORT_TIERED = "report-tiered-offsets";
    static final String TIER = "tier";
    static final String DETACH_TABLE = "detach-table";
    static final String DROP_TABLE = "drop-table";
    static final String OPEN_SNAPSHOT = "open-snapshot";
    static final String ATTACH_SNAPSHOT = "attach-snapshot";
    static final String KEEP_SNAPSHOT = "keep-snapshot-alive";
    static final String CLOSE_SNAPSHOT = "close-snapshot";
    static final String SHUTDOWN = "shutdown";

    /** HTTP/2 window of a connection and of each stream: a window's worth may be on the way. */
    static final int FLOW_CONTROL_WINDOW = 16 << 20;

    /** Largest message accepted. Frame groups are far smaller; this only stops nonsense. */
    static final int MAX_MESSAGE_BYTES = 512 << 20;

    private FlightProtocol() {}
}
