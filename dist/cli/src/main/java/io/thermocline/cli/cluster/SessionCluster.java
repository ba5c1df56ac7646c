package io.thermocline.cli.cluster;

import io.thermocline.cli.CommandFailure;
import io.thermocline.cli.Workspace;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.util.FileUtils;

/** A Flink session cluster: one JobManager and some TaskManagers, each a process of its own. */
public final class SessionCluster {

    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    private final Workspace workspace;
    private final Path directory;
    private final Path addressFile;

    /** The cluster of a workspace, whether it runs or not. */
    public SessionCluster(Workspace workspace) {
        this.workspace = workspace;
        this.directory = workspace.clusterDirectory();
        this.addressFile = directory.resolve("rest-address");
    }

    /**
     * Starts the cluster and returns its REST address once all TaskManagers are registered.
     *
     * @throws CommandFailure when it runs already or a process ends early
     */
    public URI start(ClusterSettings settings) throws IOException {
        if (processes().stream().anyMatch(FlinkProcess::isAlive)) {
            throw new CommandFailure(
                    "A cluster runs already at "
                            + address().map(URI::toString).orElse("an unknown address")
                            + ". Stop it with 'thermocline cluster stop'.");
        }
        deleteTemporaryFiles();
        Configuration conf = settings.toConfiguration(directory);
        Path confDirectory = Files.createDirectories(directory.resolve("conf"));
        Files.writeString(confDirectory.resolve("config.yaml"), ClusterSettings.toYaml(conf));
        URI rest =
                URI.create(
                        "http://"
                                + conf.get(RestOptions.ADDRESS)
                                + ":"
                                + conf.get(RestOptions.PORT));
        Files.writeString(addressFile, rest.toString());
        try {
            launch(new ProcessCommand(workspace, confDirectory, conf), rest, settings);
        } catch (IOException | RuntimeException e) {
            stop();
            throw e;
        }
        return rest;
    }

    private void launch(ProcessCommand command, URI rest, ClusterSettings settings)
            throws IOException {
        RestProbe probe = new RestProbe(rest);
        FlinkProcess jobManager = FlinkProcess.jobManager(directory);
        launch(jobManager, command.jobManager(jobManager.name()));
        // A TaskManager that starts before the JobManager answers waits ten seconds to try again.
        await(jobManager, () -> probe.taskManagers().isPresent());
        for (int i = 1; i <= settings.taskManagers(); i++) {
            FlinkProcess taskManager = FlinkProcess.taskManager(directory, i);
            launch(taskManager, command.taskManager(taskManager.name()));
        }
        for (int i = 1; i <= settings.taskManagers(); i++) {
            int wanted = i;
            await(
                    FlinkProcess.taskManager(directory, i),
                    () -> probe.taskManagers().orElse(0) >= wanted);
        }
    }

    /** The log begins anew; the process itself appends, as loggers may open it twice. */
    private void launch(FlinkProcess process, List<String> command) throws IOException {
        Files.deleteIfExists(log(process));
        process.launch(command, workspace.logDirectory().resolve(process.name() + ".out"));
    }

    private Path log(FlinkProcess process) {
        return workspace.logDirectory().resolve(process.name() + ".log");
    }

    private void await(FlinkProcess process, BooleanSupplier ready) {
        long start = System.nanoTime();
        while (!ready.getAsBoolean()) {
            Path log = log(process);
            if (!process.isAlive()) {
                throw new CommandFailure("The " + process.name() + " ended at once. See " + log);
            }
            if (System.nanoTime() - start > START_LIMIT.toNanos()) {
                throw new CommandFailure(
                        "The "
                                + process.name()
                                + " is not ready after "
                                + START_LIMIT.toSeconds()
                                + " s. See "
                                + log);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_INTERVAL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("Interrupted while the cluster was starting.", e);
        }
    }

    /** Stops every process; says whether any was running. */
    public boolean stop() throws IOException {
        List<FlinkProcess> processes = processes();
        boolean ran = processes.stream().anyMatch(FlinkProcess::isAlive);
        FlinkProcess jobManager = FlinkProcess.jobManager(directory);
        List<FlinkProcess> taskManagers =
                processes.stream().filter(process -> !process.equals(jobManager)).toList();
        // TaskManagers first: without a JobManager they would only log retries.
        taskManagers.forEach(FlinkProcess::askToEnd);
        for (FlinkProcess taskManager : taskManagers) {
            taskManager.stop();
        }
        jobManager.stop();
        Files.deleteIfExists(addressFile);
        deleteTemporaryFiles();
        return ran;
    }

    private void deleteTemporaryFiles() throws IOException {
        FileUtils.deleteDirectory(ClusterSettings.temporaryDirectory(directory).toFile());
    }

    /**
     * REST address of the running cluster.
     *
     * @throws CommandFailure when none runs
     */
    public URI requireRunning() {
        Optional<URI> address = address();
        if (address.isEmpty() || !FlinkProcess.jobManager(directory).isAlive()) {
            throw new CommandFailure(
                    "No cluster is running. Start one with 'thermocline cluster start'.");
        }
        return address.get();
    }

    /** One line a process, and one for the REST endpoint. */
    public List<String> describe() {
        List<String> lines = new ArrayList<>();
        for (FlinkProcess process : processes()) {
            String state =
                    process.handle().map(h -> "running, pid " + h.pid()).orElse("not running");
            lines.add(process.name() + ": " + state);
        }
        address()
                .ifPresent(
                        rest -> {
                            RestProbe probe = new RestProbe(rest);
                            OptionalInt registered = probe.taskManagers();
                            lines.add(
                                    registered.isEmpty()
                                            ? "web UI: " + rest + " does not answer"
                                            : "web UI: "
                                                    + rest
                                                    + ", "
                                                    + registered.getAsInt()
                                                    + " TaskManagers, "
                                                    + probe.runningJobs().orElse(0)
                                                    + " running jobs");
                        });
        return lines;
    }

    /** Whether the JobManager is alive. */
    public boolean isRunning() {
        return FlinkProcess.jobManager(directory).isAlive();
    }

    private Optional<URI> address() {
        try {
            return Files.exists(addressFile)
                    ? Optional.of(URI.create(Files.readString(addressFile).strip()))
                    : Optional.empty();
        } catch (IOException e) {
            throw new CommandFailure("Cannot read " + addressFile + ".", e);
        }
    }

    private List<FlinkProcess> processes() {
        List<FlinkProcess> found = new ArrayList<>();
        FlinkProcess jobManager = FlinkProcess.jobManager(directory);
        if (Files.exists(jobManager.file())) {
            found.add(jobManager);
        }
        for (int i = 1; Files.exists(FlinkProcess.taskManager(directory, i).file()); i++) {
            found.add(FlinkProcess.taskManager(directory, i));
        }
        return found;
    }
}
