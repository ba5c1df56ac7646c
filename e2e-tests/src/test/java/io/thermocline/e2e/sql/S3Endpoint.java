package io.thermocline.e2e.sql;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** An S3 endpoint with one bucket, in a process of its own, for the tests of a class. */
final class S3Endpoint implements BeforeAllCallback, AfterAllCallback {

    static final String BUCKET = "lake";
    static final String ACCESS_KEY = "test";
    static final String SECRET_KEY = "testsecret";

    private static final Path LIB = Path.of("../s3-server/target/lib");
    private static final Duration START_LIMIT = Duration.ofSeconds(90);

    private Path directory;
    private int port;
    private Process process;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        directory = Files.createTempDirectory("s3");
        port = freePort();
        Path configuration = directory.resolve("s3proxy.conf");
        Files.write(
                configuration,
                List.of(
                        "s3proxy.endpoint=" + uri(),
                        "s3proxy.authorization=aws-v2-or-v4",
                        "s3proxy.identity=" + ACCESS_KEY,
                        "s3proxy.credential=" + SECRET_KEY,
                        "jclouds.provider=transient",
                        "jclouds.identity=unused",
                        "jclouds.credential=unused"));
        Files.writeString(
                directory.resolve("logback.xml"),
                "<configuration><appender name='out' class='ch.qos.logback.core.ConsoleAppender'>"
                        + "<encoder><pattern>%level %logger %msg%n</pattern></encoder></appender>"
                        + "<root level='WARN'><appender-ref ref='out'/></root></configuration>");
        process =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-Xmx512m",
                                "-cp",
                                directory + ":" + LIB.toAbsolutePath().normalize() + "/*",
                                "org.gaul.s3proxy.Main",
                                "--properties",
                                configuration.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("server.log").toFile())
                        .start();
        await("S3 endpoint")
                .atMost(START_LIMIT)
                .pollInterval(Duration.ofMillis(100))
                .until(this::accepts);
        try (S3Client client = client()) {
            client.createBucket(bucket -> bucket.bucket(BUCKET));
        }
    }

    private S3Client client() {
        return S3Client.builder()
                .endpointOverride(URI.create(uri()))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(
                        StaticCredentialsProvider.create(
                                AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY)))
                .build();
    }

    /** The server does not tell a port that the system chose, so one is chosen for it. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private boolean accepts() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    "the endpoint ended: " + Files.readString(directory.resolve("server.log")));
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    String uri() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException, InterruptedException {
        process.destroyForcibly().waitFor();
        FileUtils.deleteDirectory(directory.toFile());
    }
}
