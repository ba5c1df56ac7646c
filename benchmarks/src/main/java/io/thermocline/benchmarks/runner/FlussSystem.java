package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
    private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RESTART_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final RunDirectory directory;
    private final Map<String, Process> servers = new LinkedHashMap<>();
    private final int zooKeeperPort = freePort();
    private final int coordinatorPort = freePort();
    private final int tabletServerPort = freePort();
    private String classPath = "";

    FlussSystem(RunDirectory directory) {
        this.directory = directory;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        awaitPort(zooKeeperPort);
        launch(
                COORDINATOR,
                List.of("-Xmx512m"),
                "org.apache.fluss.server.coordinator.CoordinatorServer",
                List.of("--configDir", configuration.toString()));
        awaitPort(coordinatorPort);
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
        awaitPort(tabletServerPort);
    }

    private void launch(String role, List<String> options, String mainClass, List<String> arguments)
            throws IOException {
        Path log = directory.logs().resolve("fluss-" + role + ".log");
        servers.put(
                role,
                new ProcessBuilder(new JavaCommand(options, classPath, mainClass, arguments).line())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start());
    }

    private void awaitPort(int port) throws IOException {
        long deadline = System.nanoTime() + START_LIMIT_NANOS;
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                if (System.nanoTime() > deadline) {
                    throw new IOException(
                            "nothing of Fluss listens on port "
                                    + port
                                    + "; see the logs in "
                                    + directory.logs(),
                            e);
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
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
    public Map<String, Long> processes() {
        Map<String, Long> pids = new LinkedHashMap<>();
        servers.forEach((role, process) -> pids.put(role, process.pid()));
        return pids;
    }

    @Override
    public Path dataDirectory() {
        return directory.data(name());
    }

    @Override
    public void crash(Map<String, Long> processes) throws IOException {
        servers.get(TABLET_SERVER).destroyForcibly();
        LockSupport.parkNanos(RESTART_AFTER_NANOS);
        launchTabletServer();
    }

    @Override
    public void close() {
        List<String> roles = new ArrayList<>(List.of(TABLET_SERVER, COORDINATOR, ZOOKEEPER));
        roles.retainAll(servers.keySet());
        try {
            for (String role : roles) {
                servers.get(role).destroy();
                if (!servers.get(role).waitFor(10, TimeUnit.SECONDS)) {
                    servers.get(role).destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            servers.values().forEach(Process::destroyForcibly);
            Thread.currentThread().interrupt();
        }
    }
}
