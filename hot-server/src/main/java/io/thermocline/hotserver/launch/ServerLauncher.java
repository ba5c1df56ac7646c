package io.thermocline.hotserver.launch;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.arrow.ArrowMemory;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the server of one hot directory as a process of its own: in a session of its own, so that
 * neither Ctrl-C nor the end of this process reaches it, and from this process's class path.
 * Starting one too many does no harm: the directory's lock lets one live, the others end quietly.
 * Thread-safe.
 */
public final class ServerLauncher {

    private static final Logger LOG = LoggerFactory.getLogger(ServerLauncher.class);

    /** Named, not referenced: this package does not know the server. */
    private static final String MAIN_CLASS = "io.thermocline.hotserver.HotServer";

    private static final String LOG_FILE = "server.log";
    private static final String LOG_CONFIGURATION =
            "-Dlog4j.configurationFile=classpath:thermocline-server-log4j2.properties";

    /**
     * Where RocksDB unpacks its library. In its default, the temporary directory, every server that
     * is killed would leave a copy behind.
     */
    private static final String NATIVE_LIBRARY_DIRECTORY = "ROCKSDB_SHAREDLIB_DIR";

    /** Part of {@code server.memory} that is heap, and part that Arrow may use. */
    private static final double HEAP_SHARE = 0.5;

    private static final double ARROW_SHARE = 0.25;
    private static final int MAX_MESSAGE_BYTES = 4000;

    /** Exit codes of a process that was killed: 128 and the signal's number. */
    private static final int EXIT_SIGKILL = 128 + 9;

    private static final int EXIT_SIGTERM = 128 + 15;

    private final ServerCommand command;
    private final Path hotDirectory;
    private @Nullable Launch running; // guarded by this

    /**
     * @param command what the server is told
     * @param hotDirectory its directory
     */
    public ServerLauncher(ServerCommand command, Path hotDirectory) {
        this.command =
                new ServerCommand(
                        command.lake(),
                        command.options(),
                        Optional.of(hotDirectory.resolve(LOG_FILE)),
                        false);
        this.hotDirectory = hotDirectory;
    }

    private record Launch(Process process, Path output) {}

    /** What became of the last start. */
    public enum Outcome {
        /** It is on its way. */
        STARTING,
        /** It ended because another process holds the directory's lock. */
        OTHER_IS_RUNNING
    }

    /**
     * Starts a server unless one started here is still on its way. One that was killed on its way
     * is started again.
     *
     * @throws HotStoreException what made the last server started here fail
     */
    public synchronized Outcome ensureStarted() {
        if (running != null && !running.process().isAlive()) {
            Launch ended = running;
            running = null;
            if (!wasKilled(ended)) {
                checkOutcome(ended);
                return Outcome.OTHER_IS_RUNNING;
            }
            LOG.warn("The server of {} was killed while it started; starting again", hotDirectory);
            deleteOutput(ended);
        }
        if (running == null) {
            running = launch();
        }
        return Outcome.STARTING;
    }

    /**
     * Forgets about the process: its endpoint was seen, and how it ends is no matter of its start.
     */
    public synchronized void settled() {
        if (running != null) {
            deleteOutput(running);
            running = null;
        }
    }

    private static void deleteOutput(Launch launch) {
        try {
            Files.deleteIfExists(launch.output());
        } catch (IOException e) {
            LOG.debug("{} was not deleted", launch.output(), e);
        }
    }

    private Launch launch() {
        try {
            Path starts = Files.createDirectories(hotDirectory.resolve("starts"));
            Path output = Files.createTempFile(starts, "server", ".out");
            Path cache = Files.createDirectories(hotDirectory.resolve("cache"));
            ProcessBuilder server =
                    new ProcessBuilder(commandLine(cache))
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile());
            server.environment().putIfAbsent(NATIVE_LIBRARY_DIRECTORY, cache.toString());
            speakEnglish(server.environment());
            Process process = server.start();
            try (OutputStream options = process.getOutputStream()) {
                options.write(command.optionsJson());
            } catch (IOException e) {
                // it has ended already; its output tells why
                LOG.debug("server process {} took no options", process.pid(), e);
            }
            LOG.info("starting the hot store's server in {} (pid {})", hotDirectory, process.pid());
            return new Launch(process, output);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_UNREACHABLE,
                    "the server of hot directory "
                            + hotDirectory
                            + " cannot be started: "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Makes the system's error messages English, which is what its logs are searched for; names of
     * files keep their encoding.
     */
    static void speakEnglish(Map<String, String> environment) {
        String all = environment.remove("LC_ALL"); // would win over what follows
        if (all != null && !all.isEmpty()) {
            environment.put("LC_CTYPE", all);
        }
        environment.put("LC_MESSAGES", "C");
    }

    private List<String> commandLine(Path cache) throws IOException {
        List<String> line = new ArrayList<>(detached());
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        long memory = command.options().memoryBytes();
        line.add("-Xmx" + (long) (memory * HEAP_SHARE));
        line.add("-D" + ArrowMemory.LIMIT_PROPERTY + "=" + (long) (memory * ARROW_SHARE));
        line.add(ArrowMemory.REQUIRED_JVM_OPTION);
        line.add("-XX:+ExitOnOutOfMemoryError");
        line.add(LOG_CONFIGURATION);
        line.add("-cp");
        line.add(classPath(cache));
        line.add(MAIN_CLASS);
        line.addAll(command.arguments());
        return line;
    }

    /**
     * A process started by {@code setsid} leads a session; without it, at least signals are
     * ignored.
     */
    private static List<String> detached() {
        Optional<String> setsid =
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .map(directory -> directory + "/setsid")
                        .filter(file -> Files.isExecutable(Path.of(file)))
                        .findFirst();
        return setsid.map(List::of)
                .orElse(List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
    }

    private static String classPath(Path cache) throws IOException {
        String own = System.getProperty("java.class.path");
        // Flink's lib has another build of RocksDB: ours must be found first
        return RocksDbJar.extract(cache).map(jar -> jar + File.pathSeparator + own).orElse(own);
    }

    private static boolean wasKilled(Launch ended) {
        int exit = ended.process().exitValue();
        return exit == EXIT_SIGKILL || exit == EXIT_SIGTERM;
    }

    private void checkOutcome(Launch ended) {
        int exit = ended.process().exitValue();
        String output = "";
        try {
            byte[] bytes = Files.readAllBytes(ended.output());
            int from = Math.max(0, bytes.length - MAX_MESSAGE_BYTES);
            output = new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8).strip();
            deleteOutput(ended);
        } catch (IOException e) {
            LOG.debug("output of a server start is gone: {}", ended.output(), e);
        }
        if (exit != 0) {
            throw ServerFailure.read(output)
                    .orElseGet(
                            () ->
                                    new HotStoreException(
                                            ErrorCode.STORE_FAILED,
                                            "the server of hot directory "
                                                    + hotDirectory
                                                    + " ended with exit code "
                                                    + exit
                                                    + " while starting. See "
                                                    + hotDirectory.resolve(LOG_FILE)));
        }
    }
}
