package io.thermocline.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A directory in which a test runs the {@code ./thermocline} command line. Closing it ends every
 * process that was started for it, and only those.
 */
final class Workbench implements AutoCloseable {

    private static final Duration COMMAND_LIMIT = Duration.ofMinutes(10);
    private static final Duration KILL_LIMIT = Duration.ofMinutes(1);
    private static final int CLOSE_ROUNDS = 5;
    private static final Path PROJECT =
            Path.of(System.getProperty("thermocline.project")).toAbsolutePath().normalize();
    private static final String PAIMON = "paimon";
    private static final String SERVER_CLASS = "io.thermocline.hotserver.HotServer";

    private final Path directory;
    private final String flink;
    private final String lake;
    private int commands;

    /** A workbench in an empty directory, whose lake is Paimon, which no command says. */
    Workbench(Path directory, String flink) {
        this(directory, flink, PAIMON);
    }

    /**
     * A workbench in an empty directory.
     *
     * @param flink {@code 2.1} or {@code 2.2}
     * @param lake of scripts and of the server, {@code paimon} or {@code iceberg}
     */
    Workbench(Path directory, String flink, String lake) {
        // Process command lines show the real path.
        this.directory = realPath(directory);
        this.flink = flink;
        this.lake = lake;
    }

    Path directory() {
        return directory;
    }

    /** The warehouse of commands that name none. */
    Path warehouse() {
        String name = lake.equals(PAIMON) ? "warehouse" : lake + "-warehouse";
        return directory.resolve(".thermocline").resolve(name);
    }

    /** The connector jar in the local Flink's lib directory. */
    Path connectorJar() throws IOException {
        Path lib = PROJECT.resolve("dist/flink-" + flink + "/target/thermocline/lib");
        try (Stream<Path> jars = Files.list(lib)) {
            return jars.filter(j -> j.getFileName().toString().startsWith("flink-connector-therm"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Runs a command to its end. */
    CommandResult run(String... arguments) throws IOException, InterruptedException {
        RunningCommand command = start(arguments);
        return command.await(COMMAND_LIMIT);
    }

    /** Runs a SQL script with {@code sql -f} and further arguments. */
    CommandResult sql(String script, String... arguments) throws IOException, InterruptedException {
        return startSql(script, arguments).await(COMMAND_LIMIT);
    }

    /** Starts a SQL script and does not wait for it. */
    RunningCommand startSql(String script, String... arguments) throws IOException {
        Path file = Files.writeString(directory.resolve("script-" + commands + ".sql"), script);
        List<String> all = new ArrayList<>(List.of("sql", "-f", file.toString()));
        all.addAll(lakeArguments());
        all.addAll(List.of(arguments));
        return start(all.toArray(String[]::new));
    }

    /** Runs {@code server} with a word such as {@code start}. */
    CommandResult server(String word) throws IOException, InterruptedException {
        return startServer(word).await(COMMAND_LIMIT);
    }

    /** Starts {@code server} with a word and does not wait for it. */
    RunningCommand startServer(String word) throws IOException {
        List<String> all = new ArrayList<>(List.of("server", word));
        all.addAll(lakeArguments());
        return start(all.toArray(String[]::new));
    }

    private List<String> lakeArguments() {
        return lake.equals(PAIMON) ? List.of() : List.of("--lake", lake);
    }

    /** Starts a command and does not wait for it. */
    RunningCommand start(String... arguments) throws IOException {
        Path output = directory.resolve("command-" + commands++ + ".out");
        List<String> line = new ArrayList<>();
        line.add(PROJECT.resolve("thermocline").toString());
        line.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(line)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("THERMOCLINE_FLINK", flink);
        return new RunningCommand(builder.start(), output, String.join(" ", arguments));
    }

    /** A command that may still be running. */
    record RunningCommand(Process process, Path output, String line) {

        CommandResult await(Duration limit) throws IOException, InterruptedException {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(
                        "'" + line + "' ran longer than " + limit + ":\n" + text());
            }
            return new CommandResult(process.exitValue(), text());
        }

        /** What it has printed so far. */
        String text() {
            try {
                return Files.readString(output);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Server processes of warehouses in this directory. */
    List<ProcessHandle> servers() {
        return processes().stream().filter(p -> commandLine(p).contains(SERVER_CLASS)).toList();
    }

    /** All processes started for this directory, other than finished ones. */
    List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(p -> commandLine(p).contains(directory.toString()))
                .filter(ProcessHandle::isAlive)
                .toList();
    }

    /** Process of the cluster, by name of its process file, if it is alive. */
    Optional<ProcessHandle> clusterProcess(String name) {
        Path file = directory.resolve(".thermocline/cluster/" + name + ".pid");
        return processes().stream().filter(p -> isNamed(p, file)).findAny();
    }

    private static boolean isNamed(ProcessHandle process, Path file) {
        try {
            return Files.readAllLines(file).get(0).equals(String.valueOf(process.pid()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the cluster's jobs keep their checkpoints, each below its id. */
    Path checkpoints() {
        return directory.resolve(".thermocline/cluster/checkpoints");
    }

    /** Where the cluster's processes keep files that end with them. */
    Path clusterTemporaryFiles() {
        return directory.resolve(".thermocline/cluster/tmp");
    }

    /** As {@code kill -9}; returns when the process is gone. */
    static void kill(ProcessHandle process) {
        process.destroyForcibly();
        try {
            process.onExit().get(KILL_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            throw new AssertionError("pid " + process.pid() + " survived kill -9", e);
        }
    }

    /** The whole command line; {@link ProcessHandle.Info} cuts long ones. */
    private static String commandLine(ProcessHandle process) {
        try {
            byte[] line = Files.readAllBytes(Path.of("/proc", "" + process.pid(), "cmdline"));
            return new String(line, StandardCharsets.UTF_8).replace('\0', ' ');
        } catch (IOException e) {
            // It ended in between.
            return "";
        }
    }

    private static Path realPath(Path directory) {
        try {
            return directory.toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        // A process that is killed late may have started another server meanwhile.
        for (int i = 0; i < CLOSE_ROUNDS && !processes().isEmpty(); i++) {
            processes().forEach(Workbench::kill);
        }
        assertThat(processes()).isEmpty();
    }
}
