package io.thermocline.cli.cluster;

import io.thermocline.cli.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One process of the cluster, known by its file: process id and start time, so that another process
 * that got the same id later is never taken for it.
 *
 * @param name {@code jobmanager} or {@code taskmanager-N}
 * @param file the file with id and start time
 */
record FlinkProcess(String name, Path file) {

    private static final Duration TERM_LIMIT = Duration.ofSeconds(20);
    private static final Duration KILL_LIMIT = Duration.ofSeconds(10);

    static FlinkProcess jobManager(Path directory) {
        return new FlinkProcess("jobmanager", directory.resolve("jobmanager.pid"));
    }

    static FlinkProcess taskManager(Path directory, int number) {
        String name = "taskmanager-" + number;
        return new FlinkProcess(name, directory.resolve(name + ".pid"));
    }

    /** Starts the command detached from this terminal; its output goes to {@code output}. */
    void launch(List<String> command, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true);
        builder.redirectOutput(output.toFile());
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        ProcessHandle handle = builder.start().toHandle();
        Files.writeString(file, handle.pid() + "\n" + startOf(handle) + "\n");
    }

    Optional<ProcessHandle> handle() {
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            List<String> lines = Files.readAllLines(file);
            if (lines.size() < 2) {
                return Optional.empty();
            }
            return ProcessHandle.of(Long.parseLong(lines.get(0)))
                    .filter(ProcessHandle::isAlive)
                    .filter(h -> startOf(h).equals(lines.get(1)));
        } catch (IOException | NumberFormatException e) {
            throw new CommandFailure(
                    "The process file " + file + " cannot be read; remove it by hand.", e);
        }
    }

    boolean isAlive() {
        return handle().isPresent();
    }

    /** Asks the process to end and does not wait for it. */
    void askToEnd() {
        handle().ifPresent(ProcessHandle::destroy);
    }

    /** Ends the process, by force when it does not listen, and removes its file. */
    void stop() throws IOException {
        Optional<ProcessHandle> handle = handle();
        if (handle.isPresent()) {
            handle.get().destroy();
            if (!endsWithin(handle.get(), TERM_LIMIT)) {
                handle.get().destroyForcibly();
                if (!endsWithin(handle.get(), KILL_LIMIT)) {
                    throw new CommandFailure(
                            "The " + name + " (pid " + handle.get().pid() + ") does not end.");
                }
            }
        }
        Files.deleteIfExists(file);
    }

    private static boolean endsWithin(ProcessHandle handle, Duration limit) {
        try {
            handle.onExit().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("Interrupted while stopping a process.", e);
        } catch (ExecutionException e) {
            throw new CommandFailure("Cannot wait for process " + handle.pid() + ".", e);
        }
    }

    private static String startOf(ProcessHandle handle) {
        return handle.info().startInstant().map(Instant::toString).orElse("unknown");
    }
}
