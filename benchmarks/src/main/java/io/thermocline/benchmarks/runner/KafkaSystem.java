package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** One Kafka broker with stock options; it does not sync what it writes. */
final class KafkaSystem implements BenchedSystem {

    private static final String BROKER = "broker";

    private final RunDirectory directory;
    private final PeerServers servers;
    private final int port = PeerServers.freePort();
    private final int controllerPort = PeerServers.freePort();
    private String classPath = "";

    KafkaSystem(RunDirectory directory) {
        this.directory = directory;
        this.servers = new PeerServers(name(), directory.logs());
    }

    @Override
    public String name() {
        return Systems.KAFKA;
    }

    @Override
    public void start() throws IOException {
        Files.createDirectories(dataDirectory());
        classPath = new ClassPaths(directory).of(name());
        Path configuration = directory.scratch().resolve("kafka.properties");
        Files.write(
                configuration,
                List.of(
                        "process.roles=broker,controller",
                        "node.id=1",
                        "controller.quorum.voters=1@localhost:" + controllerPort,
                        "listeners=PLAINTEXT://localhost:"
                                + port
                                + ",CONTROLLER://localhost:"
                                + controllerPort,
                        "advertised.listeners=PLAINTEXT://localhost:" + port,
                        "controller.listener.names=CONTROLLER",
                        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
                        "log.dirs=" + dataDirectory(),
                        "offsets.topic.replication.factor=1",
                        "transaction.state.log.replication.factor=1",
                        "transaction.state.log.min.isr=1"));
        servers.run(
                "format",
                new JavaCommand(
                        List.of(),
                        classPath,
                        "kafka.tools.StorageTool",
                        List.of("format", "-t", clusterId(), "-c", configuration.toString())));
        servers.launch(
                BROKER,
                new JavaCommand(
                        List.of("-Xmx1g", "-XX:+UseG1GC"),
                        classPath,
                        "kafka.Kafka",
                        List.of(configuration.toString())));
        servers.awaitPort(port);
    }

    private static String clusterId() {
        UUID id = UUID.randomUUID();
        byte[] bytes =
                ByteBuffer.allocate(2 * Long.BYTES)
                        .putLong(id.getMostSignificantBits())
                        .putLong(id.getLeastSignificantBits())
                        .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public JavaCommand driver() {
        return new JavaCommand(
                JavaCommand.flinkOptions(Systems.FLINK_HEAP),
                classPath,
                "io.thermocline.benchmarks.kafka.KafkaDriver",
                List.of("localhost:" + port));
    }

    @Override
    public Map<String, Long> processes() {
        return servers.pids();
    }

    @Override
    public Path dataDirectory() {
        return directory.data(name());
    }

    @Override
    public void close() {
        servers.close();
    }
}
