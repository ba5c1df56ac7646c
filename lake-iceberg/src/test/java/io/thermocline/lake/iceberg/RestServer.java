package io.thermocline.lake.iceberg;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The REST catalog server of Iceberg's test fixtures, in a process of its own. */
final class RestServer implements AutoCloseable {

    private static final Path LIB = Path.of("../iceberg-rest-server/target/lib");
    private static final Duration START_LIMIT = Duration.ofSeconds(90);

    private final Process process;
    private final String uri;

    private RestServer(Process process, String uri) {
        this.process = process;
        this.uri = uri;
    }

    /** Starts a server that keeps its tables in SQLite below a directory. */
    static RestServer start(Path directory) {
        try {
            int port = freePort();
            ProcessBuilder builder =
                    new ProcessBuilder(
                            ProcessHandle.current().info().command().orElseThrow(),
                            "-Xmx256m",
                            "-cp",
                            LIB.toAbsolutePath().normalize() + "/*",
                            "org.apache.iceberg.rest.RESTCatalogServer");
            builder.environment().put("CATALOG_REST_PORT", String.valueOf(port));
            builder.environment().put("CATALOG_WAREHOUSE", directory.toUri().toString());
            builder.environment()
                    .put("CATALOG_URI", "jdbc:sqlite:file:" + directory.resolve("catalog.db"));
            builder.environment().put("CATALOG_JDBC_SCHEMA__VERSION", "V1");
            builder.redirectErrorStream(true)
                    .redirectOutput(directory.resolve("server.log").toFile());
            RestServer server = new RestServer(builder.start(), "http://127.0.0.1:" + port);
            await("REST catalog server")
                    .atMost(START_LIMIT)
                    .pollInterval(Duration.ofMillis(100))
                    .until(server::answers);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server does not tell a port that the system chose, so one is chosen for it. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() throws InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException("the server ended with " + process.exitValue());
        }
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(uri + "/v1/config")).build();
            return HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }

    Map<String, String> catalogOptions() {
        return Map.of("catalog-type", "rest", "uri", uri);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
