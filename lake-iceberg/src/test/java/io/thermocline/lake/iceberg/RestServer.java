package io.thermocline.lake.iceberg;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The REST catalog server of Iceberg's test fixtures, in a process of its own, for the tests of a
 * class. It keeps its tables in SQLite.
 */
final class RestServer implements BeforeAllCallback, AfterAllCallback {

    private static final Path LIB = Path.of("../iceberg-rest-server/target/lib");
    private static final Duration START_LIMIT = Duration.ofSeconds(90);

    private Path directory;
    private Process process;
    private String uri;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        directory = Files.createTempDirectory("iceberg-rest");
        int port = freePort();
        uri = "http://127.0.0.1:" + port;
        ProcessBuilder builder =
                new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        LIB.toAbsolutePath().normalize() + "/*",
                        "org.apache.iceberg.rest.RESTCatalogServer");
        builder.environment().put("CATALOG_REST_PORT", String.valueOf(port));
        builder.environment().put("CATALOG_WAREHOUSE", directory.toUri().toString());
        builder.environment()
                .put("CATALOG_URI", "jdbc:sqlite:file:" + directory.resolve("catalog.db"));
        builder.environment().put("CATALOG_JDBC_SCHEMA__VERSION", "V1");
        builder.redirectErrorStream(true).redirectOutput(directory.resolve("server.log").toFile());
        process = builder.start();
        await("REST catalog server")
                .atMost(START_LIMIT)
                .pollInterval(Duration.ofMillis(100))
                .until(this::answers);
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
    public void afterAll(ExtensionContext context) throws IOException, InterruptedException {
        process.destroyForcibly().waitFor();
        FileUtils.deleteDirectory(directory.toFile());
    }
}
