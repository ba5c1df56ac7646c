package io.thermocline.benchmarks.runner;

import io.thermocline.benchmarks.driver.Fields;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A process that runs operations of one system. Not thread-safe. */
final class DriverProcess implements AutoCloseable {

    private static final long END_SECONDS = 90;

    private final String system;
    private final Process process;
    private final PrintWriter commands;
    private final BufferedReader answers;

    private DriverProcess(String system, Process process) {
        this.system = system;
        this.process = process;
        this.commands =
                new PrintWriter(
                        new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8),
                        true);
        this.answers =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts it and waits until it is ready; its standard error goes to {@code log}. */
    static DriverProcess start(String system, JavaCommand command, Path log) throws IOException {
        Process process =
                new ProcessBuilder(command.line())
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        DriverProcess driver = new DriverProcess(system, process);
        try {
            driver.await("READY");
            return driver;
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw new IOException(system + " did not start; see " + log, e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Runs an operation that has no measured part. */
    Fields run(Fields operation) throws IOException {
        commands.println(operation.line());
        return await("END");
    }

    /** Starts an operation; returns when its measured part begins. */
    void begin(Fields operation) throws IOException {
        commands.println(operation.line());
        await("BEGIN");
    }

    /** Waits for the figures of what was begun. */
    Fields end() throws IOException {
        return await("END");
    }

    private Fields await(String name) throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the process that drives " + system + " has ended");
        }
        Fields answer = Fields.parse(line);
        if (!answer.name().equals(name)) {
            throw new IOException(
                    system + ": expected " + name + ", got " + answer.get("message", line));
        }
        return answer;
    }

    /**
     * Ends it.
     *
     * @throws IllegalStateException if it could not give back what it held, or had to be killed
     */
    @Override
    public void close() {
        commands.close();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            return;
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException(
                    "the process that drives "
                            + system
                            + " ended with exit code "
                            + process.exitValue()
                            + "; its log tells why");
        }
    }
}
