package io.thermocline.hotserver.launch;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.util.TimeUtils;

/**
 * The local engine's options, as given in a catalog under {@code server.}. Equal options are equal
 * objects.
 *
 * @param values by full key
 */
public record EngineOptions(Map<String, String> values) implements Serializable {

    /** {@code host:port} of a server that runs elsewhere; then none is started here. */
    public static final String ADDRESS = "server.address";

    /** Directory of the hot store, on a local disk. Default: in a local warehouse, else at home. */
    public static final String HOT_DIRECTORY = "server.hot-directory";

    /** Address that a started server listens on. Default 127.0.0.1. */
    public static final String BIND_HOST = "server.bind-host";

    /** Port that a started server listens on. Default 0: the system chooses. */
    public static final String PORT = "server.port";

    /** Port of the metrics for Prometheus. Default 0: the system chooses; 'off': there are none. */
    public static final String METRICS_PORT = "server.metrics-port";

    /** Address that the metrics listen on, without a token. Default 127.0.0.1. */
    public static final String METRICS_BIND_HOST = "server.metrics-bind-host";

    /** Secret of calls; needed with {@link #ADDRESS}. Default: random, in the endpoint file. */
    public static final String TOKEN = "server.token";

    /** A server that is not used ends after this time. Default 5 min; 0 means never. */
    public static final String IDLE_TIMEOUT = "server.idle-timeout";

    /** Memory of a started server: heap, Arrow buffers and key index together. Default 1 gb. */
    public static final String MEMORY = "server.memory";

    /** How long calls are repeated while the server does not answer. Default 60 s. */
    public static final String RETRY_TIMEOUT = "server.retry-timeout";

    /** Name of this host in the store record, where the host's own name changes. */
    public static final String HOST_NAME = "server.host-name";

    private static final Set<String> KEYS =
            Set.of(
                    ADDRESS,
                    HOT_DIRECTORY,
                    BIND_HOST,
                    PORT,
                    METRICS_PORT,
                    METRICS_BIND_HOST,
                    TOKEN,
                    IDLE_TIMEOUT,
                    MEMORY,
                    RETRY_TIMEOUT,
                    HOST_NAME);

    private static final String OFF = "off";
    private static final long MIN_MEMORY_BYTES = 256L << 20;

    /**
     * @throws HotStoreException {@code INVALID_ARGUMENT} naming an unknown key or a wrong value
     */
    public EngineOptions {
        values = Map.copyOf(values);
        for (String key : values.keySet()) {
            if (!KEYS.contains(key)) {
                throw invalid("unknown option '" + key + "'; there are " + new TreeSet<>(KEYS));
            }
        }
        duration(values, IDLE_TIMEOUT, Duration.ofMinutes(5));
        duration(values, RETRY_TIMEOUT, Duration.ofSeconds(60));
        memory(values);
        port(values);
        metricsPort(values);
        address(values);
        hotDirectory(values);
    }

    /** Every key there is. */
    public static Set<String> keys() {
        return KEYS;
    }

    /** All defaults. */
    public static EngineOptions defaults() {
        return new EngineOptions(Map.of());
    }

    public Optional<HostAndPort> address() {
        return address(values);
    }

    public Optional<String> hotDirectory() {
        return hotDirectory(values);
    }

    public String bindHost() {
        return values.getOrDefault(BIND_HOST, "127.0.0.1");
    }

    public int port() {
        return port(values);
    }

    /** Empty: no metrics are offered. */
    public OptionalInt metricsPort() {
        return metricsPort(values);
    }

    public String metricsBindHost() {
        return values.getOrDefault(METRICS_BIND_HOST, "127.0.0.1");
    }

    public Optional<String> token() {
        return Optional.ofNullable(values.get(TOKEN));
    }

    /** Zero: never. */
    public Duration idleTimeout() {
        return duration(values, IDLE_TIMEOUT, Duration.ofMinutes(5));
    }

    public long memoryBytes() {
        return memory(values);
    }

    public Duration retryTimeout() {
        return duration(values, RETRY_TIMEOUT, Duration.ofSeconds(60));
    }

    public Optional<String> hostName() {
        return Optional.ofNullable(values.get(HOST_NAME));
    }

    /**
     * @param host name or address
     * @param port TCP port
     */
    public record HostAndPort(String host, int port) {}

    private static Optional<HostAndPort> address(Map<String, String> values) {
        String text = values.get(ADDRESS);
        if (text == null) {
            return Optional.empty();
        }
        int colon = text.lastIndexOf(':');
        if (colon <= 0) {
            throw invalid("option '" + ADDRESS + "' must be host:port, but is '" + text + "'");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        return Optional.of(
                new HostAndPort(host, portNumber(ADDRESS, text.substring(colon + 1), 1)));
    }

    // Relative to what a process was started in, it would be another directory in each of them.
    private static Optional<String> hotDirectory(Map<String, String> values) {
        String text = values.get(HOT_DIRECTORY);
        if (text != null && !Path.of(text).isAbsolute()) {
            throw invalid(
                    "option '"
                            + HOT_DIRECTORY
                            + "' must be an absolute path on a local disk, such as"
                            + " '/var/lib/thermocline/hot', but is '"
                            + text
                            + "'");
        }
        return Optional.ofNullable(text);
    }

    private static int port(Map<String, String> values) {
        return portNumber(PORT, values.getOrDefault(PORT, "0"), 0);
    }

    private static OptionalInt metricsPort(Map<String, String> values) {
        String text = values.getOrDefault(METRICS_PORT, "0");
        return text.trim().equals(OFF)
                ? OptionalInt.empty()
                : OptionalInt.of(portNumber(METRICS_PORT, text, 0));
    }

    private static int portNumber(String key, String text, int least) {
        try {
            int port = Integer.parseInt(text.trim());
            if (port >= least && port <= 65535) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw invalid("the port in option '" + key + "' is not a number: '" + text + "'");
        }
        throw invalid(
                "the port in option '"
                        + key
                        + "' must be between "
                        + least
                        + " and 65535: "
                        + text);
    }

    private static Duration duration(Map<String, String> values, String key, Duration otherwise) {
        String text = values.get(key);
        if (text == null) {
            return otherwise;
        }
        try {
            Duration duration = TimeUtils.parseDuration(text);
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (RuntimeException e) {
            throw invalid(
                    "option '" + key + "' must be a time such as '5 min', but is '" + text + "'");
        }
        throw invalid("option '" + key + "' must not be negative, but is '" + text + "'");
    }

    private static long memory(Map<String, String> values) {
        String text = values.getOrDefault(MEMORY, "1 gb");
        long bytes;
        try {
            bytes = MemorySize.parse(text).getBytes();
        } catch (RuntimeException e) {
            throw invalid(
                    "option '" + MEMORY + "' must be a size such as '1 gb', but is '" + text + "'");
        }
        if (bytes < MIN_MEMORY_BYTES) {
            throw invalid("option '" + MEMORY + "' must be at least 256 mb, but is '" + text + "'");
        }
        return bytes;
    }

    private static HotStoreException invalid(String message) {
        return new HotStoreException(ErrorCode.INVALID_ARGUMENT, message);
    }

    /** Without the token. */
    @Override
    public String toString() {
        Map<String, String> shown = new TreeMap<>(values);
        shown.computeIfPresent(TOKEN, (key, token) -> "***");
        return shown.toString();
    }
}
