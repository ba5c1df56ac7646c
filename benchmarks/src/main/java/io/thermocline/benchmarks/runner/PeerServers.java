package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The server processes of a peer. Ends them in the opposite order of their start. */
final class PeerServers implements AutoCloseable {

    private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long END_SECONDS = 10;

    private final String system;
    private final Path logs;
    private final Map<String, Process> servers = new LinkedHashMap<>();

    PeerServers(String system, Path logs) {
        this.system = system;
        this.logs = logs;
    }

    /** A port that nobody listens on now. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void launch(String role, JavaCommand command) throws IOException {
        servers.put(role, begin(role, command));
    }

    private Process begin(String role, JavaCommand command) throws IOException {
        Path log = logs.resolve(system + "-" + role + ".log");
        return new ProcessBuilder(command.line())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Runs a program to its end. */
    void run(String role, JavaCommand command) throws IOException {
        try {
            int exit = begin(role, command).waitFor();
            if (exit != 0) {
                throw new IOException(
                        system
                                + ": "
                                + role
                                + " failed with "
                                + exit
                                + "; see the logs in "
                                + logs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + role + " of " + system + " ran", e);
        }
    }

    void awaitPort(int port) throws IOException {
        long deadline = System.nanoTime() + START_LIMIT_NANOS;
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                if (System.nanoTime() > deadline) {
                    throw new IOException(
                            "nothing of "
                                    + system
                                    + " listens on port "
                                    + port
                                    + "; see the logs in "
                                    + logs,
                            e);
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    /** Ends a server as {@code kill -9} does. */
    void kill(String role) {
        servers.get(role).destroyForcibly();
    }

    Map<String, Long> pids() {
        Map<String, Long> pids = new LinkedHashMap<>();
        servers.forEach((role, process) -> pids.put(role, process.pid()));
        return pids;
    }

    @Override
    public void close() {
        List<Process> lastFirst = new ArrayList<>(servers.values());
        Collections.reverse(lastFirst);
        try {
            for (Process server : lastFirst) {
                server.destroy();
                if (!server.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    server.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            lastFirst.forEach(Process::destroyForcibly);
            Thread.currentThread().interrupt();
        }
    }
}
