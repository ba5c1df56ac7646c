package io.thermocline.hotserver.metrics;

import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Answers {@code GET /metrics} in Prometheus' text format or OpenMetrics, whichever is asked for.
 * Wants no token: it binds loopback unless told otherwise, and tells names and numbers only.
 */
public final class MetricsServer implements AutoCloseable {

    private static final int MAX_THREADS = 2;
    private static final int MAX_WAITING = 16;
    private static final long IDLE_THREAD_SECONDS = 10;

    private final HTTPServer server;
    private final ExecutorService threads;
    private final String url;

    private MetricsServer(HTTPServer server, ExecutorService threads, String host) {
        this.server = server;
        this.threads = threads;
        String shown = host.contains(":") ? "[" + host + "]" : host;
        this.url = "http://" + shown + ":" + server.getPort() + "/metrics";
    }

    /**
     * Starts to answer.
     *
     * @param bindHost address to listen on
     * @param port port to listen on; 0 lets the system choose
     * @throws HotStoreException {@code STORE_FAILED} if that is not possible
     */
    public static MetricsServer start(String bindHost, int port, MultiCollector store) {
        PrometheusRegistry registry = new PrometheusRegistry();
        registry.register(store);
        JvmMetrics.builder().register(registry);
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(
                        MAX_THREADS,
                        MAX_THREADS,
                        IDLE_THREAD_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(MAX_WAITING),
                        task -> {
                            Thread thread = new Thread(task, "hot-server-metrics");
                            thread.setDaemon(true);
                            return thread;
                        });
        threads.allowCoreThreadTimeOut(true);
        try {
            HTTPServer server =
                    HTTPServer.builder()
                            .inetAddress(InetAddress.getByName(bindHost))
                            .port(port)
                            .registry(registry)
                            .executorService(threads)
                            .buildAndStart();
            return new MetricsServer(server, threads, reachable(bindHost));
        } catch (IOException | RuntimeException e) {
            threads.shutdownNow();
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "cannot offer metrics at "
                            + new InetSocketAddress(bindHost, port)
                            + ": "
                            + e.getMessage()
                            + ". Choose another server.metrics-bind-host or server.metrics-port, or"
                            + " set server.metrics-port to 'off'",
                    e);
        }
    }

    private static String reachable(String bindHost) {
        return switch (bindHost) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::" -> "::1";
            default -> bindHost;
        };
    }

    /** Where it answers. */
    public String url() {
        return url;
    }

    @Override
    public void close() {
        server.close();
        threads.shutdownNow();
    }
}
