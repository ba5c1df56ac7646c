package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Apache Fluss with stock options: ZooKeeper, a coordinator and one tablet server, each in its own
 * process, replication 1. It acknowledges rows that are in the page cache.
 */
final class FlussSystem implements BenchedSystem {

    private static final String COORDINATOR = "coordinator";
    private static final String TABLET_SERVER = "server";
    private static final String ZOOKEEPER = "zookeeper";
    private static final long RESTART_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final RunDirectory directory;
    private final PeerServers servers;
    private final int zooKeeperPort = PeerServers.freePort();
    private final int coordinatorPort = PeerServers.freePort();
    private final int tabletServerPort = PeerServers.freePort();
    private String classPath = "";

    FlussSystem(RunDirectory directory) {
        this.directory = directory;
        this.servers = new PeerServers(name(), directory.logs());
    }

    @Override
    public String name() {
        return Systems.FLUSS;
    }

    @Override
    public void start() throws IOException {
        Files.createDirectories(dataDirectory());
        classPath = new ClassPaths(directory).of(name());
        Path configuration = Files.createDirectories(directory.scratch().resolve("fluss-conf"));
        Files.writeString(
                configuration.resolve("zookeeper.properties"),
                "dataDir="
                        + dataDirectory().resolve("zookeeper")
                        + "\nclientPort="
                        + zooKeeperPort
                        + "\nmaxClientCnxns=0\nadmin.enableServer=false\n");
        Files.writeString(
                configuration.resolve("server.yaml"),
                "zookeeper.address: localhost:"
                        + zooKeeperPort
                        + "\ndefault.bucket.number: 4\ndefault.replication.factor: 1\ndata.dir: "
                        + dataDirectory().resolve("data")
                        + "\nremote.data.dir: "
                        + dataDirectory().resolve("remote")
                        + "\nbind.listeners: FLUSS://localhost:"
                        + coordinatorPort
                        + "\ntablet-server.id: 0\n");
        launch(
                ZOOKEEPER,
                List.of("-Xmx256m"),
                "org.apache.fluss.shaded.zookeeper3.org.apache.zookeeper.server.quorum"
                        + ".QuorumPeerMain",
                List.of(configuration.resolve("zookeeper.properties").toString()));
        servers.awaitPort(zooKeeperPort);
        launch(
                COORDINATOR,
                List.of("-Xmx512m"),
                "org.apache.fluss.server.coordinator.CoordinatorServer",
                List.of("--configDir", configuration.toString()));
        servers.awaitPort(coordinatorPort);
        launchTabletServer();
    }

    private void launchTabletServer() throws IOException {
        launch(
                TABLET_SERVER,
                List.of("-Xmx4g", "-XX:+UseG1GC"),
                "org.apache.fluss.server.tablet.TabletServer",
                List.of(
                        "--configDir",
                        directory.scratch().resolve("fluss-conf").toString(),
                        "-Dbind.listeners=FLUSS://localhost:" + tabletServerPort));
        servers.awaitPort(tabletServerPort);
    }

    private void launch(String role, List<String> options, String mainClass, List<String> arguments)
            throws IOException {
        servers.launch(role, new JavaCommand(options, classPath, mainClass, arguments));
    }

    @Override
    public JavaCommand driver() {
        // A future a row until the acknowledgement: it needs the heap.
        return new JavaCommand(
                List.of("-Xmx3g"),
                classPath,
                "io.thermocline.benchmarks.fluss.FlussTarget",
                List.of("localhost:" + coordinatorPort));
    }

    @Override
    public JavaCommand flinkDriver() throws IOException {
        return new JavaCommand(
                JavaCommand.flinkOptions(Systems.FLINK_HEAP),
                new ClassPaths(directory).of("fluss-flink"),
                "io.thermocline.benchmarks.flink.FlinkDriver",
                List.of(name(), "localhost:" + coordinatorPort));
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
    public void crash(Map<String, Long> processes) throws IOException {
        servers.kill(TABLET_SERVER);
        LockSupport.parkNanos(RESTART_AFTER_NANOS);
        launchTabletServer();
    }

    @Override
    public void close() {
        servers.close();
    }
}
